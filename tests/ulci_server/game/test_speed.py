"""Kinds of time."""

import pytest

from ulci_server.game.speed import speed_of


@pytest.mark.parametrize(
    ("control", "speed"),
    [
        ("60+1", "bullet"),
        ("180", "blitz"),
        ("119+1", "bullet"),
        ("180+2", "blitz"),
        ("600", "blitz"),
        ("601", "rapid"),
        ("900+10", "rapid"),
        ("3600", "classical"),
        ("40/5400+30:900+30", "classical"),
        ("40/300+2", "rapid"),
        ("10/20", "bullet"),
        ("60d2", "blitz"),
        ("600/5x30", "rapid"),
        ("60h", "bullet"),
        ("3days", "correspondence"),
        ("60+1|3600", "classical"),
        ("movetime=1000", "unclocked"),
        ("inf", "unclocked"),
        ("no control at all", "unclocked"),
    ],
)
def test_a_control_is_of_the_kind_that_its_time_for_sixty_moves_is(control, speed):
    assert speed_of(control) == speed
