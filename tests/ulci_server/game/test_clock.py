"""Both clocks together: who runs, until when, and what is told."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.driver import B, W
from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Go
from ulci_server.game import Clock, Controls, Pressed


def clock(control: str) -> Clock:
    return Clock(Controls.parse(control))


def test_a_clock_runs_only_between_start_and_press() -> None:
    both = clock("300+3")
    assert both.running is None
    assert both.deadline == math.inf
    both.start(W, 10.0)
    assert both.running is W
    assert both.deadline == 310.0
    assert both.press(W, 12.5) == Pressed(spent=2_500, added=3_000, left=300_500)
    assert both.running is None
    assert both.deadline == math.inf


def test_time_spent_is_rounded_down() -> None:
    both = clock("300")
    both.start(W, 0.0)
    assert both.press(W, 1.2349).spent == 1_234


def test_a_move_that_was_read_before_its_clock_was_started_is_free() -> None:
    both = clock("300")
    both.start(W, 5.0)
    assert both.press(W, 4.0) == Pressed(0, 0, 300_000)
    assert both.press(B, 9.0) == Pressed(0, 0, 300_000)


def test_starting_the_other_side_forgets_what_this_one_thought() -> None:
    both = clock("300")
    both.start(W, 0.0)
    both.start(B, 5.0)
    assert both.press(B, 6.0).spent == 1_000


def test_a_halted_clock_stands_and_goes_on_without_losing_a_moment() -> None:
    both = clock("10")
    both.start(W, 0.0)
    both.halt(4.0)
    assert both.running is None
    assert both.deadline == math.inf
    assert both.left(W, 100.0) == 6_000
    both.start(W, 100.0)
    assert both.deadline == 106.0
    assert both.press(W, 101.0) == Pressed(5_000, 0, 5_000)


def test_a_halted_clock_is_pressed_with_what_was_thought_before() -> None:
    both = clock("10")
    both.start(W, 0.0)
    both.halt(4.0)
    assert both.press(W, 4.0).spent == 4_000


def test_many_short_halts_give_no_time_away() -> None:
    both = clock("10")
    for step in range(1000):
        both.start(W, step * 0.0005)
        both.halt((step + 1) * 0.0005)
    assert both.press(W, 1.0).spent in (499, 500)  # floats, but not a floor for each


def test_go_tells_both_clocks_as_they_stand() -> None:
    both = clock("40/300+2|60+1")
    both.start(W, 0.0)
    assert both.go(W, 1.25) == Go(298_750, 60_000, 2_000, 1_000, movestogo=40)
    assert both.told(1.25) == ClockTold(298_750, 60_000, 2_000, 1_000)
    both.press(W, 2.0)
    assert both.go(B, 7.0) == Go(300_000, 60_000, 2_000, 1_000)


def test_an_increment_of_nothing_is_not_told() -> None:
    assert clock("300").go(W, 0.0) == Go(wtime=300_000, btime=300_000)


def test_a_side_without_a_clock_is_told_its_limit_and_its_opponent_only_his_own_time() -> None:
    both = clock("60|depth=3")
    assert both.go(W, 0.0) == Go(wtime=60_000)
    assert both.go(B, 0.0) == Go(depth=3)
    assert both.told(0.0) == ClockTold(wtime=60_000)
    both.start(B, 0.0)
    assert both.press(B, 9.0) == Pressed(9_000, 0, None)


def test_movetime_asked_again_is_what_is_left_of_it_for_its_own_side_only() -> None:
    both = clock("movetime=1000")
    both.start(W, 0.0)
    assert both.go(W, 0.4) == Go(movetime=600)
    assert both.go(B, 0.4) == Go(movetime=1_000)
    assert both.deadline == 1.5


def test_no_clock_shows_less_than_nothing() -> None:
    both = clock("1")
    both.start(W, 0.0)
    assert both.left(W, 2.0) == 0


def test_the_sand_of_an_hourglass_is_seen_running() -> None:
    both = clock("60h")
    both.start(W, 0.0)
    assert both.told(10.0) == ClockTold(50_000, 70_000)
    assert both.press(W, 10.0) == Pressed(10_000, 0, 50_000)
    both.start(B, 10.0)
    assert both.deadline == 80.0


@pytest.mark.parametrize(("control", "has"), [("movetime=1", True), ("60", True), ("inf", False)])
def test_who_can_lose_on_time(control: str, has: bool) -> None:
    assert clock(control).has_flag(W) is has


KINDS = [
    "5+1",
    "3/2+0.5:1",
    "2d1",
    "2b1",
    "1/3x2",
    "0/2x1",
    "4h",
    "1day",
    "5+1|2d1",
    "4|movetime=900",
]


@given(
    st.sampled_from(KINDS),
    st.floats(0, 1e7),
    st.lists(st.floats(0, 1, exclude_min=True), max_size=30),
)
def test_left_spent_and_added_sum_up_and_the_deadline_is_exact(
    control: str, start: float, thoughts: list[float]
) -> None:
    both = clock(control)
    at = start
    side = W
    left = {each: both.left(each, at) for each in (W, B)}
    for thought in thoughts:
        both.start(side, at)
        assert both.deadline >= at
        # Any moment up to the deadline, the deadline itself included.
        moment = both.deadline if thought == 1 else at + thought * (both.deadline - at)
        at = min(moment, both.deadline)
        shown = both.left(side, at)
        pressed = both.press(side, at)
        before = left[side]
        if before is None:
            assert (pressed.added, pressed.left, shown) == (0, None, None)
        else:
            assert pressed.spent <= before
            assert pressed.added >= 0
            assert pressed.left == before - pressed.spent + pressed.added >= 0
            assert shown == before - pressed.spent
        left[side] = pressed.left
        if "h" in control:
            left[side.other] += pressed.spent  # type: ignore[operator]
        side = side.other
        assert both.left(side, at) == left[side]
