"""A position as SVG, without style sheets and scripts, so that every client draws it alike.

The pieces are the symbols of ``static/pieces.svg``; the picture contains only those that stand on
the board. Each use of a symbol sets ``fill``, ``stroke`` and ``color``.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import NamedTuple

from ulci.rules import GAME_TABLE
from ulci.rules.liberty.pieces import LETTERS
from ulci_server.web.documents import Document, square_name

SQUARE = 45
"""Units of a square's side, as in the symbols of the pieces."""

MOST_SIDE = 64
"""Squares of a side: so a picture has 250 kB at most."""

MOST_WIDE = 720
"""Pixels of the largest width, unless the page that shows the picture sets another."""

LIGHT, DARK = "#e9edee", "#9bb0bc"
ON_LIGHT, ON_DARK = "#4f6470", "#1c2c36"
MARK, CHECK = "#b86a00", "#b3201b"
PIECES: Mapping[bool, str] = {
    True: 'fill="#fff" stroke="#20292e" color="#20292e"',
    False: 'fill="#2a3338" stroke="#0d1215" color="#f2f5f6"',
}
"""White's and Black's."""

STONES: Mapping[bool, str] = {
    True: 'fill="none" stroke="#1c2c36" color="#1c2c36"',
    False: 'fill="none" stroke="#8a4300" color="#8a4300"',
}

_SYMBOL = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
_SHARED = re.compile(r'<path id="[\w-]+"[^>]*/>')
_SQUARES = re.compile(r"[a-z]{1,2}[1-9][0-9]{0,2}")


class TooLargeError(ValueError):
    """The board has no picture. The text says why."""


class Scene(NamedTuple):
    """A position to draw. board: from `documents.board`. move: the last move, or empty. title: for
    people who do not see the picture. flipped: draws Black's side below."""

    board: Document
    rules: str
    title: str
    move: str = ""
    flipped: bool = False


def board_picture(scene: Scene) -> bytes:
    """The picture as SVG. For a worker thread: 64x64 squares full of pieces take 20 ms. Raises
    `TooLargeError`."""
    ranks = scene.board["ranks"]
    if not ranks:
        raise TooLargeError("the board of this game is not known here")
    if max(len(ranks), len(ranks[0])) > MOST_SIDE:
        raise TooLargeError(f"a board of more than {MOST_SIDE} squares a side has no picture")
    return _Drawing(scene).svg().encode()


@cache
def _symbols() -> tuple[Mapping[str, str], str]:
    """The symbols by name, and the paths that several of them use."""
    text = files("ulci_server.web").joinpath("static", "pieces.svg").read_text()
    return {found[1]: found[0] for found in _SYMBOL.finditer(text)}, "".join(_SHARED.findall(text))


