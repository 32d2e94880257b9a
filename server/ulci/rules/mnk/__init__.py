"""The rules of tic-tac-toe and all m,n,k-games: two players in turn put a stone on an empty square;
the first with k or more in an unbroken line (row, column, diagonal) wins.

* `board`: stones, side to move, winning length, and their notation.
* `position`: one game: its stones, and the end by a line or a full board.
* `variants`: the rows of the registry.

A start is written like a FEN: the ranks from the top, with `x` for the first player's stones, `o`
for the second's and numbers of empty squares; then the side to move, and the winning length (3 if
left out):

    xo1/1xo/xx1 o 3

A move is the name of its square, `a1` at the bottom left as in chess. UTI's number of the square,
1 at the top left, is read too.
"""

from .board import MAX_SIDE, Board, read_start
from .position import MnkPosition
from .variants import GOMOKU, MNK, TICTACTOE

__all__ = [
    "GOMOKU",
    "MAX_SIDE",
    "MNK",
    "TICTACTOE",
    "Board",
    "MnkPosition",
    "read_start",
]
