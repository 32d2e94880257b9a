"""Moves in long algebraic notation on boards of any size: ``g10g7``, ``aa3ab5``."""

import re

from .attacks import MoveRestrictions
from .board import Board, Move
from .generate import is_legal
from .geometry import Geometry
from .pieces import KIND_OF, KINDS

_SQUARE = r"([a-z]{1,2}[1-9][0-9]{0,2})"
# Some programs write e2-e4, e4xd5, e7e8=Q. No file of two letters begins with x.
_MOVE = re.compile(rf"{_SQUARE}[-x:]?{_SQUARE}=?([a-z]?)", re.ASCII)


def parts_untrusted(text: str) -> tuple[str, str, str] | None:
    """The names of two squares, and a letter or nothing; None if the text is not in this form."""
    match = _MOVE.fullmatch(text) or _MOVE.fullmatch(text.strip().lower())
    return (match[1], match[2], match[3]) if match else None


def read_untrusted(geometry: Geometry, text: str) -> Move | None:
    """The move of the text, legal or not; None if it cannot be read or is not on the board."""
    parts = parts_untrusted(text)
    if parts is None:
        return None
    start, end = geometry.square(parts[0]), geometry.square(parts[1])
    promotion = KIND_OF.get(parts[2]) if parts[2] else 0
    if start is None or end is None or promotion is None:
        return None
    return Move(start, end, promotion)


def find_untrusted(board: Board, seen: MoveRestrictions, text: str) -> Move | None:
    """The legal move that the text means, None if it cannot be read or is not legal."""
    move = read_untrusted(board.setup.geometry, text)
    return move if move and is_legal(board, seen, move) else None


def spell(geometry: Geometry, move: Move) -> str:
    """The move as sent: ``e2e4``, ``e7e8q``."""
    letter = KINDS[move.promotion - 1].letter if move.promotion else ""
    return f"{geometry.name(move.start)}{geometry.name(move.end)}{letter}"
