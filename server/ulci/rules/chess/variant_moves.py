"""Moves in a variant, and why one is illegal. As in chess, with drops: ``N@f3``, ``@e4``."""

import re

import chess
import chess.variant

from . import faults, moves, names

_DROP = re.compile(r"([pnbrqk]?)@([a-h][1-8])", re.ASCII | re.IGNORECASE)

# Why a pseudo-legal move is illegal, in variants where the reason is not just the king's safety.
_FORBIDDEN: dict[type[chess.Board], str] = {
    chess.variant.SuicideBoard: "a man can be captured here, and has to be",
    chess.variant.AtomicBoard: "the own king would explode or be in check after {move}",
    chess.variant.RacingKingsBoard: "{move} would leave a king in check, and here no king may be",
}


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


def why_not(board: chess.Board, text: str) -> str:
    """The fault of a text that names no legal move here. Never raises."""
    move = read_untrusted(text)
    if move is None:
        return faults.why_not(board, text)
    if move.drop:
        return _no_drop(board, move)
    if board.is_pseudo_legal(move):
        for kind, why in _FORBIDDEN.items():
            if isinstance(board, kind):
                return why.format(move=move.uci())
    return faults.why_not(board, text)


def _no_drop(board: chess.Board, move: chess.Move) -> str:
    assert move.drop is not None
    if not isinstance(board, chess.variant.CrazyhouseBoard):
        return f"{move.uci()} drops a man, which this game does not know"
    name, square = chess.piece_name(move.drop), chess.square_name(move.to_square)
    if not board.pockets[board.turn].count(move.drop):
        return f"{names.side(board.turn)} has no {name} to drop"
    if board.piece_at(move.to_square):
        return f"{square} is occupied, and a man is dropped on an empty square"
    if move.drop == chess.PAWN and chess.BB_SQUARES[move.to_square] & chess.BB_BACKRANKS:
        return f"a pawn cannot be dropped on {square}: not on the first or last rank"
    return f"the king is in check, and {move.uci()} does not end it"
