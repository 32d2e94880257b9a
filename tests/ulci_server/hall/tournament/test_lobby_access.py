"""What tournaments know of the lobby."""

from types import SimpleNamespace

from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.hall.tournament import LobbyAccess
from ulci_server.lobby import Lobby, Pool


def test_tournaments_know_whether_games_begin_and_why_not() -> None:
    pool = Pool("chess", GAMES["chess"], Controls.parse("180+2"), (None,))
    lobby = Lobby((pool,), lambda _: 0)
    nothing = SimpleNamespace()
    access = LobbyAccess(lobby, nothing, nothing, nothing, nothing)
    assert access.closed == ""
    lobby.close("the server is shutting down")
    assert access.closed == "the server is shutting down"
    lobby.reopen()
    assert access.closed == ""
