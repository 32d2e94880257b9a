"""The game as its record tells it, move by move and back."""

import pytest

from ulci.rules import Side
from ulci_server.game import EventKind

from .history import clocks, states
from .script import BASE, INCREMENT, Script

pytestmark = pytest.mark.faults


def test_every_change_of_the_moves_is_a_state():
    script = Script()
    script.play("e2e4", "e7e5")
    script.take_back(2)
    script.play("d2d4")
    assert [state.moves for state in states(script.steps)] == [
        (),
        ("e2e4",),
        ("e2e4", "e7e5"),
        (),
        ("d2d4",),
    ]


def test_time_that_is_given_belongs_to_the_state_in_which_it_was():
    script = Script()
    script.play("e2e4")
    script.give(5000)
    script.give(1000)
    _, state = states(script.steps)
    assert state.given(Side.BLACK) == 6000
    assert state.given(Side.WHITE) == 0


def test_what_changes_neither_moves_nor_clocks_is_no_state():
    script = Script()
    script.happen(EventKind.DRAW_OFFERED, Side.WHITE, 0)
    assert len(states(script.steps)) == 1


def test_clocks_keep_what_was_paid_and_given():
    script = Script()
    script.play("e2e4", charged=300)
    script.give(5000)
    script.take_back(1)
    paid = BASE - 300 + INCREMENT
    assert clocks(states(script.steps), BASE, INCREMENT) == [
        (BASE, BASE),
        (paid, BASE),
        (paid, BASE + 5000),
    ]


def test_clocks_lose_what_moves_that_were_taken_back_had_added():
    script = Script()
    script.give(5000)
    script.play("e2e4", charged=300)
    script.take_back(1)
    assert [white for white, _ in clocks(states(script.steps), BASE, INCREMENT)] == [
        BASE,
        BASE + 5000 - 300 + INCREMENT,
        BASE + 5000 - 300,
    ]
