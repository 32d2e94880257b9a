"""What a server notes of its own life for the next one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
import structlog.testing
import trio

from tests.support.journal import HeldJournal
from ulci_server.app.heartbeats import BEAT, note_heartbeats
from ulci_server.game import Heartbeat
from ulci_server.storage import WallClock

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def clock(at: datetime = NOON) -> WallClock:
    """That shows this for ever."""
    return WallClock(at.timestamp, lambda: 0.0)


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


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
