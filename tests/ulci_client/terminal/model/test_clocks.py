import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.protocol.messages import Clock, Go
from ulci.rules import Side
from ulci_client.terminal.model.clocks import DAY_MS, Clocks, clocks_said, in_minutes, shown

BOTH = Clocks((300_000, 60_000), (3_000, 2_000), Side.WHITE, 100.0)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0.0"),
        (99, "0.0"),
        (100, "0.1"),
        (9_999, "9.9"),
        (10_000, "0:10"),
        (59_999, "0:59"),
        (300_000, "5:00"),
        (3_599_999, "59:59"),
        (3_600_000, "1:00:00"),
        (DAY_MS, "1d 00:00"),
        (3 * DAY_MS - 1, "2d 23:59"),
    ],
)
def test_a_clock_never_shows_more_than_is_left(ms: int, text: str) -> None:
    assert shown(ms) == text


def test_only_the_running_clock_goes_down() -> None:
    assert BOTH.remaining(Side.WHITE, 101.5) == 298_500
    assert BOTH.remaining(Side.BLACK, 101.5) == 60_000


def test_a_clock_stops_at_zero() -> None:
    assert BOTH.remaining(Side.WHITE, 1_000.0) == 0
    assert BOTH.next_change(1_000.0) == math.inf


def test_a_pressed_clock_gets_its_increment_and_the_other_runs() -> None:
    after = BOTH.pressed(110.0)
    assert after.left == (293_000, 60_000)
    assert (after.running, after.at) == (Side.BLACK, 110.0)


def test_a_stopped_clock_does_not_change_any_more() -> None:
    stopped = BOTH.stopped(110.0)
    assert stopped.left == (290_000, 60_000)
    assert stopped.next_change(110.0) == math.inf
    assert stopped.pressed(120.0) is stopped


@given(st.integers(1, DAY_MS), st.floats(0, 20))
def test_the_next_change_is_the_first_moment_that_shows_something_else(
    left: int, passed: float
) -> None:
    clocks = Clocks((left, 0), (0, 0), Side.WHITE, 0.0)
    before = shown(clocks.remaining(Side.WHITE, passed))
    change = clocks.next_change(passed)
    if change == math.inf:
        assert clocks.remaining(Side.WHITE, passed) == 0
        return
    assert change > passed
    assert shown(clocks.remaining(Side.WHITE, max(passed, change - 0.002))) == before
    if clocks.remaining(Side.WHITE, change):
        assert shown(clocks.remaining(Side.WHITE, change)) != before


def test_a_game_without_times_has_no_clocks() -> None:
    assert clocks_said(Go(infinite=True), Side.WHITE, 0.0) is None
    assert clocks_said(Clock(), Side.WHITE, 0.0) is None


def test_clocks_are_what_the_arbiter_says() -> None:
    said = clocks_said(Clock(wtime=5, btime=6, winc=1), Side.BLACK, 7.0)
    assert said == Clocks((5, 6), (1, 0), Side.BLACK, 7.0)


@pytest.mark.parametrize(
    ("ms", "said"),
    [(0, "0:00"), (1, "0:01"), (30_000, "0:30"), (245_000, "4:05"), (5_400_000, "1:30:00")],
)
def test_a_duration_is_shown_in_minutes_and_rounded_up(ms: int, said: str) -> None:
    assert in_minutes(ms) == said
