"""Perft: counts move sequences, to compare move generators."""

from .attacks import watch
from .board import Board
from .endings import FIFTY_MOVES, by_men
from .generate import count, legal_moves


def perft(board: Board, depth: int) -> int:
    """Move sequences of `depth` plies. A finished game has none; repetition is not checked, as it
    cannot end a game of less than eight plies. The board is unchanged afterwards."""
    if depth == 0:
        return 1
    if by_men(board) is not None or board.half_moves >= FIFTY_MOVES:
        return 0
    seen = watch(board)
    if depth == 1:
        return count(board, seen)
    total = 0
    for move in list(legal_moves(board, seen)):
        undo = board.make(move)
        total += perft(board, depth - 1)
        board.unmake(undo)
    return total
