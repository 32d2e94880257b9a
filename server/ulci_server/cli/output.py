"""Output of commands: tables for people, and files that are complete or not written at all."""

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from ulci.joiners import JOINERS
from ulci.protocol.text import without_idle_joiners

from .errors import Failure

STANDARD = Path("-")


@contextmanager
def open_output(path: Path = STANDARD) -> Iterator[TextIO]:
    """A text in UTF-8. A file takes the place of an older one only when the block ends well.

    Raises:
        Failure: it cannot be written.
    """
    try:
        if path == STANDARD:
            if isinstance(sys.stdout, TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")
            yield sys.stdout
            sys.stdout.flush()
        elif path.exists() and not path.is_file():  # a device or a pipe
            with path.open("w", encoding="utf-8") as file:
                yield file
        else:
            with _replaced(path) as file:
                yield file
    except BrokenPipeError:  # whoever reads has seen enough
        raise
    except OSError as error:
        where = "the output" if path == STANDARD else path
        raise Failure(f"cannot write {where}: {error.strerror}") from None


@contextmanager
def _replaced(path: Path) -> Iterator[TextIO]:
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


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
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def shown(text: str, most: int) -> str:
    """What somebody else wrote, on one line, without anything that a terminal obeys, and cut to
    `most` columns."""
    clean = without_idle_joiners(
        "".join(letter if letter.isprintable() or letter in JOINERS else "?" for letter in text),
        "?",
    )
    if width(clean) <= most:
        return clean
    while width(clean) > most - 1:
        clean = clean[:-1]
    return clean + "…"


def minute(at: datetime | None) -> str:
    """A time in a table; empty if there is none."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


def counted(number: int, what: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
