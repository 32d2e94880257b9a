"""Endings by material, by lack of legal moves, by the half-move clock, in this order."""

import itertools

from ulci.rules.outcome import Outcome, Reason, Side

from .attacks import MoveRestrictions
from .board import Board
from .generate import any_legal
from .pieces import KIND_OF, MAN, PAWN

FIFTY_MOVES = 100  # half-moves
_MIGHTY_LETTERS = "rqacxhume"
_MIGHTY = frozenset(KIND_OF[letter] for letter in _MIGHTY_LETTERS)
_MINORS = frozenset(KIND_OF[letter] for letter in "nzi")
_BOUND = frozenset(KIND_OF[letter] for letter in "bl")  # to squares of one colour


def ending(board: Board, seen: MoveRestrictions) -> Outcome | None:
    """The end of the game, except by repetition; None if it goes on."""
    bare = by_men(board)
    if bare is not None:
        return bare
    if not any_legal(board, seen):
        if seen.checks:
            return Outcome(Side(1 - board.turn), Reason.CHECKMATE)
        return Outcome(None, Reason.STALEMATE)
    if board.half_moves >= FIFTY_MOVES:
        return Outcome(None, Reason.FIFTY_MOVES)
    return None


def by_men(board: Board) -> Outcome | None:
    """The end of the game because a side has only kings, or no men; None if it goes on."""
    white, black = board.pieces
    if white and black:
        return None
    if not white and not black:
        return Outcome(None, Reason.MATERIAL)
    bare = Side.BLACK if white else Side.WHITE
    if not board.kings[bare]:
        return Outcome(bare.other, Reason.ELIMINATION)
    return None if sufficient(board) else Outcome(None, Reason.MATERIAL)


def sufficient(board: Board) -> bool:
    """Whether the men of both sides together are enough to mate one king."""
    if any(len(kings) != 1 for kings in board.kings):
        return True
    minors = 0
    bound: set[int] = set()
    for square in itertools.chain(*board.men):
        kind = board.cells[square] & MAN
        if kind in _MIGHTY or (kind == PAWN and _becomes_mighty(board)):
            return True
        if kind in _BOUND:
            bound.add(sum(board.setup.geometry.place(square)) % 2)
        elif kind in _MINORS or kind == PAWN:
            minors += 1
    return minors >= 2 or (minors == 1 and bool(bound)) or len(bound) == 2


def _becomes_mighty(board: Board) -> bool:
    return any(letter in board.setup.promotions for letter in _MIGHTY_LETTERS)
