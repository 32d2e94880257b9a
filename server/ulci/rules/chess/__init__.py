"""How is chess played? Standard chess and Chess960, judged by python-chess.

* `fen`: may this start be played? Every fault is named by field; what passes no engine chokes on.
* `moves`: which move is meant, or why there is no such move.
* `bitboards`: an ordinary legal move, made quickly.
* `notation`: what people type.
* `position`: one game: moves made, and the end by mate, material, repetition or fifty moves.
* `variants`: the rows of the registry.
* `variant_fen`, `variant_moves`, `variant_faults`, `variant_position`: the same for the variants.
"""

from .faults import why_not
from .fen import read_start
from .moves import find_untrusted
from .position import ChessPosition
from .variants import CHESS, CHESS960, VARIANTS, ChessRules, VariantRules

__all__ = [
    "CHESS",
    "CHESS960",
    "VARIANTS",
    "ChessPosition",
    "ChessRules",
    "VariantRules",
    "find_untrusted",
    "read_start",
    "why_not",
]
