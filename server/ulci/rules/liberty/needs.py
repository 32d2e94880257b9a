"""What a client must have declared for a start position.

Letters as in ``id pieces`` and words as in ``id feature``. The ULCI programs of its author decide
by the same rule which starts an engine can play.
"""

from collections.abc import Callable, Mapping

from ulci.rules.position import Needs

from .setup import PROMOTIONS, Setup
from .sketch import Sketch


def needs_of(sketch: Sketch) -> Needs:
    """Letters of promotion count only if there is a pawn."""
    pieces = sketch.letters
    if "p" in pieces:
        pieces |= set(sketch.setup.promotions)
    features = {word for word, needed in FEATURES.items() if needed(sketch)}
    return Needs(pieces, frozenset(features))


def _castling(setup: Setup) -> bool:
    """Columns are compared with those of the standard board, so any board that is not eight files
    wide needs the feature, with or without castling rights."""
    return (setup.castle_row, setup.queen_column, setup.king_column) != (1, 1, 8)


FEATURES: Mapping[str, Callable[[Sketch], bool]] = {
    "boardsize": lambda sketch: (sketch.setup.width, sketch.setup.height) != (8, 8),
    "pawnmoves": lambda sketch: (sketch.setup.pawn_moves, sketch.setup.pawn_row) != (2, 2),
    "castling": lambda sketch: _castling(sketch.setup),
    "multiplekings": lambda sketch: sketch.kings != (1, 1) or "k" in sketch.setup.promotions,
    "promotion": lambda sketch: sketch.setup.promotions != PROMOTIONS,
    "friendlyfire": lambda sketch: sketch.setup.friendly_fire,
}
