"""Who is away, and how long the game waits for it."""

import math

import pytest

from tests.support.driver import B, W
from ulci_server.game.presence import Presence
from ulci_server.game.time_control import Controls
from ulci_server.game.timeouts import grace


@pytest.fixture
def presence() -> Presence:
    return Presence((60.0, 30.0))


def test_nobody_is_away_at_first(presence: Presence) -> None:
    assert presence.here(W)
    assert not presence.gone
    assert presence.deadline(clock_decides=False) == math.inf


@pytest.mark.parametrize("clock_decides", [True, False])
def test_one_who_is_away_may_come_back_within_its_own_grace(
    presence: Presence, clock_decides: bool
) -> None:
    presence.away(B, 10.0)
    assert not presence.here(B)
    assert presence.here(W)
    assert [*presence.gone] == [B]
    assert presence.grace(B) == 30.0
    assert presence.why(B) == "did not come back within 30 s"
    assert presence.deadline(clock_decides=clock_decides) == 40.0


def test_one_who_left_has_no_grace(presence: Presence) -> None:
    presence.left(W, 10.0, "quit")
    assert presence.why(W) == "left: quit"
    assert presence.deadline(clock_decides=True) == 10.0


def test_who_is_back_was_never_away(presence: Presence) -> None:
    presence.away(W, 10.0)
    presence.back(W)
    presence.back(B)
    assert not presence.gone


def test_when_both_are_gone_the_clock_decides(presence: Presence) -> None:
    presence.away(W, 10.0)
    presence.away(B, 20.0)
    assert presence.deadline(clock_decides=True) == math.inf


def test_when_both_are_gone_and_there_is_no_clock_the_longer_grace_does(presence: Presence) -> None:
    presence.away(W, 10.0)
    presence.away(B, 20.0)
    assert presence.deadline(clock_decides=False) == 70.0


def test_who_is_back_within_the_others_sight_has_what_is_left_of_its_grace(
    presence: Presence,
) -> None:
    presence.away(W, 10.0)
    assert presence.left_for(W, 25.0) == 45.0
    assert presence.left_for(W, 99.0) == 0.0


def test_who_tries_has_its_grace_anew_three_times_at_most(presence: Presence) -> None:
    presence.away(B, 10.0)
    for at, until in [(30.0, 60.0), (60.0, 90.0), (90.0, 100.0)]:
        assert presence.tried(B, at)
        assert presence.deadline(clock_decides=True) == until
    assert not presence.tried(B, 95.0)


def test_who_left_for_good_tries_in_vain(presence: Presence) -> None:
    presence.left(B, 10.0, "quit")
    assert not presence.tried(B, 20.0)
    assert presence.deadline(clock_decides=True) == 10.0


# By time control


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        ("300+3", 60.0),
        ("60", 12.0),
        ("60+1", 20.0),
        ("1+0.01", 10.0),
        ("15", 10.0),
        ("40/5400+30:900+30", 60.0),
        ("10/3x5", 45.0),
        ("60h", 24.0),
        ("3days", math.inf),
        ("depth=8", 60.0),
        ("movetime=1000", 60.0),
        ("inf", 60.0),
    ],
)
def test_the_grace_is_a_share_of_the_game_and_never_less_than_it_takes_to_dial(
    control: str, seconds: float
) -> None:
    assert grace(Controls.parse(control).white, 60.0) == seconds


def test_a_server_may_be_less_patient_than_ten_seconds() -> None:
    assert grace(Controls.parse("300").white, 5.0) == 5.0


# Who decides itself


@pytest.fixture
def patient() -> Presence:
    """White decides itself what becomes of Black's absence."""
    return Presence((60.0, 30.0), (True, False))


def test_who_may_decide_is_told_once_that_the_game_may_be_claimed(patient: Presence) -> None:
    patient.away(B, 10.0)
    assert not patient.claimable(B, 39.9)
    assert patient.tell(39.9) is None
    assert patient.claimable(B, 40.0)
    assert patient.tell(40.0) is B
    assert patient.tell(50.0) is None
    assert patient.deadline(clock_decides=True) == math.inf
    assert patient.claimable(B, 99.0)


def test_who_went_again_is_told_of_again(patient: Presence) -> None:
    patient.away(B, 10.0)
    patient.tell(40.0)
    patient.back(B)
    assert not patient.claimable(B, 50.0)
    patient.away(B, 60.0)
    assert patient.deadline(clock_decides=True) == 90.0
    assert patient.tell(90.0) is B


def test_for_who_cannot_decide_the_absence_does(patient: Presence) -> None:
    patient.away(W, 10.0)
    assert patient.tell(99.0) is None
    assert patient.deadline(clock_decides=True) == 70.0


def test_who_left_for_good_leaves_nothing_to_decide(patient: Presence) -> None:
    patient.left(B, 10.0, "quit")
    assert patient.tell(10.0) is None


def test_nobody_is_told_when_both_are_gone(patient: Presence) -> None:
    patient.away(B, 10.0)
    patient.away(W, 11.0)
    assert patient.tell(99.0) is None


# Whose clock stands


def test_a_clock_stands_for_the_grace_of_who_was_cut_off(presence: Presence) -> None:
    presence.away(B, 10.0)
    assert presence.stands_until(B) == 40.0


def test_a_clock_of_days_does_not_stand() -> None:
    presence = Presence((math.inf, math.inf))
    presence.away(W, 10.0)
    assert presence.stands_until(W) == 10.0
