"""Which game is a position of?

Nobody says. What chess can read is chess; anything else is Liberty Chess if that can read it, whose
two bishops may even be met in what began as a game of chess.
"""

from collections.abc import Sequence
from typing import Any

from . import chessboard, libertyboard
from .board import Board, PositionError

_CHESS_FIELDS, _CHESS_RANKS = 6, 8


def read_untrusted(start: str | None, moves: Sequence[str], *, chess960: bool) -> Board[Any]:
    """The position that ``position`` describes.

    Raises:
        PositionError: no game has such a start or one of the moves; the text is that of the game
            which the start looks like.
    """
    try:
        return chessboard.read_untrusted(start, moves, chess960=chess960)
    except PositionError as error:
        if chess960:
            raise
        try:
            return libertyboard.read_untrusted(start, moves)
        except PositionError as other:
            raise (error if _looks_like_chess(start) else other) from None


def _looks_like_chess(start: str | None) -> bool:
    if start is None:
        return True
    ranks = start.partition(" ")[0].count("/") + 1
    return ranks == _CHESS_RANKS and len(start.split()) <= _CHESS_FIELDS
