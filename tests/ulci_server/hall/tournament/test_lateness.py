"""Who lets an opponent wait pays for it."""

import pytest

from ulci_server.game import Controls
from ulci_server.hall.tournament.lateness import LEAST, Lateness, charged


def test_who_is_waited_for_too_long_is_too_late() -> None:
    lateness = Lateness(60)
    assert not lateness.wait(1, {7}, 100)
    assert lateness.due(1) == 160
    assert not lateness.wait(1, {7}, 159)
    assert lateness.wait(1, {7}, 160)


def test_the_late_one_alone_pays() -> None:
    lateness = Lateness(60)
    lateness.wait(1, {7}, 100)
    assert lateness.costs(1, (7, 8), 130) == (30, 0)
    assert lateness.costs(1, (7, 8), 140) == (0, 0), "it is forgotten"


def test_while_both_are_absent_neither_pays() -> None:
    lateness = Lateness(60)
    lateness.wait(1, {7, 8}, 100)
    lateness.wait(1, {8}, 110)
    lateness.wait(1, set(), 130)
    assert lateness.costs(1, (7, 8), 130) == (0, 20)


def test_who_was_here_in_time_does_not_pay_for_the_other_one() -> None:
    lateness = Lateness(60)
    lateness.wait(1, {7}, 100)
    lateness.wait(1, {8}, 110)
    assert lateness.costs(1, (7, 8), 130) == (0, 10)


def test_a_pairing_that_is_decided_waits_for_nobody() -> None:
    lateness = Lateness(60)
    lateness.wait(1, {7}, 100)
    lateness.forget(1)
    assert lateness.due(1) is None


@pytest.mark.parametrize(
    ("control", "costs", "begins"),
    [
        ("60+1", (20, 0), "40+1|60+1"),
        ("60+1", (0, 0), "60+1"),
        ("60+1", (0, 100), f"60+1|{LEAST // 1000}+1"),
        ("40/60:30+1", (20, 0), "40/40:30+1|40/60:30+1"),
        ("60/3x10", (0, 20), "60/3x10|40/3x10"),
        ("60h", (20, 0), "60h"),
        ("nodes=50", (20, 0), "nodes=50"),
        ("3days", (20, 0), "3days"),
    ],
)
def test_the_clock_of_the_late_one_begins_with_less(
    control: str, costs: tuple[float, float], begins: str
) -> None:
    assert str(charged(Controls.parse(control), costs)) == begins
