"""The rules of standard chess and Chess960, judged by python-chess.

* `fen`: reads start positions; errors name the field. What passes crashes no engine.
* `moves`: reads moves. `faults`: why a move is illegal. `names`: sides in sentences.
* `bitboards`: fast path for ordinary legal moves.
* `notation`: moves as people type them.
* `position`: one game: moves made, and the end by mate, material, repetition or fifty moves.
* `dead`: positions in which a side cannot mate any more.
* `variants`: the rows of the registry.
* `variant_fen`, `variant_moves`, `variant_position`: the same for the variants.
"""

from .faults import why_not
from .fen import read_start
from .moves import find_untrusted
from .position import ChessPosition
from .variants import CHESS, CHESS960, VARIANTS, VariantRules

__all__ = [
    "CHESS",
    "CHESS960",
    "VARIANTS",
    "ChessPosition",
    "VariantRules",
    "find_untrusted",
    "read_start",
    "why_not",
]
