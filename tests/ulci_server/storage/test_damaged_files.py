"""A database whose files somebody shortens or overwrites takes nothing more; one that somebody uses
as SQLite allows it goes on."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs

from tests.support.facts import noted, played, started
from ulci_server.game import Fact
from ulci_server.storage import (
    Database,
    Journal,
    StorageError,
    database_file,
    migrate,
    open_database,
)

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    """With many games of some moves, partly in the database and partly in its log."""
    migrate(f"sqlite:///{path}")
    made = Database(f"sqlite:///{path}")
    made.save(noted([started(number) for number in range(1, 200)]))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    facts = next_moves()
    for _ in range(40):
        made.save(noted([next(facts)]))
    yield made
    made.close()


def next_moves(first: int = 0) -> Iterator[Fact]:
    """Of a hundred games in turn."""
    for number in count(first):
        ply, game = divmod(number, 100)
        yield played(game + 1, ply, SHUFFLE[ply % 4])


def stored(path: Path) -> int:
    """How many moves another program finds."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(database.execute("SELECT count(*) FROM moves").fetchone()[0])


def log(path: Path) -> Path:
    return path.with_name("games.db-wal")


def truncate_log(path: Path) -> None:
    os.truncate(log(path), 0)


def halve_log(path: Path) -> None:
    os.truncate(log(path), log(path).stat().st_size // 2)


def overwrite_log(path: Path) -> None:
    log(path).write_bytes(bytes(log(path).stat().st_size))


def truncate_database(path: Path) -> None:
    os.truncate(path, 0)


def halve_database(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 8192 * 4096)


OF_THE_LOG = [truncate_log, halve_log, overwrite_log]


@pytest.mark.parametrize("damage", [*OF_THE_LOG, truncate_database, halve_database])
def test_what_is_damaged_takes_nothing_more_and_says_so(
    database: Database, path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    for _ in range(3):
        with pytest.raises(StorageError, match=r"truncated or overwritten while the server was"):
            database.save(noted([played(41, 0, "g1f3")]))


@pytest.mark.parametrize("damage", OF_THE_LOG)
def test_whoever_follows_the_advice_has_all_that_was_stored(
    database: Database, path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    with pytest.raises(StorageError) as raised:
        database.save(noted([played(41, 0, "g1f3")]))
    found = re.search(r"mv (\S+) (\S+) && rm -f (\S+) (\S+),", str(raised.value))
    assert found is not None, raised.value
    database.close()
    copy, name, *beside = map(Path, found.groups())
    copy.rename(name)
    for each in beside:
        each.unlink(missing_ok=True)
    assert stored(path) == 40


@pytest.mark.parametrize("damage", [truncate_database, halve_database])
def test_a_database_that_nobody_has_any_more_is_to_be_restored(
    database: Database, path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    with pytest.raises(StorageError, match=r"End the server, and restore .* from a backup"):
        database.save(noted([played(41, 0, "g1f3")]))
    assert not [*path.parent.glob("games.db.saved-*")]


@pytest.mark.parametrize("damage", OF_THE_LOG)
def test_a_commit_during_the_damage_counts_only_if_all_is_in_the_database(
    database: Database, path: Path, damage: Callable[[Path], None]
) -> None:
    def at_commit(statement: str) -> None:
        if statement == "COMMIT":
            damage(path)

    with closing(database.transactions.writer.raw_connection()) as connection:
        connection.driver_connection.set_trace_callback(at_commit)
    try:
        database.save(noted([played(41, 0, "g1f3")]))
    except StorageError as error:
        assert "truncated or overwritten" in str(error)  # noqa: PT017
    else:
        without_the_log = path.with_name("copy.db")
        without_the_log.write_bytes(path.read_bytes())
        assert stored(without_the_log) == 41


async def test_no_move_is_told_behind_the_damage_and_the_log_says_why(
    database: Database, path: Path, errors_logged
) -> None:
    journal, told = Journal(database), []
    async with trio.open_nursery() as nursery:
        await nursery.start(journal.run)
        truncate_log(path)
        trouble = trio.Event()
        journal.tell_trouble(lambda _: trouble.set())
        journal.note(played(41, 0, "g1f3"))
        journal.when_durable(lambda: told.append("e2e4"))
        await trouble.wait()
        assert "truncated or overwritten" in journal.trouble
        nursery.cancel_scope.cancel()
    assert told == []
    assert "storage fails" in errors_logged.take()[0]


def checkpoint(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert log(path).stat().st_size == 0


def restart(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(RESTART)")


def vacuum(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("CREATE TABLE filler AS SELECT randomblob(100000) AS junk")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("DROP TABLE filler")
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def write(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS notes (note TEXT)")
        database.execute("INSERT INTO notes VALUES (randomblob(50000))")


def take_back(path: Path) -> None:
    """More than SQLite keeps in memory: it is written to the log, and then overwritten there."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA cache_size=1")
        database.execute("BEGIN IMMEDIATE")
        database.execute("CREATE TABLE junk AS SELECT randomblob(400000) AS junk")
        database.execute("ROLLBACK")


def read(path: Path) -> None:
    assert stored(path)


@pytest.mark.parametrize("first", [checkpoint, restart, vacuum, write, take_back, read])
@pytest.mark.parametrize("second", [checkpoint, restart, vacuum, write, take_back, read])
def test_what_other_programs_may_do_stops_nothing(
    database: Database,
    path: Path,
    first: Callable[[Path], None],
    second: Callable[[Path], None],
) -> None:
    facts = next_moves(40)
    for use in (first, second):
        use(path)
        for _ in range(3):
            database.save(noted([next(facts)]))
    assert stored(path) == 46


def test_a_log_that_begins_anew_of_itself_is_no_damage(path: Path) -> None:
    database = open_database(f"sqlite:///{path}")
    with closing(database.transactions.writer.raw_connection()) as connection:
        connection.cursor().execute("PRAGMA wal_autocheckpoint=20")
    database.save(noted([started(number) for number in range(1, 101)]))
    facts = next_moves()
    with capture_logs() as logs:
        for _ in range(200):
            database.save(noted([next(facts)]))
    assert logs == []
    assert stored(path) == 200
    database.close()


def test_the_log_says_that_all_is_read_before_it_is(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = database_file._unreadable

    def reading(name: str) -> str:
        assert "no move is stored until all is read" in logs[0]["event"]
        assert len(logs) == 1
        return read(name)

    monkeypatch.setattr(database_file, "_unreadable", reading)
    checkpoint(path)
    with capture_logs() as logs:
        database.save(noted([played(41, 0, "g1f3")]))
    assert [log["event"] for log in logs][1:] == ["the database was read, and games go on"]
