"""Moves as people type them: standard algebraic notation (SAN), exact or sloppy.

Exact SAN and long algebraic notation take precedence. Any other text is compared with all spellings
of each legal move, ignoring case, signs and dashes: ``nf3``, ``0-0``, ``e8Q``, ``Ng1-f3``, ``ed5``.
A text that fits two moves is no move: ``bc4`` where both the bishop and the b-pawn can go there.
"""

import itertools
from collections.abc import Callable, Iterator

import chess

from ulci.rules.text import SIGNS, TEXT_MAX, squeezed

from .moves import find_untrusted

Find = Callable[[chess.Board, str], chess.Move | None]

_CASTLING = {True: ("oo", "00"), False: ("ooo", "000")}  # kingside, queenside


def parse_untrusted(board: chess.Board, text: str, find: Find = find_untrusted) -> str | None:
    """The canonical spelling of the one legal move that the text may mean, or None.

    `find` reads the long algebraic notation of the game.
    """
    text = text.strip()
    if not text or len(text) > TEXT_MAX:
        return None
    move = find(board, text) or _exact(board, text) or _sloppy(board, text)
    return move.uci() if move else None


def _exact(board: chess.Board, text: str) -> chess.Move | None:
    """python-chess reads more than SAN (``bc4`` as a pawn move), so compare the text with the SAN
    of the move that it found."""
    try:
        move = board.parse_san(text)
    except ValueError:
        return None
    same = move and board.san(move).rstrip(SIGNS) == text.rstrip(SIGNS)
    return move if same else None


def _sloppy(board: chess.Board, text: str) -> chess.Move | None:
    wanted = squeezed(text).replace("x", "")
    meant = [move for move in board.legal_moves if wanted in _spellings(board, move)]
    return meant[0] if len(meant) == 1 else None


def _spellings(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """All spellings of a legal move, lower case and without signs."""
    if move.drop:
        yield f"{chess.piece_symbol(move.drop)}@{chess.square_name(move.to_square)}"
        return
    if board.is_castling(move):
        yield from _CASTLING[board.is_kingside_castling(move)]
        return
    start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
    end += chess.piece_symbol(move.promotion) if move.promotion else ""
    yield start + end
    kind = board.piece_type_at(move.from_square)
    assert kind is not None
    if kind != chess.PAWN:
        letter = chess.piece_symbol(kind)
        for file, rank in itertools.product(("", start[0]), ("", start[1])):
            yield letter + file + rank + end
        return
    yield start[0] + end
    if not board.is_capture(move):
        yield end
