"""What the next server takes over, and what this one notes for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog.testing
import trio

from tests.support.facts import line, noted, played
from tests.support.journal import HeldJournal
from ulci_server.app.handover import BEAT, note_heartbeats, take_over
from ulci_server.game import Heartbeat, Released
from ulci_server.storage import (
    Database,
    FencedError,
    MemoryDatabase,
    RunInfo,
    WallClock,
    migrate,
)

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def clock(at: datetime = NOON) -> WallClock:
    """That shows this for ever."""
    return WallClock(at.timestamp, lambda: 0.0)


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


# Taking over


def test_the_first_server_of_all_takes_nothing_over() -> None:
    run, down, unfinished = take_over(MemoryDatabase(), clock())
    assert (run, down.ms, unfinished) == (1, 0, [])


def test_a_server_that_ended_in_order_was_alive_until_then() -> None:
    database = MemoryDatabase()
    run, _, _ = take_over(database, clock())
    database.runs.end(run, later(60))
    _, down, _ = take_over(database, clock(later(100)))
    assert (down.alive, down.back, down.ms) == (later(60), later(100), 40_000)


def test_a_server_that_was_killed_was_alive_when_it_last_noted_anything() -> None:
    database = MemoryDatabase()
    take_over(database, clock())
    facts = noted(line(7, "e2e4"), at=later(30))
    database.save(facts)
    last = facts[-1].at
    _, down, [unfinished] = take_over(database, clock(later(100)))
    assert unfinished.started.game == 7
    assert down.alive == last >= later(30)
    assert down.beaten == NOON


def test_a_lone_server_takes_over_what_a_cluster_left_and_shuts_it_out(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    migrate(url)
    member, lone = Database(url), Database(url)
    member.runs.join(member.runs.begin(NOON, "a").id)
    member.save(noted([*line(7, "e2e4"), *line(8, ""), Released(8, 1)], at=later(30)))

    run, down, unfinished = take_over(lone, clock(later(100)))

    assert [one.started.game for one in unfinished] == [7, 8]
    assert down.alive == later(31)
    with pytest.raises(FencedError):
        member.save(noted([played(7, 1, "e7e5")]))
    lone.save(noted([played(7, 1, "e7e5"), played(8, 0, "e2e4")], at=later(101)))
    lone.runs.end(run, later(110))
    member.runs.join(member.runs.begin(later(120), "a").id)
    assert {one.before for one in member.ownership.claim(later(120), 9)} == {
        RunInfo(run, later(110), later(110))
    }
    member.close()
    lone.close()


def test_what_was_noted_by_a_clock_that_has_been_put_back_since_says_nothing() -> None:
    database = MemoryDatabase()
    take_over(database, clock())
    _, down, _ = take_over(database, clock(later(-3600)))
    assert down.ms is None


# The heartbeat


class Slow(HeldJournal):
    """Whose slowest commit took 12.3 ms."""

    slowest = 0.0123


class Host:
    """What the heartbeat knows of a hall."""

    def __init__(self, *, playing: bool) -> None:
        self.tables = {1: object()} if playing else {}
        self.hindrances: list[float] = []
        self.begun = trio.Event()

    async def any_game(self) -> None:
        await self.begun.wait()

    def hindered(self, seconds: float) -> None:
        self.hindrances.append(seconds)


@asynccontextmanager
async def beating(host: Host, machine: WallClock) -> AsyncIterator[Slow]:
    journal = Slow()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(note_heartbeats, journal, host, 5, machine)
        yield journal
        nursery.cancel_scope.cancel()


async def test_while_there_are_games_it_is_noted_that_the_server_lives(autojump_clock) -> None:
    async with beating(Host(playing=True), clock()) as journal:
        await trio.sleep(2.5 * BEAT)
    assert journal.facts == [Heartbeat(5, 13)] * 3


async def test_a_server_without_games_writes_nothing_and_follows_the_machine(
    autojump_clock,
) -> None:
    machine = [NOON.timestamp()]
    steady = WallClock(lambda: machine[0], lambda: 0.0)
    with structlog.testing.capture_logs() as logged:
        async with beating(Host(playing=False), steady) as journal:
            await trio.sleep(1.5 * BEAT)
            machine[0] += 3600
            await trio.sleep(BEAT)
    assert journal.facts == []
    assert [(event["event"], event["seconds"]) for event in logged] == [
        ("the machine's clock was set", 3600.0)
    ]
    assert steady() == later(3600)


async def test_it_wakes_often_from_the_first_moment_of_a_game(autojump_clock) -> None:
    host = Host(playing=False)
    async with beating(host, clock()) as journal:
        await trio.sleep(0.5 * BEAT)
        host.tables[1] = object()
        host.begun.set()
        await trio.testing.wait_all_tasks_blocked()
        assert journal.facts == [Heartbeat(5, 13)]


@pytest.mark.parametrize(("stopped", "stalls"), [(3.0, [3.0]), (0.01, [])])
async def test_a_server_that_did_not_run_says_so(mock_clock, stopped, stalls) -> None:
    host = Host(playing=True)
    with structlog.testing.capture_logs() as logged:
        async with beating(host, clock()):
            await trio.testing.wait_all_tasks_blocked()
            mock_clock.jump(stopped)
            await trio.testing.wait_all_tasks_blocked()
    assert host.hindrances == pytest.approx(stalls, abs=0.06)
    assert [event["event"] for event in logged] == [
        "the server did not run for a while" for _ in stalls
    ]
