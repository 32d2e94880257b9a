"""What must a client have declared to be given a start position?

Letters as in ``id pieces`` and words as in ``id feature``. The rule is the one by which the ULCI
programs of its author decide what an engine can be given.
"""

from collections.abc import Callable, Mapping

from ulci.rules.position import Needs

from .board import Board
from .pieces import LETTER
from .setup import PROMOTIONS, Setup


def needs_of(board: Board) -> Needs:
    """Letters of promotion count only if there is a pawn."""
    men = {LETTER[board.cells[square]].lower() for side in board.men for square in side}
    pieces = men | set(board.setup.promotions) if "p" in men else men
    features = {word for word, needed in FEATURES.items() if needed(board)}
    return Needs(frozenset(pieces), frozenset(features))


def _castling(setup: Setup) -> bool:
    """Columns are compared with those of a usual board, so any board that is not eight files wide
    needs it, whether or not anybody castles."""
    return (setup.castle_row, setup.queen_column, setup.king_column) != (1, 1, 8)


FEATURES: Mapping[str, Callable[[Board], bool]] = {
    "boardsize": lambda board: (board.setup.width, board.setup.height) != (8, 8),
    "pawnmoves": lambda board: (board.setup.pawn_moves, board.setup.pawn_row) != (2, 2),
    "castling": lambda board: _castling(board.setup),
    "multiplekings": lambda board: (
        any(len(kings) != 1 for kings in board.kings) or "k" in board.setup.promotions
    ),
    "promotion": lambda board: board.setup.promotions != PROMOTIONS,
    "friendlyfire": lambda board: board.setup.friendly_fire,
}
