"""The formats of books, and how to tell a file of another format before it is used."""

import enum
import re
from collections.abc import Mapping
from pathlib import Path

from .opening import BookError

HEAD = 4096
"""Bytes by which a file shows its format."""

BOM = b"\xef\xbb\xbf"
"""Some editors put it before the first line of a text in UTF-8."""


class Format(enum.StrEnum):
    EPD = "epd"
    PGN = "pgn"
    POLYGLOT = "polyglot"


_SUFFIXES = {
    ".epd": Format.EPD,
    ".fen": Format.EPD,
    ".txt": Format.EPD,
    ".pgn": Format.PGN,
    ".bin": Format.POLYGLOT,
}

_TITLES: Mapping[Format, str] = {
    Format.EPD: "EPD (a position a line)",
    Format.PGN: "PGN (games)",
    Format.POLYGLOT: "a Polyglot book (binary)",
}

_PACKED = {
    b"\x1f\x8b": "gunzip -k",
    b"PK\x03\x04": "unzip",
    b"BZh": "bunzip2 -k",
    b"\xfd7zXZ": "unxz -k",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"7z\xbc\xaf": "7z x",
}
"""First bytes of compressed files, and what unpacks them."""

_GAME = re.compile(rb"\[\w+\s+\"|[0-9]+\s*\.")


def format_of(path: Path) -> Format | None:
    """The format that the file's name suggests."""
    return _SUFFIXES.get(path.suffix.lower())


def check_format(path: Path, head: bytes, asked: Format) -> None:
    """Raises BookError if the first bytes of a file are of another format than the declared one."""
    for first, unpack in _PACKED.items():
        if head.startswith(first):
            raise BookError(f"the book {path} is compressed; unpack it first: {unpack} {path}")
    if (found := _looks_like(head)) is not asked:
        raise BookError(
            f"the book {path} is not {_TITLES[asked]}, it looks like {_TITLES[found]}:"
            f" say format={found}"
        )


def _looks_like(head: bytes) -> Format:
    # A text has no zero byte; an entry of a Polyglot book has some in its last field.
    if b"\0" in head:
        return Format.POLYGLOT
    return Format.PGN if _GAME.match(head.removeprefix(BOM).lstrip()) else Format.EPD
