"""A server of a cluster is killed or paused while it commits, and another one has its games."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.databases import Server, owners_of
from tests.support.facts import NOON, happened, line, noted, played, started
from ulci_server.game import EventKind, MovePlayed, Released
from ulci_server.storage import Claimed, Database, StorageError, migrate
from ulci_server.storage.runs import _connection_name
from ulci_server.storage.sql_engine import FROZEN

SLOW = 40.0
"""Seconds that a busy machine may need beside `FROZEN`. Without that limit one would wait for
hours."""

GAMES = range(1, 5)
LATER = NOON + timedelta(minutes=1)


@pytest.fixture(autouse=True)
def patient() -> None:
    """The limits of PostgreSQL's sessions are tested here."""


# Nobody knows how many moves it makes before it is heard, so no clock runs down.
VICTIM = """
import signal, sys, threading
import sqlalchemy as sa
import structlog
import trio
from ulci_server.storage import Journal, Database
from tests.support.facts import NOON, happened, played, started
from ulci_server.game import EventKind

structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

async def main():
    url, freezes_at = sys.argv[1:]
    database = Database(url)
    run = database.runs.begin(NOON, "victim")
    database.runs.join(run)
    say(f"run {run}")
    commits = 0

    @sa.event.listens_for(database.transactions.writer, freezes_at or "rollback")
    def freeze(*args):
        nonlocal commits
        is_one = freezes_at == "commit" or "INSERT INTO moves" in str(args[2:])
        commits += is_one
        if is_one and commits == 9:
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # at once

    journal, fenced = Journal(database), trio.Event()
    journal.on_fenced(fenced.set)
    async with trio.open_nursery() as nursery:
        await nursery.start(journal.run)
        for game in range(1, 5):
            journal.note(started(game))
        ply = 0
        while not fenced.is_set():
            for game in range(1, 5):
                journal.note(played(game, ply, "e2e4", seq=2 * ply + 1, left=1000))
                if freezes_at:  # moves alone are written in one statement, which has no middle
                    journal.note(happened(game, 2 * ply + 2, EventKind.DRAW_OFFERED))
                journal.when_durable(lambda said=f"durable {game} {ply}": say(said))
            ply += 1
            if ply % 3:
                await trio.lowlevel.checkpoint()
            else:
                await journal.drain()
        nursery.cancel_scope.cancel()
    say("fenced " + journal.lost)

trio.run(main)
"""


