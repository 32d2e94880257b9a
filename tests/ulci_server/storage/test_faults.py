"""The database fails in every way it knows; nothing that was called durable is lost."""

import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import trio
from sqlalchemy import event
from structlog.testing import capture_logs

from tests.support.facts import finished, noted, played, reported, started
from ulci_server.storage import (
    Database,
    Journal,
    StorageError,
    migrate,
    open_database,
    schema_state,
    sql_engine,
)
from ulci_server.storage import journal as journal_module

Act = Callable[[], object]


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "FIRST_RETRY", 0.001)
    monkeypatch.setattr(journal_module, "LAST_RETRY", 0.01)


@pytest.fixture
def impatient(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A database in a file, which waits for nobody's lock."""
    migrate(sqlite_url)
    monkeypatch.setattr(sql_engine, "BUSY_TIMEOUT", 0.0)
    database = Database(sqlite_url)
    database.save(noted([started(1)]))
    yield database
    database.close()


LONG = "e7e5" * 4096
"""A move for which several pages are needed."""


class Troubled:
    """A journal on a database, and what it says of trouble."""

    def __init__(self, database: Database) -> None:
        self.told: list[str | None] = []
        self.came = trio.Event()
        self.journal = Journal(database)
        self.journal.tell_trouble(self._tell)

    def _tell(self, trouble: str | None) -> None:
        self.told.append(trouble)
        self.came.set()


async def through_trouble(database: Database, begin: Act, end: Act) -> list[str | None]:
    """Note a move before, one during and one after the trouble; all of them are kept in the end."""
    with trio.fail_after(60), capture_logs():
        async with trio.open_nursery() as nursery:
            troubled = Troubled(database)
            journal = troubled.journal
            await nursery.start(journal.run)
            journal.note(played(1, 0, "e2e4"))
            await journal.drain()

            begin()
            journal.note(played(1, 1, LONG))
            await troubled.came.wait()
            assert not journal.healthy
            journal.note(played(1, 2, "g1f3"))
            end()

            await journal.drain()
            assert journal.healthy
            nursery.cancel_scope.cancel()
    assert [move.move for move in database.games.moves(1)] == ["e2e4", LONG, "g1f3"]
    return troubled.told


async def test_a_file_locked_by_another_program_is_written_when_the_lock_is_gone(
    impatient: Database, sqlite_url: str, quick_retries: None
) -> None:
    other = sa.create_engine(sqlite_url, isolation_level=None)
    with other.connect() as holder:
        told = await through_trouble(
            impatient,
            lambda: holder.exec_driver_sql("BEGIN EXCLUSIVE"),
            lambda: holder.exec_driver_sql("ROLLBACK"),
        )
    other.dispose()

    assert told[-1] is None
    assert told[0] is not None
    assert "games.db: another program holds it locked" in told[0]


async def test_a_full_disk_is_written_when_there_is_room_again(
    impatient: Database, quick_retries: None
) -> None:
    def disk(pages: int) -> None:
        with impatient.transactions.writer.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def fill() -> None:
        disk(1)  # SQLite makes that the pages it has already
        for n in itertools.count():
            try:
                impatient.save(noted([reported(1, f"{n}: " + 8192 * "x")]))
            except StorageError:
                return

    told = await through_trouble(impatient, fill, lambda: disk(100_000))

    assert told[-1] is None
    assert told[0] is not None
    assert "the disk is full; free some space, the server goes on by itself" in told[0]


class Saboteur:
    """Runs something once, just before a statement or the commit of the next transaction."""

    def __init__(self, engine: sa.Engine, act: Act, *, at: str) -> None:
        self.done = 0
        self._act = act
        event.listen(engine, at, self._happen)

    def _happen(self, *_: object) -> None:
        if not self.done:
            self.done += 1
            self._act()


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Database]:
    migrate(postgres_url)
    # A name of its own, so that nobody else's connections are killed.
    name = sa.make_url(postgres_url).query["options"]
    url = sa.make_url(postgres_url).update_query_dict({"application_name": str(name)[-60:]})
    database = Database(url.render_as_string(hide_password=False))
    yield database
    database.close()


def own_killer(database: Database) -> Act:
    url = database.transactions.writer.url
    name = url.query["application_name"]

    def kill() -> None:
        admin = sa.create_engine(
            url.set(query={"application_name": "killer"}), poolclass=sa.NullPool
        )
        query = sa.text(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = :name"
        )
        with admin.begin() as connection:
            assert connection.execute(query, {"name": name}).all()
        admin.dispose()

    return kill


