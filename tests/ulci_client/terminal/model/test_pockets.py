from tests.support.terminal import playing, text
from ulci.rules import GAMES, Side
from ulci_client.terminal.model import pockets
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.game_screen import game_rows
from ulci_client.terminal.view.panel import captured_row
from ulci_client.terminal.view.theme import ASCII, COLOR

EXCHANGE = ("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a5")


def rows(client: Client, side: Side) -> str:
    assert client.state.game is not None
    return text([captured_row(client.state.game, side, ASCII, 30)])


def test_pockets_are_shown_instead_of_men_taken() -> None:
    client = playing(*EXCHANGE, game="crazyhouse")
    assert rows(client, Side.WHITE) == "  in hand: p"
    assert rows(client, Side.BLACK) == "  in hand: p"
    assert rows(playing(game="crazyhouse"), Side.WHITE) == "  nothing in hand"


def test_a_full_hand_is_in_order() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3[PNQPrb] w - - 0 1"
    position = GAMES["crazyhouse"].new(fen)
    assert pockets.pocket("crazyhouse", position, Side.BLACK) in ("rb", "br")
    assert rows(playing(start=fen, game="crazyhouse"), Side.WHITE) == "  in hand: qnpp"


def test_checks_given_are_counted() -> None:
    client = playing("e2e4", "f7f6", "d1h5", game="3check")
    assert rows(client, Side.WHITE) == "  1 of 3 checks"
    assert rows(client, Side.BLACK) == "  0 of 3 checks"


def test_other_games_have_neither() -> None:
    position = GAMES["chess"].new(None)
    assert pockets.pocket("chess", position, Side.WHITE) is None
    assert pockets.checks("chess", position, Side.WHITE) is None


def test_without_a_panel_the_hand_stands_behind_the_name() -> None:
    client = playing(*EXCHANGE, game="crazyhouse")
    assert client.state.game is not None
    drawn = text(game_rows(client.state, client.state.game, COLOR, (40, 20), 0.0)).splitlines()
    assert drawn[0] == "  Bob  in hand: ♟\ufe0e"
