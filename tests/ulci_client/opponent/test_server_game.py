"""The GUI's list of moves against the server's."""

import pytest

from ulci.protocol.lobby.lines import GameStart
from ulci.rules import Side
from ulci_client.opponent.record import GuiGame
from ulci_client.opponent.server_game import NoMove, PassOn, RemoteMove, ServerGame, differs


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
