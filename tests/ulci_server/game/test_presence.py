"""Who is away, and how long the game waits for it."""

import math

import pytest

from tests.support.driver import B, W
from ulci_server.game.presence import Presence


@pytest.fixture
def presence() -> Presence:
    return Presence((60.0, 30.0))


def test_nobody_is_away_at_first(presence: Presence) -> None:
    assert presence.here(W)
    assert presence.absent == ()
    assert presence.deadline(clock_decides=False) == math.inf


@pytest.mark.parametrize("clock_decides", [True, False])
def test_one_who_is_away_may_come_back_within_its_own_grace(
    presence: Presence, clock_decides: bool
) -> None:
    presence.away(B, 10.0)
    assert not presence.here(B)
    assert presence.here(W)
    assert presence.absent == (B,)
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
    assert presence.absent == ()


def test_when_both_are_gone_the_clock_decides(presence: Presence) -> None:
    presence.away(W, 10.0)
    presence.away(B, 20.0)
    assert presence.deadline(clock_decides=True) == math.inf


def test_when_both_are_gone_and_there_is_no_clock_the_longer_grace_does(presence: Presence) -> None:
    presence.away(W, 10.0)
    presence.away(B, 20.0)
    assert presence.deadline(clock_decides=False) == 70.0
