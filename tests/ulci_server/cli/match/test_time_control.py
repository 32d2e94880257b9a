"""Time controls as testers write them."""

import pytest

from ulci_server.cli.match import MatchError, label
from ulci_server.cli.match.time_control import read_clock, read_move_time
from ulci_server.game import (
    Bonus,
    ByoYomi,
    Correspondence,
    Hourglass,
    Limit,
    Stage,
    Staged,
)


def staged(base: int, amount: int = 0, moves: int | None = None) -> Staged:
    return Staged((Stage(base, amount, moves=moves),))


READ = [
    ("60+0.6", staged(60_000, 600), "60+0.6"),
    ("10", staged(10_000), "10"),
    ("0.2+0.01", staged(200, 10), "0.2+0.01"),
    ("0.2+0.002s", staged(200, 2), "0.2+0.002"),
    ("0.02s", staged(20), "0.02"),
    (".5+.05", staged(500, 50), "0.5+0.05"),
    ("5.+1.", staged(5_000, 1_000), "5+1"),
    ("1:30+0.5", staged(90_000, 500), "90+0.5"),
    ("40/1:9.65+0.1", staged(69_650, 100, 40), "40/69.65+0.1"),
    ("40/60", staged(60_000, 0, 40), "40/60"),
    ("inf/60+1", staged(60_000, 1_000), "60+1"),
    ("1.00049+0.0101", staged(1_000, 10), "1+0.01"),
    ("0+0.1", staged(100, 100), "0.1+0.1"),
    ("60hg", Hourglass(60_000), "60hg"),
    ("60h", Hourglass(60_000), "60hg"),
    ("600/5x30", ByoYomi(600_000, 5, 30_000), "600/5x30"),
    ("60d2", Staged((Stage(60_000, 2_000, Bonus.DELAY),)), "60d2"),
    ("3days", Correspondence(3), "3days"),
]


@pytest.mark.parametrize(("text", "control", "shown"), READ)
def test_a_clock_is_read_and_shown(text, control, shown) -> None:
    assert read_clock(text) == control
    assert label(control) == shown


@pytest.mark.parametrize("text", ["inf", "infinite", "0+0", "10/0+0", "0.0004"])
def test_no_time_at_all_is_no_clock(text: str) -> None:
    assert read_clock(text) is None


MALFORMED = ["", "40/", "10+", "1:", "1:2:3", "10/1junk", "10/1ss", "10/-1", "0/1", "-1", "1+1+1"]


@pytest.mark.parametrize("text", [*MALFORMED, "999999999999", "9" * 5000, "1e3", "1001/60", "²"])
def test_what_is_no_clock_is_refused(text: str) -> None:
    with pytest.raises(MatchError, match=r"^Invalid time control: "):
        read_clock(text)


def test_a_time_that_no_clock_has_is_refused_with_the_bounds() -> None:
    with pytest.raises(MatchError, match=r'"9999999"; expected a time above 0 in seconds from'):
        read_clock("9999999")


def test_a_move_may_have_a_fixed_time() -> None:
    assert (read_move_time("5"), read_move_time("0.25s"), read_move_time("0")) == (5000, 250, None)
    for text in ("", "x", "1+1", "-1", "9" * 30):
        with pytest.raises(MatchError, match=r"^Invalid time"):
            read_move_time(text)


@pytest.mark.parametrize(
    ("control", "shown"),
    [
        (Limit("movetime", 250), "0.25/move"),
        (Limit("depth", 7), "7 plies"),
        (Limit("nodes", 5000), "5000 nodes"),
    ],
)
def test_limits_are_shown_as_what_they_are(control, shown) -> None:
    assert label(control) == shown
