"""Moves in long algebraic notation, as engines send them.

Two spellings of castling are read in both games, the king's target (``e1g1``) and its own rook
(``e1h1``); standard chess writes the first, Chess960 the second, because there a king may also
*walk* to that target (UCI 2006, appendix on Chess960).
"""

import re

import chess

_SQUARES = {name: square for square, name in enumerate(chess.SQUARE_NAMES)}
_KINDS = {
    "": None,
    "q": chess.QUEEN,
    "r": chess.ROOK,
    "b": chess.BISHOP,
    "n": chess.KNIGHT,
    # These two are never legal, but read for a precise error message.
    "k": chess.KING,
    "p": chess.PAWN,
}
# Some programs write e2-e4, e4xd5, e7e8=Q.
_SLOPPY = re.compile(r"([a-h][1-8])[-x:]?([a-h][1-8])=?([qrbnkp]?)")


def read_untrusted(text: str) -> chess.Move | None:
    """The move of the text, legal or not; None if it cannot be read."""
    move = _read(text)
    if move is None and (sloppy := _SLOPPY.fullmatch(text.strip().lower())):
        move = _read("".join(sloppy.groups()))
    return move


def _read(text: str) -> chess.Move | None:
    start, end = _SQUARES.get(text[:2]), _SQUARES.get(text[2:4])
    if start is None or end is None or text[4:] not in _KINDS:
        return None
    return chess.Move(start, end, _KINDS[text[4:]])


def find(board: chess.Board, move: chess.Move) -> chess.Move | None:
    """The legal move that is meant, None if there is none. Only castling may be returned in another
    spelling."""
    if not board.is_legal(move):
        return _castling_by_target(board, move)
    if board.kings & chess.BB_SQUARES[move.from_square]:
        return chess.Move.from_uci(board.uci(move))
    return move


def find_untrusted(board: chess.Board, text: str) -> chess.Move | None:
    """The legal move that the text means, None if it cannot be read or is not legal."""
    move = read_untrusted(text)
    return find(board, move) if move else None


def _castling_by_target(board: chess.Board, move: chess.Move) -> chess.Move | None:
    """Chess960 castling written as the king's target. Called only for moves that are not legal as
    written, so a king that can walk there walks."""
    if not board.chess960 or move.from_square != board.king(board.turn) or move.promotion:
        return None
    for castling in board.generate_castling_moves():
        short = castling.to_square > castling.from_square
        target = chess.square(6 if short else 2, chess.square_rank(castling.from_square))
        if move.to_square == target:
            return castling
    return None
