"""The board as rows of squares, at any size. Pure.

A sign is one row high. In a square of two rows it cannot be centred, so those squares are drawn
half a row lower: signs on every second row, and between them a row of half blocks that is the
lower edge of one rank and the upper edge of the next. Larger squares show pictures.
"""

from collections.abc import Sequence

from ulci.rules import Position
from ulci_client.terminal.model.game import Game, Square, file_name

from .pictures import PICTURES
from .rows import Piece, Row
from .theme import Colors, Theme

# Files with one-letter names.
ONE_LETTER = 26

LOWER, UPPER = "▄", "▀"


def size(position: Position) -> tuple[int, int]:
    """The numbers of files and ranks."""
    squares = position.squares()
    return len(squares[0]), len(squares)


def margin(ranks: int) -> int:
    """The columns left of the board, for rank numbers and a blank."""
    return max(2, len(str(ranks))) + 1


def height(theme: Theme, ranks: int, cell: tuple[int, int]) -> int:
    """The board's rows, without its file names."""
    return ranks * cell[1] + (1 if _in_halves(theme, cell) else 0)


def board_rows(game: Game, theme: Theme, cell: tuple[int, int], *, from_black: bool) -> list[Row]:
    """The squares with their coordinates; `cell` is a square's columns and rows."""
    assert game.shown is not None
    files, ranks = size(game.shown)
    across = range(files)[::-1] if from_black else range(files)
    down = range(ranks) if from_black else range(ranks)[::-1]
    drawing = _drawing(theme, cell)
    rows = drawing(game, theme, cell, across).rows(down)
    return [*rows, *_labels(theme, files, cell, across, margin(ranks))]


def label_rows(files: int, cell: tuple[int, int]) -> int:
    """The rows for the file names: names as wide as a square alternate between two rows."""
    return 2 if len(file_name(files - 1)) >= cell[0] else 1


def _labels(
    theme: Theme, files: int, cell: tuple[int, int], across: Sequence[int], left: int
) -> list[Row]:
    number = label_rows(files, cell)
    least = 2 if theme.colors is None and cell[0] == 2 else 1  # the mark stands left of the piece
    rows: list[Row] = []
    for row in range(number):
        names = (
            file_name(file) if row == ((file + 1) % number if file >= ONE_LETTER else 0) else ""
            for file in across
        )
        letters = "".join(_centred(name.rjust(least), cell[0]) for name in names)
        rows.append([("class:label", " " * left + letters)])
    return rows


def _in_halves(theme: Theme, cell: tuple[int, int]) -> bool:
    return theme.colors is not None and cell[1] == 2


class _Drawing:
    """Base of the ways to draw ranks."""

    def __init__(
        self, game: Game, theme: Theme, cell: tuple[int, int], across: Sequence[int]
    ) -> None:
        assert game.shown is not None
        self.theme = theme
        self.columns, self.lines = cell
        self.across = across
        self._men = game.shown.squares()[::-1]
        self.left = margin(len(self._men))
        self._last = game.last_squares()
        self._check = frozenset(game.shown.checked())

    def rows(self, down: Sequence[int]) -> list[Row]:
        """All ranks, from the top."""
        return [self.row(rank, line) for rank in down for line in range(self.lines)]

    def row(self, rank: int, line: int) -> Row:
        """One row of a rank; the rank's number is in the middle one."""
        label = f"{rank + 1:>{self.left - 1}} " if line == self.middle else " " * self.left
        squares = (self.square((file, rank), self._men[rank][file], line) for file in self.across)
        return [("class:label", label), *squares]

    @property
    def middle(self) -> int:
        """The row of a square that holds the sign."""
        return (self.lines - 1) // 2

    def square(self, at: Square, man: str, line: int) -> Piece:
        """One row of a square."""
        raise NotImplementedError

    def dark(self, at: Square) -> bool:
        return (at[0] + at[1]) % 2 == 0

    def marks(self, at: Square, last: str, check: str) -> str:
        """The square's mark: check, last move, or blanks."""
        return check if at in self._check else last if at in self._last else "  "

    def color(self, at: Square, colors: Colors) -> str:
        kinds = colors.plain
        if at in self._last:
            kinds = colors.last
        if at in self._check:
            kinds = colors.check
        return kinds[self.dark(at)]


class _Lettered(_Drawing):
    """Letters and marks, no colours."""

    def square(self, at: Square, man: str, line: int) -> Piece:
        if line != self.middle:
            return "", " " * self.columns
        marks = self.marks(at, self.theme.last, self.theme.check)
        sign = self.theme.man(man) if man else self.theme.dark if self.dark(at) else " "
        both = f"{marks[0]}{sign}{marks[1] if self.columns > 2 else ''}"
        return "", _centred(both, self.columns)


class _Colored(_Drawing):
    """Coloured squares with signs."""

    def square(self, at: Square, man: str, line: int) -> Piece:
        assert self.theme.colors is not None
        back = f"bg:{self.color(at, self.theme.colors)}"
        drawn = self.drawn(man, line) if man else ""
        if not drawn.strip():
            return back, " " * self.columns
        front = self.theme.colors.men[0 if man.isupper() else 1]
        return f"{back} {front}", drawn

    def drawn(self, man: str, line: int) -> str:
        """That row of the piece, as wide as a square."""
        return _centred(self.theme.man(man), self.columns) if line == self.middle else ""


class _Pictured(_Colored):
    """Coloured squares with pictures."""

    def drawn(self, man: str, line: int) -> str:
        picture = PICTURES[self.columns, self.lines].get(man.lower())
        return super().drawn(man, line) if picture is None else picture[line]


class _Halved(_Colored):
    """Squares of two rows, drawn half a row lower."""

    def rows(self, down: Sequence[int]) -> list[Row]:
        drawn: list[Row] = []
        for above, rank in zip((None, *down), (*down, None), strict=True):
            drawn.append(self._between(above, rank))
            if rank is not None:
                drawn.append(self.row(rank, self.middle))
        return drawn

    def _between(self, above: int | None, below: int | None) -> Row:
        assert self.theme.colors is not None
        colors = self.theme.colors
        row: Row = [("", " " * self.left)]
        for file in self.across:
            if above is None or below is None:
                edge, block = (below, LOWER) if above is None else (above, UPPER)
                assert edge is not None
                row.append((f"fg:{self.color((file, edge), colors)}", block * self.columns))
            else:
                upper, lower = (self.color((file, rank), colors) for rank in (above, below))
                row.append((f"bg:{upper} fg:{lower}", LOWER * self.columns))
        return row


def _drawing(theme: Theme, cell: tuple[int, int]) -> type[_Drawing]:
    if theme.colors is None:
        return _Lettered
    if theme.men and cell in PICTURES:  # a font without chess pieces lacks these blocks, too
        return _Pictured
    return _Halved if _in_halves(theme, cell) else _Colored


def _centred(text: str, columns: int) -> str:
    cells = len(text.replace("\ufe0e", ""))
    left = (columns - cells) // 2
    return " " * left + text + " " * (columns - cells - left)
