"""A side that cannot mate by any series of legal moves does not win on time (FIDE 6.9)."""

import random

import chess
import pytest

from tests.support.effort import instructions
from ulci.rules import Side
from ulci.rules.chess import CHESS, CHESS960
from ulci.rules.chess.dead import is_dead

WALL = "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1"
"""No pawn can move, and no king can come through."""

FORCED = "8/8/8/8/8/5k2/6q1/7K w - - 0 1"


@pytest.mark.parametrize(
    ("start", "white", "black"),
    [
        (WALL, False, False),
        (WALL.replace(" w ", " b "), False, False),
        # Each king behind the other's pawns, which it could take from there.
        (WALL.replace("4k3", "4K3").replace("/8/8/4K3 w", "/8/8/4k3 w"), True, True),
        # A gap in the wall, and one that pawns guard.
        ("4k3/8/1p1p1p2/pPpPpP2/P1P1P3/8/8/4K3 w - - 0 1", True, True),
        ("4k3/8/1p1p1p2/pPpPpPp1/P1P1P1P1/8/8/4K3 w - - 0 1", False, False),
        # A pawn that can move, take, or be taken in passing.
        ("4k3/8/1p1p1p2/pPpPpPp1/P1P1P1P1/8/7P/4K3 w - - 0 1", True, True),
        ("4k3/7p/1p1p1p2/pPpPpPpP/P1P1P1P1/8/8/4K3 w - g6 0 1", True, True),
        # More than pawns.
        ("4k2n/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1", True, True),
        # The only move takes the last man of the other side that could mate.
        ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", False, False),
        ("7k/6R1/8/8/8/8/8/K7 b - - 0 1", False, False),
        # It may be taken, or not.
        ("7k/8/8/6Q1/8/8/8/K7 b - - 0 1", True, False),
        ("8/8/8/8/8/8/R7/k6K b - - 0 1", True, False),
        (chess.STARTING_FEN, True, True),
    ],
)
def test_who_can_still_mate(start: str, white: bool, black: bool) -> None:
    position = CHESS.new(start)
    assert (position.can_win(Side.WHITE), position.can_win(Side.BLACK)) == (white, black)
    assert position.fen() == start


def reaches_mate(board: chess.Board, winner: chess.Color, most: int) -> bool | None:
    """By trying everything; None: there was too much to try."""
    seen, waiting = {board.epd()}, [board]
    while waiting:
        position = waiting.pop()
        if position.is_checkmate() and position.turn is not winner:
            return True
        for move in position.legal_moves:
            following = position.copy(stack=False)
            following.push(move)
            if following.epd() not in seen:
                seen.add(following.epd())
                waiting.append(following)
        if len(seen) > most:
            return None
    return False


def random_wall(chance: random.Random) -> chess.Board:
    """Pawns face to face on some files, and two kings somewhere."""
    board = chess.Board(None)
    for file in range(8):
        if chance.random() < 0.85:
            rank = chance.randint(2, 4)
            board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(chess.square(file, rank + 1), chess.Piece(chess.PAWN, chess.BLACK))
    free = [square for square in chess.SQUARES if not board.piece_at(square)]
    for color, square in zip(chess.COLORS, chance.sample(free, 2), strict=True):
        board.set_piece_at(square, chess.Piece(chess.KING, color))
    board.turn = chance.choice(chess.COLORS)
    return board


def test_no_wall_that_is_called_closed_has_a_way_to_mate() -> None:
    chance, closed = random.Random(1), 0
    while closed < 4:
        board = random_wall(chance)
        if board.is_valid() and not board.is_game_over() and is_dead(board, chess.WHITE):
            closed += 1
            assert reaches_mate(board, chess.WHITE, 10_000) is not True


@pytest.mark.parametrize("chess960", [False, True])
def test_no_random_position_that_is_called_dead_has_a_way_to_mate(chess960: bool) -> None:
    chance = random.Random(2)
    for _ in range(100):
        board = chess.Board(None)
        for color in chess.COLORS:
            men = [chess.KING, *chance.choices(chess.PIECE_TYPES[1:5], k=chance.randint(0, 1))]
            free = [square for square in chess.SQUARES if not board.piece_at(square)]
            for man, square in zip(men, chance.sample(free, len(men)), strict=True):
                board.set_piece_at(square, chess.Piece(man, color))
        board.turn = chance.choice(chess.COLORS)
        if board.is_valid() and not board.is_game_over():
            position = (CHESS960 if chess960 else CHESS).new(board.fen())
            for side, color in ((Side.WHITE, chess.WHITE), (Side.BLACK, chess.BLACK)):
                if not position.can_win(side):
                    assert reaches_mate(board, color, 300) is not True


def test_an_answer_costs_little_wherever_it_is_asked() -> None:
    middlegame = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9"
    for start in (chess.STARTING_FEN, middlegame, WALL, "7k/8/8/8/8/8/1Q6/K7 w - - 0 1"):
        board = chess.Board(start)
        assert instructions(lambda board=board: is_dead(board, chess.WHITE)) < 100_000
