"""Where the GUI's game begins at the server."""

import pytest

from ulci.rules import GAMES, Side
from ulci_client.opponent.record import Beginning, DifferenceError, GuiGame

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
