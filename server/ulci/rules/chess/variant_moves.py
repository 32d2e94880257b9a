"""Moves in a variant: as in chess, with drops such as ``N@f3`` and ``@e4``."""

import re

import chess

from . import moves

_DROP = re.compile(r"([pnbrqk]?)@([a-h][1-8])", re.ASCII | re.IGNORECASE)


def read_untrusted(text: str) -> chess.Move | None:
    """The move of the text, legal or not; None if it cannot be read."""
    if dropped := _DROP.fullmatch(text.strip()):
        square = chess.parse_square(dropped[2].lower())
        kind = chess.PIECE_SYMBOLS.index(dropped[1].lower() or "p")
        return chess.Move(square, square, drop=kind)
    return moves.read_untrusted(text)


def find_untrusted(board: chess.Board, text: str) -> chess.Move | None:
    """The legal move that the text means, None if it cannot be read or is not legal."""
    move = read_untrusted(text)
    return moves.find(board, move) if move else None