class Victim:
    """A process that commits moves in four games until it is fenced, and says what is durable."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert process.stdout is not None
        self._said = process.stdout
        self.run = int(self._said.readline().removeprefix("run "))
        self.durable: set[tuple[int, int]] = set()
        self.last = ""

    def hear(self, lines: int) -> None:
        """Read so many lines, or all that it says until it ends."""
        for _ in range(lines):
            line = self._said.readline()
            if not line.endswith("\n"):  # the end, or torn by it
                return
            if line.startswith("durable "):
                _, game, ply = line.split()
                self.durable.add((int(game), int(ply)))
            self.last = line.strip()

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def stopped(self) -> None:
        """Wait until it is paused."""
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOWAIT)


@contextmanager
def victim(url: str, freezes_at: str = "") -> Iterator[Victim]:
    process = subprocess.Popen(
        [sys.executable, "-c", VICTIM, url, freezes_at],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    try:
        yield Victim(process)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def thief(postgres_url: str) -> Iterator[Server]:
    migrate(postgres_url)
    database = Database(postgres_url)
    run = database.runs.begin(NOON, "thief")
    database.runs.join(run)
    yield Server(database, run)
    database.close()


def steal(thief: Server, run: int, *, paused: bool = False) -> tuple[list[Claimed], float]:
    """Fence the run as soon as its beat stands, and take its games; also how long that took, s.
    paused: in the middle of a transaction, which PostgreSQL keeps for `FROZEN` s."""
    began = time.monotonic()
    while not any(
        thief.database.runs.fence(run, state.beat, NOON)
        for state in thief.database.runs.living()
        if state.id == run
    ):
        assert thief.database.ownership.claim(NOON, 10) == []
        assert time.monotonic() < began + 60, "nobody could fence it"
    assert not (paused and is_kept(thief, run))
    return thief.database.ownership.claim(NOON, 10), time.monotonic() - began


def is_kept(thief: Server, run: int) -> bool:
    """Whether PostgreSQL has heard nothing for less than `FROZEN` s in a transaction of the run."""
    name = _connection_name(thief.database.runs.installation_key(), run)
    with thief.database.transactions.writer.begin() as connection:
        return bool(connection.scalar(_KEPT, {"name": name, "frozen": FROZEN}))


_KEPT = sa.text("""
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = :name AND state <> 'idle'
    AND state_change > clock_timestamp() - make_interval(secs => :frozen)
    """)


def moves_of(claimed: list[Claimed]) -> set[tuple[int, int]]:
    facts = [fact for one in claimed for fact, _ in one.unfinished.history]
    return {(fact.game, fact.ply) for fact in facts if isinstance(fact, MovePlayed)}


def stored(thief: Server) -> set[tuple[int, int]]:
    return {(game, move.ply) for game in GAMES for move in thief.database.games.moves(game)}


def go_on(thief: Server, claimed: list[Claimed]) -> None:
    """A fact of the new owner in every game, in the place of the next one of the old."""
    for one in claimed:
        game, seq = one.unfinished.started.game, len(one.unfinished.history) + 1
        thief.database.save(noted([happened(game, seq, EventKind.RESUMED)]))


@pytest.mark.parametrize("lines", [1, 200])
def test_after_kill_9_the_thief_has_every_move_that_was_called_durable(
    thief: Server, postgres_url: str, lines: int
) -> None:
    with victim(postgres_url) as owner:
        owner.hear(lines)
        owner.signal(signal.SIGKILL)
        claimed, _ = steal(thief, owner.run)
        owner.hear(sys.maxsize)

    assert [one.unfinished.started.game for one in claimed] == [*GAMES]
    assert len(owner.durable) >= lines
    assert owner.durable <= moves_of(claimed)
    go_on(thief, claimed)


@pytest.mark.parametrize("lines", [1, 200])
def test_who_was_paused_while_its_games_were_taken_writes_nothing_when_it_goes_on(
    thief: Server, postgres_url: str, lines: int
) -> None:
    with victim(postgres_url) as owner:
        owner.hear(lines)
        owner.signal(signal.SIGSTOP)
        owner.stopped()
        claimed, took = steal(thief, owner.run)
        taken = moves_of(claimed)
        go_on(thief, claimed)
        owner.signal(signal.SIGCONT)
        owner.hear(sys.maxsize)

    assert owner.last == "fenced"
    assert owner.durable <= taken == stored(thief)
    assert took < FROZEN + SLOW


@pytest.mark.parametrize("where", ["before_cursor_execute", "commit"])
def test_who_is_paused_in_the_middle_of_a_transaction_is_not_waited_for_long(
    thief: Server, postgres_url: str, where: str
) -> None:
    with victim(postgres_url, where) as owner:
        owner.stopped()
        claimed, took = steal(thief, owner.run, paused=True)
        taken = moves_of(claimed)
        go_on(thief, claimed)
        owner.signal(signal.SIGCONT)
        owner.hear(sys.maxsize)

    assert [one.unfinished.started.game for one in claimed] == [*GAMES]
    assert owner.last == "fenced"
    assert owner.durable <= taken == stored(thief)
    assert took < FROZEN + SLOW


def test_who_is_paused_in_the_middle_of_what_it_sends_is_not_waited_for_long(
    thief: Server, postgres_url: str
) -> None:
    """PostgreSQL waits for the rest of a pipeline for ever, whatever its timeouts are."""
    database = Database(postgres_url)
    run = database.runs.begin(NOON, "victim")
    database.runs.join(run)
    database.save(noted([started(1)]))
    connection = database.transactions.writer.raw_connection()
    line = connection.driver_connection.pgconn  # type: ignore[union-attr]
    line.enter_pipeline_mode()
    began = time.monotonic()
    for sent in ("BEGIN", f"UPDATE runs SET beat = beat + 1 WHERE id = {run}"):
        line.send_query_params(sent.encode(), None)
    line.send_flush_request()
    while line.flush():
        pass
    line.get_result()  # it is begun
    while not (result := line.get_result()):
        pass
    assert result.command_tuples == 1

    claimed, took = steal(thief, run, paused=True)
    lasted = time.monotonic() - began
    connection.invalidate()
    database.close()

    assert len(claimed) == 1
    assert lasted > FROZEN / 2
    assert took < FROZEN + SLOW


def lose_the_answer(database: Database, times: int = 1) -> list[str]:
    """Its next commits are done, and then the connections end before it is told."""
    lost: list[str] = []

    @sa.event.listens_for(database.transactions.writer, "commit")
    def commit(connection: sa.Connection) -> None:
        if len(lost) < times:
            lost.append("commit")
            driver = connection.connection.driver_connection
            assert driver is not None
            driver.commit()
            driver.execute("SELECT 1")  # so that there is something to commit
            driver.pgconn.finish()

    return lost


def test_a_batch_with_a_release_survives_that_its_commit_was_not_answered(
    thief: Server, postgres_url: str
) -> None:
    database = Database(postgres_url)
    run = database.runs.begin(NOON, "victim")
    database.runs.join(run)
    database.save(noted(line(1, "e2e4")))
    lost = lose_the_answer(database)

    database.save(noted([played(1, 1, "e7e5"), Released(1, 1)]))

    assert lost == ["commit"]
    assert owners_of(database, [1]) == {}
    assert [move.move for move in database.games.moves(1)] == ["e2e4", "e7e5"]
    database.close()


def test_what_was_claimed_is_returned_though_the_commit_was_not_answered(
    thief: Server, postgres_url: str
) -> None:
    database = Database(postgres_url)
    database.save(noted([started(1), started(2), started(3)]))
    database.close()
    for times in (1, 2):
        lost = lose_the_answer(thief.database, times)
        claimed: list[Claimed] = []
        for _ in range(times):
            with suppress(StorageError):
                claimed += thief.database.ownership.claim(LATER, times)
        assert len(lost) == times
        assert len(claimed) == times
        assert {one.epoch for one in claimed} == {1}
    assert owners_of(thief.database, [1, 2, 3]) == dict.fromkeys([1, 2, 3], (thief.run, 1))
