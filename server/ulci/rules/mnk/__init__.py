"""How is tic-tac-toe played, and every m,n,k-game? Two players in turn put a stone on an empty
square; the first with k or more in an unbroken line (row, column, diagonal) wins.

* `board`: stones, side to move, winning length, and their notation.
* `position`: one game: stones put, and the end by a line or a full board.
* `variants`: the rows of the registry.

A start is written like a FEN, the ranks from the top, `x` the first player's stones, `o` the
second's, a number so many empty squares; then who is to move, and the length that wins (3 if left
out):

    xo1/1xo/xx1 o 3

A move is the name of its square, `a1` at the bottom left as in chess. The number that UTI gives a
square, 1 at the top left, is understood, too.
"""

from .board import MAX_SIDE, Board, read_start
from .position import MnkPosition
from .variants import GOMOKU, MNK, TICTACTOE, MnkRules

__all__ = [
    "GOMOKU",
    "MAX_SIDE",
    "MNK",
    "TICTACTOE",
    "Board",
    "MnkPosition",
    "MnkRules",
    "read_start",
]
