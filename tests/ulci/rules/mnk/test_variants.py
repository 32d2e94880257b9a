"""The rows of the registry."""

import pytest

from ulci.rules import GAMES, Needs, StartError
from ulci.rules.mnk import GOMOKU, MNK, TICTACTOE


def test_tictactoe_begins_on_an_empty_board_of_nine_squares():
    assert TICTACTOE.starts == (None,)
    assert TICTACTOE.new().fen() == "3/3/3 x 3"
    assert TICTACTOE.new("3/3/3 x").start is None
    assert TICTACTOE.new("3/3/3 o").start == "3/3/3 o 3"


def test_only_tictactoe_has_a_start_without_a_name():
    empty = "/".join(["15"] * 15) + " x 5"
    assert GOMOKU.starts == (empty,)
    assert GOMOKU.new().start == empty
    assert MNK.new().start == "5/5/5/5/5 x 4"
    assert MNK.new("3/3/3 x 3").start == "3/3/3 x 3"
    for rules in (TICTACTOE, GOMOKU, MNK):
        assert rules.new(rules.new().start).fen() == rules.new().fen()


@pytest.mark.parametrize(
    ("rules", "start"), [(TICTACTOE, "4/4/4 x 3"), (TICTACTOE, "3/3/3 x 2"), (GOMOKU, "3/3/3 x 3")]
)
def test_a_game_with_a_board_of_its_own_takes_no_other(rules, start):
    with pytest.raises(StartError, match=f"in {rules.name}"):
        rules.new(start)
    assert MNK.new(start).outcome() is None


@pytest.mark.parametrize("name", ["tictactoe", "mnk", "gomoku"])
def test_whoever_plays_has_the_game_as_a_variant(name):
    assert GAMES[name].needs(None) == Needs(options={"UCI_Variant": name})
