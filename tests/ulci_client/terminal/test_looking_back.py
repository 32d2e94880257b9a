"""Earlier boards of the game on the screen."""

import math

import pytest

from tests.support.terminal import lobby, playing, sent, text, to_move, told, welcomed
from ulci.protocol.messages import BestMove, Clock, Info, Position
from ulci.rules import Side
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.panel import captured_row, moves_block
from ulci_client.terminal.view.screen import screen
from ulci_client.terminal.view.status_line import status
from ulci_client.terminal.view.theme import ASCII, COLOR

MOVES = ("e2e4", "d7d5", "e4d5", "d8d5")


def the_game(client: Client) -> Game:
    assert client.state.game is not None
    return client.state.game


def rank(client: Client, number: int) -> str:
    """As the board on the screen shows it."""
    board = the_game(client).shown
    assert board is not None
    return "".join(man or "." for man in board.squares()[-number])


def test_keys_step_back_and_forward_and_no_further_than_there_is() -> None:
    client = to_move(*MOVES)
    seen = []
    for plies in (-1, -1, -2, -1, 1, math.inf, 1, -math.inf):
        client.step(plies)
        seen.append(the_game(client).plies_shown)
    assert seen == [3, 2, 0, 0, 1, 4, 4, 0]


def test_an_earlier_board_is_shown_with_its_men_and_its_last_move() -> None:
    client = to_move(*MOVES)
    game = the_game(client)
    assert text([captured_row(game, Side.WHITE, ASCII, 20)]) == "  p"
    client.step(-2)
    assert (rank(client, 4), rank(client, 5)) == ("....P...", "...p....")
    assert game.last_squares() == {(3, 6), (3, 4)}
    assert text([captured_row(game, Side.WHITE, ASCII, 20)]) == ""
    client.step(-math.inf)
    assert game.last_squares() == frozenset()
    drawn = text(screen(client.state, ASCII, 80, 23, 0.0))
    assert " 7   p    p    p    p    p    p    p    p" in drawn


def test_the_move_that_led_to_it_stands_out_in_the_list() -> None:
    client = to_move(*MOVES)
    for back, (row, move) in {1: (1, "exd5"), 2: (0, "d5"), 3: (0, "e4")}.items():
        the_game(client).look_at(4 - back)
        rows = moves_block(the_game(client), 24, 5)
        assert [("class:newest", move) in each for each in rows] == [row == 0, row == 1]
    the_game(client).look_at(0)
    assert not any(style == "class:newest" for row in moves_block(the_game(client), 24, 5)
                   for style, _ in row)  # fmt: skip


def test_a_long_list_of_moves_scrolls_back_too() -> None:
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8")
    client = playing(*shuffle * 3)
    the_game(client).look_at(4)
    assert text(moves_block(the_game(client), 24, 2)).split()[::3] == ["1", "2"]


@pytest.mark.parametrize(
    ("plies", "said"),
    [
        (3, "after 2. exd5"),
        (2, "after 1... d5"),
        (0, "before the first move"),
    ],
)
def test_the_status_says_which_board_it_is_and_how_to_return(plies: int, said: str) -> None:
    client = to_move(*MOVES)
    the_game(client).look_at(plies)
    assert status(client.state, 0.0) == (f"Your move. (board {said}; Escape: back)", "status-good")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("game 42 offer draw from Bob", "Bob offers a draw: draw accepts it, a move declines."),
        ("game 42 opponent away claim-in 0", "Bob stays away: claim win"),
    ],
)
def test_what_the_opponent_does_is_told_whichever_board_is_looked_at(line: str, said: str) -> None:
    client = playing(*MOVES[:3])
    client.step(-1)
    lobby(client, line)
    text, tone = status(client.state, 0.0)
    assert text.startswith(said)
    assert text.endswith("(board after 1... d5; Escape: back)")
    assert tone == "status-ask"


def test_a_check_and_a_premove_are_told_as_well() -> None:
    client = to_move("f2f3", "e7e5", "e2e4", "d8h4")
    client.step(-1)
    assert status(client.state, 0.0)[0].startswith("Your move. You are in check. (board after")
    client = playing("e2e4")
    client.typed("premove Nf3", 0.0)
    client.step(-1)
    assert status(client.state, 0.0)[0] == (
        "Waiting for Bob to move. Premove: Nf3. (board before the first move; Escape: back)"
    )


def test_the_end_shows_a_player_the_last_board_and_the_result() -> None:
    client = to_move(*MOVES)
    client.step(-2)
    client.hear(Info(string="result 0-1 reason time"), 0.0)
    assert the_game(client).viewed is None
    assert "Type rematch" in status(client.state, 0.0)[0]
    client.step(-1)
    assert status(client.state, 0.0) == (
        "Black wins on time. You lose. (board after 2. exd5; Escape: back)",
        "status-bad",
    )


def test_who_watches_looks_on_at_an_earlier_board_when_the_game_ends() -> None:
    client = welcomed()
    lobby(client, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2")
    client.hear(Position(None, MOVES[:2]), 0.0)
    client.step(-1)
    client.hear(Info(string="result 1-0 reason time"), 0.0)
    assert status(client.state, 0.0)[0] == "White wins on time. (board after 1. e4; Escape: back)"


def test_a_move_of_either_side_returns_to_the_game() -> None:
    client = to_move(*MOVES)
    client.step(-2)
    assert BestMove("b1c3") in sent(client.typed("Nc3", 0.0))
    assert the_game(client).viewed is None
    client.step(-2)
    client.hear(Position(None, (*MOVES, "b1c3", "d5a5")), 0.0)
    assert the_game(client).viewed is None


def test_who_watches_may_look_back_while_the_game_goes_on() -> None:
    client = welcomed()
    lobby(client, "watch 7 white Bob black Cid game chess time 300+3 rated yes ply 2")
    client.hear(Position(None, MOVES[:2]), 0.0)
    client.hear(Clock(wtime=200_000, btime=100_000), 0.0)
    client.step(-1)
    client.hear(Position(None, MOVES[:3]), 0.0)
    assert the_game(client).plies_shown == 1
    client.hear(Position(None, MOVES[:1]), 0.0)  # a takeback
    assert the_game(client).viewed is None


def test_in_plain_mode_the_board_is_told() -> None:
    client = to_move(*MOVES)
    back = told(client.typed("back", 0.0))
    assert back[0] == "Board after 2. exd5"
    assert back[4] == " 5 . . . P . . . ."
    assert told(client.typed("back 3", 0.0))[0] == "Board before the first move"
    assert told(client.typed("board", 0.0))[2] == " 7 p p p p p p p p"
    assert told(client.typed("forward 99", 0.0))[0] == "Board after 2... Qxd5"
    assert told(client.typed("back x", 0.0)) == [
        "error x is not a number; write for example: back 3"
    ]


def test_on_the_screen_the_board_itself_is_looked_at() -> None:
    client = playing(*MOVES, shows_lists=True)
    assert client.typed("back 2", 0.0) == []
    assert the_game(client).plies_shown == 2
    assert "after 1... d5" in text(screen(client.state, COLOR, 80, 23, 0.0))


def test_without_a_board_there_is_nothing_to_step_through() -> None:
    client = playing("a1", game="unheard-of")
    client.step(-1)
    assert the_game(client).viewed is None
    assert told(client.typed("back", 0.0))[0].startswith("error there is no board")
