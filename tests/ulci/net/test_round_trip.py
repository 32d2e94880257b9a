"""The round-trip estimate: what is measured, and what is never in it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partialmethod

import pytest
import trio
from trio.testing import MockClock

from tests.support.wires import HANG, hear, laid, nothing_left
from ulci.net import Peer, peer
from ulci.net.memory import MemoryPeer
from ulci.net.round_trip import MOST, RoundTripEstimate
from ulci.protocol.messages import (
    BestMove,
    Go,
    Hello,
    HelloOk,
    IsReady,
    Message,
    ReadyOk,
)

DAY = 86_400.0
"""s after which a test hangs whose clock may be put forward by hours."""


def test_before_anything_was_answered_nothing_is_known() -> None:
    estimate = RoundTripEstimate()
    estimate.asked(IsReady, 1.0)
    assert estimate.least is None


def test_the_least_that_was_ever_measured_counts() -> None:
    estimate = RoundTripEstimate()
    for seconds in (0.5, 0.25, 5.0):
        estimate.measured(seconds)
    assert estimate.least == 0.25


def test_what_seems_to_have_come_before_it_was_asked_took_no_time() -> None:
    estimate = RoundTripEstimate()
    estimate.measured(-0.001)
    assert estimate.least == 0.0


def test_answers_belong_to_the_questions_of_their_kind_in_their_order() -> None:
    estimate = RoundTripEstimate()
    estimate.asked(Go, 1.0)
    estimate.asked(IsReady, 2.0)
    estimate.asked(Go, 3.0)
    assert estimate.answered(IsReady) == 2.0
    assert [estimate.answered(Go) for _ in range(3)] == [1.0, 3.0, None]


def test_who_never_answers_costs_no_memory() -> None:
    estimate = RoundTripEstimate()
    for at in range(10 * MOST):
        estimate.asked(IsReady, float(at))
    assert [estimate.answered(IsReady) for _ in range(MOST + 1)][-2:] == [10 * MOST - 1, None]


def test_who_never_answers_one_kind_of_question_is_measured_by_the_other() -> None:
    estimate = RoundTripEstimate()
    for at in range(10 * MOST):
        estimate.asked(Go, float(at))
    estimate.asked(IsReady, 500.0)
    assert estimate.answered(IsReady) == 500.0


# Of a peer


@asynccontextmanager
async def met(kind: str = "memory") -> AsyncIterator[tuple[Peer, Peer]]:
    """A wire of that kind whose ends have said hello."""
    with trio.fail_after(DAY), nothing_left():
        async with laid(kind) as (ours, theirs):
            ours.put(Hello())
            await hear(theirs)
            theirs.put(HelloOk())
            await hear(ours)
            yield ours, theirs


async def exchange(
    ends: tuple[Peer, Peer], said: Message, answer: Message, clock: MockClock, seconds: float
) -> None:
    """Say that, and be answered after so long."""
    ours, theirs = ends
    ours.put(said)
    clock.jump(seconds)
    await hear(theirs)
    theirs.put(answer)
    await hear(ours)


async def test_readyok_tells(mock_clock: MockClock) -> None:
    async with met() as ends:
        assert ends[0].round_trip() is None
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.08)
        assert ends[0].round_trip() == pytest.approx(0.08)


async def test_whoever_moves_sooner_has_shown_that_the_line_is_that_good(
    mock_clock: MockClock,
) -> None:
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.5)
        for seconds, known in ((2.0, 0.5), (0.1, 0.1), (3.0, 0.1)):
            await exchange(ends, Go(wtime=1000), BestMove("e2e4"), mock_clock, seconds)
            assert ends[0].round_trip() == pytest.approx(known)


async def test_a_line_is_not_slower_because_somebody_has_not_answered_soon_for_long(
    mock_clock: MockClock,
) -> None:
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.05)
        for _ in range(20):
            await exchange(ends, IsReady(), ReadyOk(), mock_clock, 60.0)
            await exchange(ends, Go(wtime=1000), BestMove("e2e4"), mock_clock, 600.0)
        assert ends[0].round_trip() == pytest.approx(0.05)


async def test_the_least_of_what_the_system_and_readyok_say_counts(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float | None] = [None]
    monkeypatch.setattr(MemoryPeer, "_least_measured", lambda _: told[0])
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.08)
        for told[0], known in ((None, 0.08), (0.2, 0.08), (0.03, 0.03), (0.3, 0.03)):
            assert ends[0].round_trip() == pytest.approx(known)


async def test_what_is_read_after_a_stall_of_ours_measures_nothing(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "stall", lambda at: 0.3)
    monkeypatch.setattr(MemoryPeer, "_read", partialmethod(MemoryPeer._read, late=0.3))
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.35)
        assert ends[0].round_trip() is None


async def test_that_it_was_read_late_is_not_the_lines_fault(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryPeer, "_read", partialmethod(MemoryPeer._read, late=0.3))
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.35)
        assert ends[0].round_trip() == pytest.approx(0.05)


async def test_what_the_system_knows_of_a_proxy_says_nothing_of_who_is_behind_it() -> None:
    async with met("tcp") as (ours, theirs):
        ours.proxied = True
        assert ours.round_trip() is None
        ours.put(IsReady())
        await hear(theirs)
        theirs.put(ReadyOk())
        await hear(ours)
        trip = ours.round_trip()
        assert trip is not None
        assert 0 < trip < HANG
