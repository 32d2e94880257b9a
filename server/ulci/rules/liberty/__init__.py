"""How is Liberty Chess played? Eighteen kinds of men on boards of 2x2 to 256x256 squares.

The game of L-FEN: El Vaticano, pawns that go as far as the start says, castling and promotion as it
says, friendly fire, any number of kings, and elimination.

* `pieces`: the table of men.  `geometry`: steps and names of squares on a board of some size.
  `setup`: what stays the same for a whole game.
* `board`: where everybody stands, and how a move changes that.
* `attacks`: who attacks a king.  `generate`: which moves are legal.  `endings`: is it over?
* `lfen`: may this start be played?  `sketch`: what is it, at a glance?  `starts`: those with a
  name.  `needs`: who can play them?
* `moves`: which move is meant.  `faults`: why there is none.  `notation`: how people write.
* `position`: one game.  `variants`: the row of the registry.  `perft`: counting, to compare.
"""

from .attacks import Watch, watch
from .board import Board, Move, Undo
from .endings import FIFTY_MOVES, by_men
from .faults import why_not
from .generate import any_legal, captures, legal_moves
from .lfen import read_lfen, write_lfen
from .moves import find_untrusted, spell
from .needs import FEATURES
from .perft import perft
from .pieces import LETTER
from .pieces import LETTERS as PIECES
from .position import LibertyPosition
from .starts import NAMED
from .variants import LIBERTY_CHESS, LibertyRules, read

__all__ = [
    "FEATURES",
    "FIFTY_MOVES",
    "LETTER",
    "LIBERTY_CHESS",
    "NAMED",
    "PIECES",
    "Board",
    "LibertyPosition",
    "LibertyRules",
    "Move",
    "Undo",
    "Watch",
    "any_legal",
    "by_men",
    "captures",
    "find_untrusted",
    "legal_moves",
    "perft",
    "read",
    "read_lfen",
    "spell",
    "watch",
    "why_not",
    "write_lfen",
]
