"""Where the GUI's game begins at the server, and its list of moves against the server's."""

import pytest

from ulci.protocol.lobby.lines import GameStart
from ulci.rules import GAMES, Side
from ulci_client.opponent.games import (
    Beginning,
    DifferenceError,
    GuiGame,
    NoMove,
    PassOn,
    RemoteMove,
    ServerGame,
    differs,
)

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


def game(*moves: str, side: Side = Side.WHITE, asked: bool = False) -> ServerGame:
    """The server's game, as far as it has told it."""
    line = GameStart(1, "Ada", "Bob", "chess", "60+1", rated=False)
    played = ServerGame(line, side, 0)
    played.place(None, moves)
    played.asked = asked
    return played


def gui(*moves: str) -> GuiGame:
    return GuiGame("chess", None, moves)


def test_the_guis_own_move_is_passed_on_once_and_only_when_the_server_asks():
    played = game()
    assert played.next_step(gui("e2e4")) is None
    played.asked = True
    assert played.next_step(gui("e2e4")) == PassOn("e2e4")
    played.say("e2e4")
    assert played.next_step(gui("e2e4")) is None
    played.asked = True
    assert played.next_step(gui("e2e4")) == NoMove("the server does not take e2e4")
    played.line_lost()
    played.asked = True
    assert played.next_step(gui("e2e4")) == PassOn("e2e4")


def test_the_remote_players_move_is_the_answer():
    step = game("e2e4", "e7e5").next_step(gui("e2e4"))
    assert isinstance(step, RemoteMove)
    assert step.move == "e7e5"


@pytest.mark.parametrize("move", ["e7e9", "e2e4", "quit", "\x1b[2J", "x" * 9999, ""])
def test_a_gui_never_gets_a_move_that_the_rules_forbid(move):
    step = game("e2e4", move).next_step(gui("e2e4"))
    assert isinstance(step, NoMove)
    assert "is no legal move here" in step.why


def test_a_start_of_the_server_that_is_none_is_a_difference():
    played = game()
    played.place("8/8/8/8/8/8/8/8 w - - 0 1", ())
    step = played.next_step(gui("e2e4"))
    assert isinstance(step, NoMove)
    assert "the server's start is none" in step.why


def test_a_gui_that_goes_back_gets_no_move_and_the_server_hears_nothing():
    step = game("e2e4", "e7e5", "g1f3", "b8c6", asked=True).next_step(gui("e2e4"))
    assert step == NoMove("position differs at ply 2: here nothing, server e7e5")


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
