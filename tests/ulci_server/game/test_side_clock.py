"""One side's time under each kind of control, move by move."""

import pytest

from ulci.protocol.messages import Go
from ulci.rules import Side
from ulci_server.game import Controls
from ulci_server.game.side_clock import MARGIN, SideClock, side_clock


def half(control: str) -> SideClock:
    return side_clock(Controls.parse(control)[Side.WHITE])


def lefts(control: str, *spents: int) -> list[int | None]:
    """What is left at first and after moves of so many ms."""
    clock = half(control)
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
