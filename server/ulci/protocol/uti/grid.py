"""The board with UTI's numbers of squares, and in the notation of ``position``.

A start is ``xo1/1xo/xx1 o 3``: the ranks from the top, the side to move, and the winning length (3
if left out); None is the empty board of tic-tac-toe. A move is ``a1``, at the bottom left. UTI
numbers the squares from 1 at the top left.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ulci.protocol.errors import LocalProtocolError
from ulci.protocol.text import quote

# Files have single letters.
MAX_SIDE = 26

EMPTY = "-"
_PLAYERS = {"x": "1", "o": "2"}
_LETTERS = {player: letter for letter, player in _PLAYERS.items()}
_START = re.compile(r"([xo0-9/]+) ([xo])(?: ([0-9]{1,2}))?")
_NAME = re.compile(r"([a-zA-Z])([0-9]{1,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Grid:
    """`cells` are the players' numbers or ``-``, row by row from the top; `turn` is 1 or 2."""

    width: int = 3
    height: int = 3
    winlength: int = 3
    cells: str = EMPTY * 9
    turn: int = 1

    def put(self, square: int) -> "Grid | None":
        """The board with a stone of the player to move; None if there is no such empty square."""
        if not 1 <= square <= len(self.cells) or self.cells[square - 1] != EMPTY:
            return None
        cells = f"{self.cells[: square - 1]}{self.turn}{self.cells[square:]}"
        return replace(self, cells=cells, turn=3 - self.turn)

    def square_untrusted(self, move: str) -> int | None:
        """The number of a square from its name; None if there is no such square."""
        if found := _NAME.fullmatch(move):
            column, row = ord(found[1].lower()) - ord("a"), self.height - int(found[2])
            if column < self.width and 0 <= row < self.height:
                return row * self.width + column + 1
        return None

    def name(self, square: int) -> str:
        """The name of a square; an invalid number stays as it is, to be judged as a move."""
        if not 1 <= square <= len(self.cells):
            return str(square)
        row, column = divmod(square - 1, self.width)
        return f"{chr(ord('a') + column)}{self.height - row}"

    def start(self) -> str | None:
        """The start as ``position`` sends it."""
        if self == Grid():
            return None
        firsts = range(0, len(self.cells), self.width)
        rows = "/".join(_row(self.cells[first : first + self.width]) for first in firsts)
        return f"{rows} {_LETTERS[str(self.turn)]} {self.winlength}"


def _row(cells: str) -> str:
    said = "".join(_LETTERS.get(cell, EMPTY) for cell in cells)
    return re.sub("-+", lambda gap: str(len(gap[0])), said)


def grid_of(start: str | None, moves: Sequence[str]) -> Grid:
    """The board that ``position`` describes.

    Raises:
        LocalProtocolError: it is not one of this game.
    """
    grid: Grid | None = Grid() if start is None else _read(start)
    for move in moves:
        square = None if grid is None else grid.square_untrusted(move)
        grid = None if grid is None or square is None else grid.put(square)
    if grid is None:
        said = quote(" ".join((start or "startpos", *moves)))
        raise LocalProtocolError(f"{said} is no position of a game that UTI can speak of")
    return grid


def _read(start: str) -> Grid | None:
    found = _START.fullmatch(start)
    if found is None:
        return None
    ranks = [
        "".join(_PLAYERS.get(token) or EMPTY * min(int(token), MAX_SIDE + 1) for token in tokens)
        for tokens in (re.findall(r"[0-9]+|[xo]", rank) for rank in found[1].split("/"))
    ]
    width, height, winlength = len(ranks[0]), len(ranks), int(found[3] or 3)
    fits = (
        1 <= width <= MAX_SIDE and height <= MAX_SIDE and {len(rank) for rank in ranks} == {width}
    )
    if not fits or not 1 <= winlength <= max(width, height):
        return None
    return Grid(width, height, winlength, "".join(ranks), int(_PLAYERS[found[2]]))
