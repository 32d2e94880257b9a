"""One side's time under each kind of control, move by move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.protocol.messages import Go
from ulci.rules import Side
from ulci_server.game import Controls
from ulci_server.game.side_clock import LEAST_LEFT, MARGIN, SideClock, side_clock


def half(control: str, margin: int = 0) -> SideClock:
    return side_clock(Controls.parse(control)[Side.WHITE], lenient=margin)


def lefts(control: str, *spents: int, margin: int = 0) -> list[int | None]:
    """What is left at first and after moves of so many ms."""
    clock = half(control, margin)
    row = [clock.left]
    for spent in spents:
        clock.pay(spent)
        row.append(clock.left)
    return row


@pytest.mark.parametrize(
    ("control", "spents", "expected"),
    [
        ("60", [1_000, 59_000], [60_000, 59_000, 0]),
        ("60+2", [1_000, 2_000, 61_000], [60_000, 61_000, 61_000, 2_000]),
        # A session brings its base again, and what was saved stays.
        ("2/60+1", [10_000, 10_000, 0], [60_000, 51_000, 102_000, 103_000]),
        ("1/60:1/30+5:10d4", [1_000, 1_000, 6_000], [60_000, 89_000, 107_000, 105_000]),
        ("1/60d5:30d5", [6_000, 5_000], [65_000, 94_000, 94_000]),
        # Less than the delay costs nothing, more only what is over it.
        ("60d2", [1_999, 2_000, 2_001, 61_999], [62_000, 62_000, 62_000, 61_999, 2_000]),
        ("0d10", [10_000, 4_000], [10_000, 10_000, 10_000]),
        # Given back after the move, so not there while it lasts.
        ("60b2", [1_999, 2_000, 2_001, 59_999], [60_000, 60_000, 60_000, 59_999, 2_000]),
        ("60h", [1_000, 59_000], [60_000, 59_000, 0]),
        ("2days", [1_000, 172_800_000], [172_800_000] * 3),
        ("depth=8", [9_999], [None, None]),
        ("movetime=1000", [1_400], [None, None]),
    ],
)
def test_what_is_left(control: str, spents: list[int], expected: list[int | None]) -> None:
    assert lefts(control, *spents) == expected


@pytest.mark.parametrize(
    ("control", "spents", "expected"),
    [
        ("10+2", [1_000, 11_500, 2_999, 500], [10_000, 11_000, 2_001, 2_001, 3_501]),
        ("1", [1_050, 50], [1_000, 1, 1]),
        ("2/1", [400, 650, 1_001], [1_000, 600, 1_001, 1]),
        ("1d2", [3_500], [3_000, 2_001]),
        ("1/2x5", [11_400, 5_400], [11_000, 5_000, 5_000]),
        ("60h", [60_500], [60_000, 1]),
        ("depth=8", [9_999], [None, None]),
    ],
)
def test_who_oversteps_the_clock_within_its_margin_has_paid_all_but_a_millisecond(
    control: str, spents: list[int], expected: list[int | None]
) -> None:
    assert lefts(control, *spents, margin=500) == expected


@pytest.mark.parametrize(
    ("control", "allowed"), [("10+2", 10_050), ("movetime=1000", 1_050), ("depth=8", None)]
)
def test_a_margin_comes_on_top_of_what_is_left(control: str, allowed: int | None) -> None:
    assert half(control, 50).allowed == allowed


def test_a_clock_with_a_margin_does_all_that_another_does() -> None:
    clock, other = half("10+2", 50), half("10+2")
    for each in (clock, other):
        each.pay(3_000)
        each.give(1_000)
        each.pay(3_000)
        each.take_back(1)
    assert (clock.left, clock.increment, clock.saves) == (other.left, other.increment, True)
    assert clock.allowed == (other.allowed or 0) + 50
    sand = half("60h", 50)
    sand.gain(1_000)
    assert (sand.left, sand.waiting(500), sand.gains) == (61_000, 61_500, True)
    assert half("movetime=1000", 50).limits(0) == Go(movetime=1000)


def test_a_period_is_lost_only_when_it_is_used_up() -> None:
    # 10 s, then 3 x 5 s: the bank, a period just kept, one just lost, and all but the last at once.
    assert lefts("10/3x5", 4_000, 11_000, 5_001) == [25_000, 21_000, 15_000, 10_000]
    assert lefts("10/3x5", 25_000) == [25_000, 5_000]


def test_an_engine_in_byo_yomi_is_told_that_its_periods_are_for_as_many_moves() -> None:
    clock = half("10/3x5")
    assert clock.moves_to_go is None
    clock.pay(10_000)
    assert clock.moves_to_go == 3
    clock.pay(5_001)
    assert clock.moves_to_go == 2


def test_moves_to_go_count_down_to_the_next_session() -> None:
    clock = half("2/60:1/30:20")
    seen = [clock.moves_to_go]
    for _ in range(4):
        clock.pay(0)
        seen.append(clock.moves_to_go)
    assert seen == [2, 1, 1, None, None]


def test_the_last_session_repeats_if_it_has_a_number_of_moves() -> None:
    assert lefts("1/5:2/3", 0, 0, 0, 0, 0) == [5_000, 8_000, 8_000, 11_000, 11_000, 14_000]


def test_correspondence_is_always_one_move_for_its_time() -> None:
    assert half("3days").moves_to_go == 1


def test_an_hourglass_gains_what_the_opponent_spends_already_while_he_does() -> None:
    clock = half("60h")
    assert clock.waiting(5_000) == 65_000
    clock.gain(5_000)
    assert clock.left == 65_000


@pytest.mark.parametrize("control", ["60+2", "10/3x5", "3days", "depth=8"])
def test_every_other_clock_stands_while_the_opponent_thinks(control: str) -> None:
    clock = half(control)
    before = clock.left
    assert clock.waiting(5_000) == before
    clock.gain(5_000)
    assert clock.left == before


@pytest.mark.parametrize(
    ("control", "go"),
    [
        ("depth=8", Go(depth=8)),
        ("nodes=10000", Go(nodes=10_000)),
        ("mate=3", Go(mate=3)),
        ("inf", Go(infinite=True)),
        ("movetime=1000", Go(movetime=1_000)),
    ],
)
def test_what_is_no_clock_says_just_its_limit(control: str, go: Go) -> None:
    clock = half(control)
    assert clock.limits(0) == go
    assert clock.increment == 0
    assert clock.moves_to_go is None


def test_only_of_movetime_is_less_left_later() -> None:
    assert half("movetime=1000").limits(400) == Go(movetime=600)
    assert half("movetime=1000").limits(1_400) == Go(movetime=1)
    assert half("nodes=1000").limits(400) == Go(nodes=1_000)


def test_a_clock_has_no_limits_to_say() -> None:
    with pytest.raises(NotImplementedError):
        half("60").limits(0)


@pytest.mark.parametrize(
    ("control", "allowed"),
    [
        ("60+2", 60_000),
        ("60d2", 62_000),
        ("60b2", 60_000),
        ("10/3x5", 25_000),
        ("60h", 60_000),
        ("1day", 86_400_000),
        ("movetime=1000", 1_000 + MARGIN),
        ("depth=8", None),
        ("nodes=8", None),
        ("mate=8", None),
        ("inf", None),
    ],
)
def test_when_the_flag_of_the_first_move_falls(control: str, allowed: int | None) -> None:
    assert half(control).allowed == allowed


# Takebacks


def undone(control: str, spents: list[int], moves: int) -> SideClock:
    clock = half(control)
    for spent in spents:
        clock.pay(spent)
    clock.take_back(moves)
    return clock


@pytest.mark.parametrize(
    ("control", "spents", "moves", "left"),
    [
        ("60+10", [1_000], 0, 69_000),
        ("60+10", [1_000], 1, 59_000),
        ("60+10", [1_000, 2_000], 1, 67_000),
        ("60+10", [1_000, 2_000], 2, 57_000),
        # A session that the moves began has not begun.
        ("3/20", [1_000] * 3, 1, 17_000),
        ("3/20", [1_000] * 4, 1, 36_000),
        ("3/20", [1_000] * 4, 2, 16_000),
        ("1/20+5:1/30d4:40", [1_000] * 3, 2, 53_000 + 4_000),
        # What the clock waited or gave back was not used.
        ("60d2", [5_000, 1_000], 2, 59_000),
        ("60b2", [5_000, 1_000], 2, 57_000),
        ("10/3x5", [11_000], 1, 15_000),
        ("10/3x5", [16_000], 1, 10_000),
        ("60h", [1_000], 1, 59_000),
        ("2days", [1_000], 1, 172_800_000),
        ("depth=8", [1_000], 1, None),
        # The moves used more than there was before them.
        ("20+10", [19_000, 10_000], 2, 10_000),
        ("5+10", [4_000, 10_000], 2, 5_000),
        ("10+0.1", [9_000], 1, 1_100),
    ],
)
def test_what_is_left_when_moves_are_taken_back(
    control: str, spents: list[int], moves: int, left: int | None
) -> None:
    clock = undone(control, spents, moves)
    assert clock.left == left
    if left is not None:
        assert clock.allowed == left


@pytest.mark.parametrize(
    ("spents", "moves", "to_go"), [([0] * 3, 1, 1), ([0] * 5, 2, 3), ([0] * 5, 5, 3), ([0], 1, 3)]
)
def test_moves_to_go_are_those_of_before(spents: list[int], moves: int, to_go: int) -> None:
    assert undone("3/20:3/10", spents, moves).moves_to_go == to_go


def test_a_gift_stays_when_moves_are_taken_back() -> None:
    clock = half("60+10")
    clock.pay(1_000)
    clock.give(5_000)
    clock.pay(1_000)
    clock.take_back(2)
    assert clock.left == 63_000


SPENT = st.integers(0, 30_000)


@given(
    control=st.sampled_from(["60+10", "3/20+2", "1/20b5:2/30+1:40+3", "300"]),
    deeds=st.lists(st.one_of(SPENT, st.sampled_from([-1, -2, -3])), max_size=30),
)
def test_no_takeback_gains_time_or_leaves_a_clock_that_has_run_out(
    control: str, deeds: list[int]
) -> None:
    """A deed below 0 takes so many moves back."""
    clock = half(control)
    before: list[int] = []
    for deed in deeds:
        left = clock.left
        assert left is not None
        if deed >= 0:
            before.append(left)
            clock.pay(min(deed, left))
        elif (moves := min(-deed, len(before))) > 0:
            clock.take_back(moves)
            shown = left
            had = before[-moves]
            del before[-moves:]
            assert clock.left is not None
            assert min(had, shown, LEAST_LEFT) <= clock.left <= min(had, shown)
