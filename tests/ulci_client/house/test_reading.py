import pytest

from ulci_client.house.board import PositionError
from ulci_client.house.chessboard import ChessBoard
from ulci_client.house.libertyboard import LibertyBoard
from ulci_client.house.reading import read_untrusted

TWO_BISHOPS = "4k3/8/8/2BpB3/8/8/P6p/4K3 w - - 0 1"


def test_what_chess_can_read_is_chess():
    assert isinstance(read_untrusted(None, (), chess960=False), ChessBoard)
    assert isinstance(read_untrusted(TWO_BISHOPS, ("a2a4",), chess960=False), ChessBoard)


@pytest.mark.parametrize(
    "start",
    [
        "qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1",
        "nnnnknnn/pppppppp/8/8/8/8/PPPPPPPP/NNNNKNNN w - - 0 1 - iznl",
        "k3k3/8/8/8/8/8/R7/4K3 w - - 0 1",
    ],
)
def test_what_only_liberty_chess_can_read_is_that(start: str):
    assert isinstance(read_untrusted(start, (), chess960=False), LibertyBoard)


def test_a_move_that_chess_does_not_have_makes_it_liberty_chess():
    board = read_untrusted(TWO_BISHOPS, ("c5e5", "e8d7"), chess960=False)
    assert isinstance(board, LibertyBoard)
    assert board.white_to_move()


@pytest.mark.parametrize(
    ("start", "moves", "why"),
    [
        (None, ("e2e5",), "move 1 is not legal: e2e5 is not a move of the pawn"),
        ("rnbqkbnr/9/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", (), "rank 7 of the placement"),
        ("5/6/5 w - -", (), "rank 2 of the board"),
        ("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", ("a2a4",), "may go 1 forward at most"),
    ],
)
def test_what_nobody_can_read_is_explained_by_the_game_it_looks_like(
    start: str | None, moves: tuple[str, ...], why: str
):
    with pytest.raises(PositionError, match=why):
        read_untrusted(start, moves, chess960=False)


def test_chess960_is_nothing_else():
    with pytest.raises(PositionError):
        read_untrusted("qkbnr/ppppp/5/5/PPPPP/QKBNR w Kk - 0 1 1", (), chess960=True)
