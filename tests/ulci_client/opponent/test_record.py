"""The GUI's list of moves against the server's."""

import pytest

from ulci.rules import GAMES, Side
from ulci_client.opponent.record import Beginning, DifferenceError, GuiGame, differs

ENDGAME = "8/8/4k3/8/8/3QK3/8/8 w - - 0 1"


def test_a_gui_that_asks_before_any_move_has_the_other_side():
    usual = GAMES["chess"].new().fen()
    assert GuiGame("chess", None, ()).beginning() == Beginning(Side.BLACK, usual, 0)
    assert GuiGame("chess", ENDGAME, ()).beginning() == Beginning(Side.BLACK, ENDGAME, 0)


def test_the_last_move_is_the_guis_own():
    usual = GAMES["chess"].new().fen()
    assert GuiGame("chess", None, ("e2e4",)).beginning() == Beginning(Side.WHITE, usual, 0)


def test_moves_of_a_book_are_the_start():
    beginning = GuiGame("chess", None, ("e2e4", "c7c5", "g1f3", "d7d6")).beginning()
    assert (beginning.side, beginning.before) == (Side.BLACK, 3)
    assert beginning.start.startswith("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq")


@pytest.mark.parametrize(
    ("gui", "why"),
    [
        (GuiGame("chess", "8/8/8/8/8/8/8/8 w - - 0 1", ()), "this position cannot be played: "),
        (GuiGame("chess", None, ("e2e5",)), "the GUI's move e2e5, at ply 1, is not legal: "),
    ],
)
def test_what_the_rules_do_not_know_is_named(gui, why):
    with pytest.raises(DifferenceError, match=why):
        gui.beginning()


@pytest.mark.parametrize(
    ("ours", "theirs", "before", "told"),
    [
        (["e2e4"], ["d2d4"], 0, "position differs at ply 1: here e2e4, server d2d4"),
        (["a", "b", "c"], ["a"], 4, "position differs at ply 6: here b, server nothing yet"),
        ([], ["a", "b"], 0, "position differs at ply 1: here nothing, server a"),
    ],
)
def test_a_difference_is_told_by_its_ply(ours, theirs, before, told):
    assert differs(ours, theirs, before) == told