class _Drawing:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._ranks = scene.board["ranks"]
        self._rows, self._columns = len(self._ranks), len(self._ranks[0])
        row = GAME_TABLE.get(scene.rules)
        self._stones = row is not None and row.stones
        self._used: set[str] = set()

    def svg(self) -> str:
        """The whole picture."""
        pockets = self._scene.board["pockets"]
        strip = SQUARE if pockets else 0
        wide, high = self._columns * SQUARE, self._rows * SQUARE + 2 * strip
        scale = min(1.0, MOST_WIDE / wide)
        body = "".join([*self._ground(), *self._marks(), *self._names(), *self._pieces()])
        around = "".join(self._pockets(pockets, strip)) if pockets else ""
        title = escape(self._scene.title)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-strip} {wide} {high}"'
            f' width="{wide * scale:.0f}" height="{high * scale:.0f}" role="img">'
            f"<title>{title}</title><defs>{self._definitions()}</defs>{around}{body}</svg>\n"
        )

    def _definitions(self) -> str:
        symbols, shared = _symbols()
        used = "".join(symbols[name] for name in sorted(self._used))
        file, rank = self._square_at(0, 0)
        shift = SQUARE * ((file + rank) % 2)
        return (
            f'<pattern id="dark" width="90" height="90" x="{shift}" patternUnits="userSpaceOnUse">'
            f'<path fill="{DARK}" d="M0 0h45v90h45V45H0z"/></pattern>'
            '<pattern id="lines" width="45" height="45" patternUnits="userSpaceOnUse">'
            f'<path fill="none" stroke="{ON_LIGHT}" d="M0 0h45v45H0z"/></pattern>'
            f"{shared}{used}"
        )

    def _ground(self) -> Iterator[str]:
        whole = f'width="{self._columns * SQUARE}" height="{self._rows * SQUARE}"'
        yield f'<rect {whole} fill="{LIGHT}"/>'
        yield f'<rect {whole} fill="url(#{"lines" if self._stones else "dark"})"/>'

    def _square_at(self, column: int, row: int) -> tuple[int, int]:
        """The file and rank of a square, from 0. column, row: from 0, as seen from the top left."""
        if self._scene.flipped:
            return self._columns - 1 - column, row
        return column, self._rows - 1 - row

    def _place_of(self, file: int, rank: int) -> tuple[int, int]:
        """The top left corner of a square, in units. file, rank: from 0."""
        column = self._columns - 1 - file if self._scene.flipped else file
        row = rank if self._scene.flipped else self._rows - 1 - rank
        return column * SQUARE, row * SQUARE

    def _named(self, square: str) -> tuple[int, int] | None:
        """The top left corner of the square of that name, in units; None if it is not on the
        board."""
        letters = square.rstrip("0123456789")
        file = 0
        for letter in letters:
            file = file * 26 + ord(letter) - ord("a") + 1
        rank = int(square[len(letters) :])
        if not (1 <= file <= self._columns and 1 <= rank <= self._rows):
            return None
        return self._place_of(file - 1, rank - 1)

    def _marks(self) -> Iterator[str]:
        """Corners around the square that the last move left, a frame around the one it came to, and
        a thick frame around a king in check."""
        *left, reached = _SQUARES.findall(self._scene.move)[:2] or [""]
        for square in left:
            if (place := self._named(square)) is not None:
                x, y = place
                yield (
                    f'<path transform="translate({x} {y})" fill="none" stroke="{MARK}"'
                    ' stroke-width="3" d="M1.5 12V1.5H12M33 1.5h10.5V12M43.5 33v10.5H33M12'
                    ' 43.5H1.5V33"/>'
                )
        if reached and (place := self._named(reached)) is not None:
            yield _frame(place, MARK, 3)
        for square in self._scene.board["check"]:
            if (place := self._named(square)) is not None:
                yield _frame(place, CHECK, 5)

    def _names(self) -> Iterator[str]:
        """The names of files and ranks, at the edge."""
        size = 'font-family="sans-serif" font-weight="600" font-size="9"'
        yield f"<g {size}>"
        for row in range(self._rows):
            file, rank = self._square_at(0, row)
            color = self._ink(file, rank)
            yield f'<text x="2" y="{row * SQUARE + 9.5}" fill="{color}">{rank + 1}</text>'
        bottom = self._rows - 1
        for column in range(self._columns):
            file, rank = self._square_at(column, bottom)
            x, y = column * SQUARE + 43, bottom * SQUARE + 42.5
            name, color = square_name(file, 0)[:-1], self._ink(file, rank)
            yield f'<text x="{x}" y="{y}" text-anchor="end" fill="{color}">{name}</text>'
        yield "</g>"

    def _ink(self, file: int, rank: int) -> str:
        return ON_LIGHT if self._stones or (file + rank) % 2 else ON_DARK

    def _pieces(self) -> Iterator[str]:
        for white in (True, False):
            yield f"<g {self._colors(white)}>"
            for row, rank in enumerate(reversed(self._ranks)):
                for file, letter in enumerate(rank):
                    if letter != "." and letter.isupper() == white:
                        yield self._piece(letter, *self._place_of(file, row))
            yield "</g>"

    def _colors(self, white: bool) -> str:
        return (STONES if self._stones else PIECES)[white]

    def _piece(self, letter: str, x: float, y: float, size: int = SQUARE) -> str:
        name = letter.lower()
        if self._stones:
            name = f"stone-{name}"
        if name in _symbols()[0] and (self._stones or name in LETTERS):
            self._used.add(name)
            return f'<use href="#{name}" x="{x}" y="{y}" width="{size}" height="{size}"/>'
        middle = f'x="{x + size / 2}" y="{y + size * 0.66}"'
        return (
            f'<circle cx="{x + size / 2}" cy="{y + size / 2}" r="{size * 0.36}" stroke-width="2"/>'
            f'<text {middle} text-anchor="middle" font-family="sans-serif" font-weight="700"'
            f' font-size="20" stroke="none" fill="currentColor">{escape(letter.upper())}</text>'
        )

    def _pockets(self, pockets: Mapping[str, str], strip: int) -> Iterator[str]:
        """The pieces in hand: Black's above the board, unless the board is flipped."""
        wide, bottom = self._columns * SQUARE, self._rows * SQUARE
        top_is_white = self._scene.flipped
        for y, white in ((-strip, top_is_white), (bottom, not top_is_white)):
            yield f'<rect y="{y}" width="{wide}" height="{strip}" fill="{LIGHT}"/>'
            yield f"<g {self._colors(white)}>"
            held = Counter(pockets["white" if white else "black"])
            for place, (letter, number) in enumerate(held.items()):
                shown = letter.upper() if white else letter.lower()
                yield self._piece(shown, place * SQUARE, y + 4, 36)
                yield (
                    f'<text x="{place * SQUARE + 33}" y="{y + strip - 4}" stroke="none"'
                    f' fill="{ON_DARK}" font-family="sans-serif" font-size="12">{number}</text>'
                )
            yield "</g>"


def _frame(place: tuple[int, int], color: str, width: int) -> str:
    x, y = place
    half = width / 2
    return (
        f'<rect x="{x + half}" y="{y + half}" width="{SQUARE - width}" height="{SQUARE - width}"'
        f' fill="none" stroke="{color}" stroke-width="{width}"/>'
    )
