"""The rules of Liberty Chess: eighteen kinds of men on boards of 2x2 to 256x256 squares.

The game of L-FEN: El Vaticano, pawn moves, castling and promotion as the start defines them,
friendly fire, any number of kings, and elimination.

* `pieces`: the table of men.  `geometry`: steps and names of squares on a board of one size.
  `setup`: constants of a game.
* `board`: the men on their squares, and how a move changes them.
* `attacks`: attacks on kings.  `generate`: legal moves.  `endings`: the end of a game.
* `lfen`: reads and writes L-FEN.  `sketch`: a quick summary of one.  `starts`: named starts.
* `moves`: reads moves.  `faults`: why a move is illegal.  `names`: sides and men in
  sentences.  `notation`: SAN and typed moves.
* `position`: one game.  `variants`: the row of the registry, and what a client must support.
"""

from .attacks import MoveRestrictions, watch
from .board import Board, Move, Undo
from .endings import FIFTY_MOVES, by_men
from .faults import why_not
from .generate import any_legal, captures, legal_moves
from .lfen import read_lfen, write_lfen
from .moves import find_untrusted, spell
from .pieces import LETTER
from .pieces import LETTERS as PIECES
from .position import LibertyPosition
from .starts import NAMED
from .variants import FEATURES, LIBERTY_CHESS, read

__all__ = [
    "FEATURES",
    "FIFTY_MOVES",
    "LETTER",
    "LIBERTY_CHESS",
    "NAMED",
    "PIECES",
    "Board",
    "LibertyPosition",
    "Move",
    "MoveRestrictions",
    "Undo",
    "any_legal",
    "by_men",
    "captures",
    "find_untrusted",
    "legal_moves",
    "read",
    "read_lfen",
    "spell",
    "watch",
    "why_not",
    "write_lfen",
]