@pytest.mark.parametrize("at", ["before_cursor_execute", "commit"])
def test_a_postgres_connection_killed_in_the_middle_costs_nothing(
    postgres: Database, at: str
) -> None:
    postgres.save(noted([started(1)]))
    saboteur = Saboteur(postgres.transactions.writer, own_killer(postgres), at=at)

    postgres.save(noted([played(1, 0, "e2e4"), reported(1, "hm")]))

    assert saboteur.done == 1
    assert len(postgres.games.moves(1)) == len(postgres.games.reports(1)) == 1


def test_readers_survive_a_killed_connection_too(postgres: Database) -> None:
    postgres.save(noted([started(1)]))
    assert len(postgres.games.find()) == 1

    own_killer(postgres)()

    assert len(postgres.games.find()) == 1


async def test_while_postgres_kills_every_connection_the_journal_waits(
    postgres: Database, quick_retries: None
) -> None:
    postgres.save(noted([started(1)]))
    kill = own_killer(postgres)
    sabotage = [True]

    def refuse(*_: object) -> None:
        if sabotage:
            kill()

    event.listen(postgres.transactions.writer, "before_cursor_execute", refuse)
    sabotage.clear()
    told = await through_trouble(postgres, lambda: sabotage.append(True), sabotage.clear)

    assert told[-1] is None


async def test_a_lock_on_the_tables_of_postgres_is_trouble_until_it_is_gone(
    postgres_url: str, quick_retries: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(postgres_url)
    monkeypatch.setattr(sql_engine, "BUSY_TIMEOUT", 0.01)
    database = Database(postgres_url)
    database.save(noted([started(1)]))
    other = sa.create_engine(postgres_url)
    holder = other.connect()

    told = await through_trouble(
        database,
        lambda: holder.exec_driver_sql("LOCK TABLE moves IN EXCLUSIVE MODE"),
        holder.rollback,
    )
    holder.close()
    other.dispose()
    database.close()

    assert told[-1] is None
    assert told[0] is not None
    assert "another session holds a lock" in told[0]


# Nobody knows how many moves it makes before it is heard and killed, so no clock runs down.
REPORTER = """
import sys
import structlog
import trio
from ulci_server.storage import Journal, Database
from tests.support.facts import played, started

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))

async def main():
    journal = Journal(Database(sys.argv[1], sys.argv[2]))
    async with trio.open_nursery() as nursery:
        await nursery.start(journal.run)
        for game in range(1, 5):
            journal.note(started(game))
        ply = 0
        while True:
            for game in range(1, 5):
                journal.note(played(game, ply, "e2e4", left=1000))
                said = f"{game} {ply}\\n"
                journal.when_durable(lambda said=said: (sys.stdout.write(said), sys.stdout.flush()))
            ply += 1
            if ply % 3:
                await trio.lowlevel.checkpoint()
            else:
                await journal.drain()

trio.run(main)
"""


@pytest.mark.parametrize("durability", ["power", "process"])
@pytest.mark.parametrize("lines", [1, 60, 400])
def test_every_move_that_was_called_durable_is_there_after_kill_9(
    database_url: str, durability: str, lines: int
) -> None:
    migrate(database_url)
    reporter = subprocess.Popen(
        [sys.executable, "-c", REPORTER, database_url, durability],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert reporter.stdout is not None
    said = [reporter.stdout.readline() for _ in range(lines)]
    reporter.kill()
    said += reporter.stdout.read().splitlines(keepends=True)
    reporter.wait()
    reporter.stdout.close()

    database = Database(database_url)
    kept = {(game, move.ply) for game in range(1, 5) for move in database.games.moves(game)}
    database.close()
    # The last line may be torn.
    promised = {tuple(map(int, text.split())) for text in said if text.endswith("\n")}
    assert len(promised) >= lines
    assert promised <= kept


@contextmanager
def as_somebody_else() -> Iterator[None]:
    """Root may write everywhere: be nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_directory_that_is_read_only_is_explained() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        Path(directory).chmod(0o555)
        with as_somebody_else(), pytest.raises(StorageError) as caught:
            open_database(f"sqlite:///{directory}/games.db")
        Path(directory).chmod(0o755)

    text = f"cannot use the database {directory}/games.db: may this user create files"
    assert text in str(caught.value)


def test_a_directory_that_may_not_be_looked_into_is_explained() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        Path(directory).chmod(0o000)
        with as_somebody_else(), pytest.raises(StorageError) as caught:
            schema_state(f"sqlite:///{directory}/games.db")
        Path(directory).chmod(0o755)

    assert f"this user may not look into {directory}" in str(caught.value)


def test_a_file_that_is_read_only_is_explained(sqlite_url: str) -> None:
    migrate(sqlite_url)
    database = Database(sqlite_url)

    @event.listens_for(database.transactions.writer, "connect")
    def forbid(connection: Any, _: object) -> None:
        connection.execute("PRAGMA query_only = ON")

    with pytest.raises(StorageError, match="read-only for this user; change its permissions"):
        database.save(noted([started(1), finished(1)]))
    database.close()
