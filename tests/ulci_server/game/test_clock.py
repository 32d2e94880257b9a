"""Both clocks together: who runs, until when, and what is told."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.driver import B, W
from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Go
from ulci_server.game import Clock, Controls, LagQuota, LagRule
from ulci_server.game.clock import Pressed
from ulci_server.game.lag import LagAccount


def clock(control: str) -> Clock:
    return Clock(Controls.parse(control))


def giving(control: str, full: int = 1_000) -> Clock:
    """A clock that gives back what was lost in the network, from a quota of `full` ms."""
    return Clock(Controls.parse(control), lag=LagAccount(LagRule.QUOTA, LagQuota(full, 100)))


def test_a_clock_runs_only_between_start_and_press() -> None:
    both = clock("300+3")
    assert both.running is None
    assert both.deadline == math.inf
    both.start(W, 10.0)
    assert both.running is W
    assert both.deadline == 310.0
    assert both.press(W, 12.5) == Pressed(spent=2_500, left=300_500)
    assert both.running is None
    assert both.deadline == math.inf


def test_time_spent_is_rounded_down() -> None:
    both = clock("300")
    both.start(W, 0.0)
    assert both.press(W, 1.2349).spent == 1_234


def test_a_move_that_was_read_before_its_clock_was_started_is_free() -> None:
    both = clock("300")
    both.start(W, 5.0)
    assert both.press(W, 4.0) == Pressed(0, 300_000)
    assert both.press(B, 9.0) == Pressed(0, 300_000)


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
    assert both.press(W, 101.0) == Pressed(5_000, 5_000, held=96_000)


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
    assert both.press(B, 9.0) == Pressed(9_000, None)


def test_movetime_asked_again_is_what_is_left_of_it_for_its_own_side_only() -> None:
    both = clock("movetime=1000")
    both.start(W, 0.0)
    assert both.go(W, 0.4) == Go(movetime=600)
    assert both.go(B, 0.4) == Go(movetime=1_000)
    assert both.deadline == 1.5


@pytest.mark.parametrize(
    ("control", "allowed"),
    [("60+1", 60_000), ("60d2", 62_000), ("60/3x5", 75_000), ("movetime=500", 700), ("inf", None)],
)
def test_how_long_a_side_may_think_is_known_of_both(control: str, allowed: int | None) -> None:
    both = Clock(Controls.parse(control), margin=200)
    both.start(W, 0.0)
    assert (both.allowed(W), both.allowed(B)) == (allowed, allowed)


def test_no_clock_shows_less_than_nothing() -> None:
    both = clock("1")
    both.start(W, 0.0)
    assert both.left(W, 2.0) == 0


def test_the_sand_of_an_hourglass_is_seen_running() -> None:
    both = clock("60h")
    both.start(W, 0.0)
    assert both.told(10.0) == ClockTold(50_000, 70_000)
    assert both.press(W, 10.0) == Pressed(10_000, 50_000)
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
            assert (pressed.left, shown) == (None, None)
        else:
            assert pressed.spent <= before
            assert shown == before - pressed.spent >= 0
            assert pressed.left is not None
            assert pressed.left >= shown  # what is added is never negative
        left[side] = pressed.left
        if "h" in control:
            left[side.other] += pressed.spent  # type: ignore[operator]
        side = side.other
        assert both.left(side, at) == left[side]


# What is given back


def test_the_round_trip_is_given_back_and_the_flag_falls_that_much_later() -> None:
    both = giving("10")
    both.start(W, 0.0, (0.25, None))
    assert both.deadline == 10.25
    assert both.press(W, 4.0) == Pressed(4_000, 6_250, lag=250)
    both.start(B, 4.0, (0.25, None))
    assert both.deadline == 14.0
    assert both.press(B, 6.0) == Pressed(2_000, 8_000)


def test_never_more_is_given_back_than_was_spent() -> None:
    both = giving("10+1")
    both.start(W, 0.0, (0.8, None))
    assert both.press(W, 0.3) == Pressed(300, 11_000, lag=300)


def test_a_move_at_the_last_moment_of_what_is_given_back_leaves_nothing() -> None:
    both = giving("10")
    both.start(W, 0.0, (0.5, None))
    assert both.left(W, 10.5) == 0
    assert both.press(W, 10.5) == Pressed(10_500, 0, lag=500)


def test_what_is_given_back_comes_from_the_quota() -> None:
    both = giving("10", full=600)
    lags = []
    for at in (0.0, 1.0, 2.0):
        both.start(W, at, (0.5, None))
        lags.append(both.press(W, at + 1.0).lag)
    assert lags == [500, 200, 100]


def test_what_was_read_late_is_given_back_after_the_network_took_its_part() -> None:
    both = giving("10")
    both.start(W, 0.0, (0.25, None))
    assert both.press(W, 6.0, late=2.0) == Pressed(6_000, 6_250, lag=250, stall=2_000)


def test_a_move_that_came_in_time_and_was_read_after_the_flag_leaves_what_it_left() -> None:
    both = clock("10")
    both.start(W, 0.0)
    assert both.press(W, 61.0, late=51.5) == Pressed(61_000, 500, stall=51_500)


def test_a_move_that_had_come_before_its_clock_started_is_free_however_late_it_was_read() -> None:
    both = giving("10")
    both.start(W, 5.0, (0.25, None))
    assert both.press(W, 6.0, late=3.0) == Pressed(1_000, 10_000, stall=1_000)


def test_an_answer_that_was_no_move_gives_back_the_time_that_it_waited() -> None:
    both = clock("10")
    both.start(W, 0.0)
    both.excuse(31.0, 30.0)
    assert both.deadline == 40.0
    assert both.left(W, 31.0) == 9_000
    assert both.press(W, 32.0) == Pressed(32_000, 8_000, stall=30_000)


def test_of_many_answers_that_were_read_together_only_the_first_was_waited_for() -> None:
    both = clock("10")
    both.start(W, 0.0)
    for _ in range(1000):
        both.excuse(3.0, 1.0)
    both.excuse(3.5, 1.0)  # came at 2.5, when the first ones were still unread
    assert both.deadline == 11.5
    assert both.press(W, 3.5, late=1.0) == Pressed(3_500, 8_000, stall=1_500)


def test_what_was_late_before_the_clock_started_is_nobodys() -> None:
    both = clock("10")
    both.start(W, 5.0)
    both.excuse(6.0, 4.0)
    assert both.deadline == 16.0


@given(st.lists(st.tuples(st.floats(0, 2), st.floats(0, 5)), max_size=20), st.floats(0, 5))
def test_never_more_is_given_back_for_our_lateness_than_has_passed(
    answers: list[tuple[float, float]], late: float
) -> None:
    both, at = clock("100"), 0.0
    both.start(W, at)
    for pause, answer_late in answers:
        at += pause
        both.excuse(at, answer_late)
        assert both.left(W, at) <= 100_000
        assert both.deadline <= 100.0 + at + 1e-6
    pressed = both.press(W, at, late)
    assert 0 <= pressed.stall <= pressed.spent


@given(
    st.floats(0, 1e6),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 3), st.floats(0, 2)), max_size=20),
)
def test_left_is_what_was_left_without_what_was_spent_and_not_given_back(
    start: float, moves: list[tuple[float, float, float]]
) -> None:
    both, at, left = giving("20+1"), start, 20_000
    again = giving("20+1")
    for share, late, trip in moves:
        both.start(W, at, (trip, 0.0))
        came = min(both.deadline, at + share * (both.deadline - at))
        at = came + late
        if at - late > both.deadline:
            continue  # by a rounding of floats
        pressed = both.press(W, at, late)
        thought = pressed.spent - pressed.lag - pressed.stall
        assert pressed.left == left - thought + 1_000
        assert pressed.left >= 0
        assert 0 <= pressed.lag <= trip * 1000
        assert abs(pressed.stall - min(late * 1000, pressed.spent)) <= 1
        # The record is enough to press another clock in the same way.
        replayed = again.replay(W, pressed.spent, pressed.lag, pressed.stall)
        assert replayed == Pressed(pressed.spent, pressed.left, pressed.lag, pressed.stall)
        left = pressed.left


# What nobody's clock paid for


def test_the_time_between_two_questions_is_held_and_nobodys() -> None:
    both = clock("10")
    both.start(W, 0.0)
    assert both.press(W, 1.0).held == 0
    both.start(B, 3.5)
    assert both.press(B, 4.0).held == 2_500
    both.start(W, 4.0)
    both.halt(5.0)
    both.start(W, 9.0)
    assert both.press(W, 10.0) == Pressed(2_000, 7_000, held=4_000)


# Gifts


@pytest.mark.parametrize(
    ("control", "left"),
    [("60+1", 75_000), ("60d2", 77_000), ("60h", 75_000), ("10/3x5", 40_000), ("0/3x5", 30_000)],
)
def test_time_may_be_given_where_it_is_saved(control: str, left: int) -> None:
    both = clock(control)
    assert both.takes_gifts(B)
    both.give(B, 15_000)
    assert both.left(B, 0.0) == left


@pytest.mark.parametrize("control", ["3days", "depth=8", "movetime=1000", "inf"])
def test_who_saves_no_time_takes_no_gifts(control: str) -> None:
    assert not clock(control).takes_gifts(W)


def test_a_gift_puts_off_the_flag_of_a_clock_that_runs() -> None:
    both = clock("10")
    both.start(W, 0.0)
    both.give(W, 5_000)
    assert both.deadline == 15.0
    assert both.press(W, 12.0) == Pressed(12_000, 3_000)


# The server's own ends


def test_what_was_thought_before_a_pause_is_remembered() -> None:
    both = clock("10")
    both.remember(W, 4_000)
    assert both.running is None
    assert both.told(500.0) == ClockTold(6_000, 10_000)
    both.start(W, 500.0)
    assert both.deadline == 506.0
    assert both.press(W, 501.0) == Pressed(5_000, 5_000)


@pytest.mark.parametrize(
    ("control", "before", "more", "thought"),
    [
        ("10", 4_000, 1_500, 5_500),
        ("10", 4_000, 99_000, 9_999),
        ("10", 0, 10_000, 9_999),
        ("depth=8", 4_000, 99_000, 103_000),
        ("movetime=1000", 0, 9_000, 1_499),
        ("10", 0, -5, 0),
    ],
)
def test_no_flag_falls_while_nobody_looks(
    control: str, before: int, more: int, thought: int
) -> None:
    both = clock(control)
    both.remember(W, before)
    assert both.resume(W, 100.0, more) == thought
    assert both.thought(100.0) == thought
    both.start(W, 100.0)
    assert both.deadline > 100.0


def test_what_was_thought_about_a_move_that_is_not_to_be_made_is_forgotten() -> None:
    both = giving("10")
    both.start(W, 0.0, (0.5, None))
    both.take_back((0, 0))
    assert both.running is None
    both.start(W, 9.0)
    assert both.deadline == 19.0
    assert both.press(W, 10.0) == Pressed(1_000, 9_000)
