"""Rows of styled text: cut, padded, wrapped and joined by their width in cells. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from prompt_toolkit.utils import get_cwidth

Piece = tuple[str, str]
Row = list[Piece]
"""Fragments (style, text) from left to right: prompt_toolkit's formatted text."""


def width(row: Row) -> int:
    """The row's width in cells."""
    return sum(get_cwidth(text) for _, text in row)


def cut(text: str, cells: int, mark: str = "…") -> str:
    """The text, truncated with a mark if wider than so many cells."""
    if get_cwidth(text) <= cells:
        return text
    if cells <= len(mark):
        return mark[: max(cells, 0)]
    kept, used = "", 0
    for char in text:
        used += get_cwidth(char)
        if used > cells - len(mark):
            break
        kept += char
    return kept + mark


def fitted(row: Row, cells: int) -> Row:
    """Exactly so many cells: cut, or padded on the right."""
    kept: Row = []
    left = cells
    for style, text in row:
        kept.append((style, cut(text, left)))
        left -= get_cwidth(kept[-1][1])
        if left <= 0:
            break
    if left > 0:
        kept.append(("", " " * left))
    return kept


def apart(left: Row, right: Row, cells: int) -> Row:
    """One at each end of so many cells; the left one is cut first."""
    room = cells - width(right)
    return [*fitted(left, max(room, 0)), *right] if room > 0 else fitted(right, cells)


def wrapped(text: str, cells: int) -> Iterator[str]:
    """Lines of at most so many cells, broken at blanks if possible."""
    if get_cwidth(text) <= cells:  # keep a table's blanks
        yield text
        return
    line = ""
    for word in chain.from_iterable(_broken(word, cells) for word in text.split(" ")):
        longer = f"{line} {word}" if line else word
        if get_cwidth(longer) <= cells:
            line = longer
        else:
            yield line
            line = word
    yield line


def _broken(word: str, cells: int) -> Iterator[str]:
    """A word in pieces of at most a line."""
    while get_cwidth(word) > cells and (head := cut(word, cells, "")):
        yield head
        word = word[len(head) :]
    yield word


def side_by_side(left: Sequence[Row], right: Sequence[Row], cells: int, gap: int = 2) -> list[Row]:
    """Two blocks side by side, the left one padded to so many cells."""
    nothing: Row = []
    both = zip_longest(left, right, fillvalue=nothing)
    return [[*fitted(one, cells), ("", " " * gap), *other] for one, other in both]


def exactly(rows: Iterable[Row], number: int) -> list[Row]:
    """Exactly so many rows: cut at the bottom, or filled with empty ones."""
    kept = [*rows][:number]
    return kept + [[] for _ in range(number - len(kept))]
