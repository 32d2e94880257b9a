"""A table for people: columns as wide as what stands in them, one line a row."""

import unicodedata
from collections.abc import Sequence

GAP = "  "


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> str:
    """`right`: the heads of the columns that are aligned at their right edge (numbers)."""
    return columns([head, *rows], [name in right for name in head])


def columns(lines: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> str:
    """The same without a head; `right` says of each column whether it is aligned at the right."""
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    to_right = [*right, *[False] * (len(widths) - len(right))]
    return "\n".join(GAP.join(map(_padded, line, widths, to_right)).rstrip() for line in lines)


def _padded(text: str, wide: int, to_right: bool) -> str:
    blanks = " " * (wide - width(text))
    return blanks + text if to_right else text + blanks


def width(text: str) -> int:
    """Columns of a terminal that it takes."""
    return sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def shown(text: str, most: int) -> str:
    """What somebody else wrote, on one line, without anything that a terminal obeys, and cut to
    `most` columns."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text)
    if width(clean) <= most:
        return clean
    while width(clean) > most - 1:
        clean = clean[:-1]
    return clean + "…"
