"""The round-trip estimate and the stall detector."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partialmethod

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from tests.support.memory_peers import MemoryPeer
from tests.support.wires import HANG, hear, laid, nothing_left
from ulci.net import Peer
from ulci.net.timing import (
    LOOKS,
    MAX_PENDING,
    PULSE,
    STALL,
    RoundTripEstimate,
    StallDetector,
    detect_stalls,
    stall,
)
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


def test_the_least_measurement_counts() -> None:
    estimate = RoundTripEstimate()
    for seconds in (0.5, 0.25, 5.0):
        estimate.measured(seconds)
    assert estimate.least == 0.25


def test_a_negative_measurement_counts_as_zero() -> None:
    estimate = RoundTripEstimate()
    estimate.measured(-0.001)
    assert estimate.least == 0.0


def test_answers_belong_to_the_questions_of_their_kind_in_their_order() -> None:
    estimate = RoundTripEstimate()
    estimate.asked(Go, 1.0)
    estimate.asked(IsReady, 2.0)
    estimate.asked(Go, 3.0)
    estimate.answered(IsReady, 10.0)
    assert estimate.least == 8.0
    estimate.answered(Go, 8.0)
    assert estimate.least == 7.0
    estimate.answered(Go, 8.0)
    assert estimate.least == 5.0
    estimate.answered(Go, 3.0)
    assert estimate.least == 5.0


def test_an_answer_with_unknown_arrival_is_not_measured() -> None:
    estimate = RoundTripEstimate()
    estimate.asked(Go, 1.0)
    estimate.asked(Go, 3.0)
    estimate.answered(Go, None)
    assert estimate.least is None
    estimate.answered(Go, 7.0)
    assert estimate.least == 4.0


def test_unanswered_questions_are_bounded() -> None:
    estimate = RoundTripEstimate()
    for at in range(10 * MAX_PENDING):
        estimate.asked(IsReady, float(at))
    estimate.answered(IsReady, 10.0 * MAX_PENDING)
    assert estimate.least == MAX_PENDING


def test_kinds_of_questions_are_measured_independently() -> None:
    estimate = RoundTripEstimate()
    for at in range(10 * MAX_PENDING):
        estimate.asked(Go, float(at))
    estimate.asked(IsReady, 500.0)
    estimate.answered(IsReady, 500.5)
    assert estimate.least == 0.5


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


async def test_readyok_measures_the_round_trip(mock_clock: MockClock) -> None:
    async with met() as ends:
        assert ends[0].round_trip() is None
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.08)
        assert ends[0].round_trip() == pytest.approx(0.08)


async def test_a_faster_move_lowers_the_estimate(
    mock_clock: MockClock,
) -> None:
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.5)
        for seconds, known in ((2.0, 0.5), (0.1, 0.1), (3.0, 0.1)):
            await exchange(ends, Go(wtime=1000), BestMove("e2e4"), mock_clock, seconds)
            assert ends[0].round_trip() == pytest.approx(known)


async def test_slow_answers_never_raise_the_estimate(
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


async def test_reads_as_late_as_after_a_stall_measure_nothing(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryPeer, "_read", partialmethod(MemoryPeer._read, late=0.3))
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.35)
        assert ends[0].round_trip() is None


async def test_lateness_is_no_part_of_the_round_trip(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryPeer, "_read", partialmethod(MemoryPeer._read, late=0.1))
    async with met() as ends:
        await exchange(ends, IsReady(), ReadyOk(), mock_clock, 0.15)
        assert ends[0].round_trip() == pytest.approx(0.05)


async def test_behind_a_proxy_the_systems_value_is_ignored() -> None:
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


@pytest.fixture
async def looking(mock_clock: trio.testing.MockClock) -> StallDetector:
    return StallDetector()


def wait(mock_clock: trio.testing.MockClock, looking: StallDetector, *seconds: float) -> None:
    """Look after each of these."""
    for pause in seconds:
        mock_clock.jump(pause)
        looking.after_io_wait(0)


async def test_frequent_polls_are_no_stall(mock_clock, looking) -> None:
    wait(mock_clock, looking, *[PULSE] * 20)
    assert looking.stall(trio.current_time()) == 0


async def test_a_busy_moment_is_no_stall(mock_clock, looking) -> None:
    wait(mock_clock, looking, PULSE, STALL - 0.001)
    assert looking.stall(trio.current_time()) == 0


async def test_input_after_a_stall_may_have_waited_for_all_of_it(mock_clock, looking) -> None:
    wait(mock_clock, looking, PULSE, 3.0)
    assert looking.stall(trio.current_time()) == pytest.approx(3.0)


async def test_only_the_first_polls_after_a_stall_count_for_it(mock_clock, looking) -> None:
    wait(mock_clock, looking, PULSE, 3.0)
    for look in range(1, LOOKS):
        wait(mock_clock, looking, 0.001)
        assert looking.stall(trio.current_time()) == pytest.approx(3.0 + look * 0.001)
    wait(mock_clock, looking, 0.001)
    assert looking.stall(trio.current_time()) == 0


async def test_of_two_consecutive_stalls_the_first_counts(mock_clock, looking) -> None:
    wait(mock_clock, looking, PULSE, 3.0, 1.0)
    assert looking.stall(trio.current_time()) == pytest.approx(4.0)


async def test_input_found_before_a_stall_and_read_after_it_waited_for_all_of_it(
    mock_clock, looking
) -> None:
    wait(mock_clock, looking, PULSE)
    mock_clock.jump(3.0)
    assert looking.stall(trio.current_time()) == pytest.approx(3.0)


async def test_a_permanently_slow_loop_credits_its_last_polls_only(mock_clock, looking) -> None:
    wait(mock_clock, looking, *[2 * STALL] * 100)
    assert looking.stall(trio.current_time()) == pytest.approx(2 * STALL * LOOKS)


async def test_without_a_detector_there_is_no_stall(mock_clock) -> None:
    mock_clock.jump(100)
    assert stall(trio.current_time()) == 0


async def test_a_blocked_loop_measures_its_stall(mock_clock) -> None:
    detect_stalls()
    await trio.lowlevel.checkpoint()
    mock_clock.jump(3.0)
    await trio.lowlevel.checkpoint()
    assert stall(trio.current_time()) == pytest.approx(3.0)
    for _ in range(LOOKS):
        await trio.lowlevel.checkpoint()
    assert stall(trio.current_time()) == 0
