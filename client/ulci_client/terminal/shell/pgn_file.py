"""Files of games in PGN, also such as other programs wrote."""

import errno
import re
from contextlib import suppress
from io import FileIO
from pathlib import Path

# Bytes at the end of a file that are searched for its last game, and of its beginning for a tag.
TAIL = 1 << 20
HEAD = 1 << 16

# A byte order mark, which programs of Windows write.
MARK = b"\xef\xbb\xbf"

# Before the first tag there may be blank lines, comments and lines for programs (PGN standard, 5
# and 6).
_BEGINNING = re.compile(rb"(?:\s|[;%][^\n]*\n)*(?:\[|$)")

# How every game begins that we write, and what only stands before a game.
_GAME = re.compile(rb"^\[Event ", re.MULTILINE)
_TAG_LINE = re.compile(r'^\[\w+ "', re.MULTILINE)

# Tags that identify a game: no player begins two in one second.
IDENTITY = frozenset({"Event", "Site", "White", "Black", "UTCDate", "UTCTime"})

_TAG = re.compile(r'\[(\w+) "(.*)"\]')


def append_game(path: Path, game: str) -> None:
    """Append a game to a PGN file, or create it. If the file's last game is an earlier save of the
    same game, it is replaced. An empty line separates the games, in the file's own kind of lines.

    Raises:
        OSError: the file cannot be written, and is as it was; or it is no PGN file.
    """
    with path.open("a+b", buffering=0) as file:  # a full disk is noticed at once
        file.seek(0)
        if not _BEGINNING.match(file.read(HEAD).removeprefix(MARK)):
            raise FileExistsError(errno.EEXIST, "it exists and is not a PGN file")
        begin = file.seek(max(0, file.seek(0, 2) - TAIL))
        held = file.read()
        kept = _without(held, game)
        newline = b"\r\n" if b"\r\n" in held else b"\n"
        added = _separator(kept, newline) + game.encode().replace(b"\n", newline)
        try:
            _replace(file, begin + len(kept), added)
        except OSError:
            with suppress(OSError):  # there was room for what was there
                _replace(file, begin + len(kept), held[len(kept) :])
            raise


def _without(held: bytes, game: str) -> bytes:
    """The end of a file, without an earlier save of that game at its end."""
    begins = [found.start() for found in _GAME.finditer(held)]
    if not begins:
        return held
    last = held[begins[-1] :].decode("utf-8", "replace").replace("\r\n", "\n")
    tags, _, moves = last.partition("\n\n")
    same = _identity(tags) == _identity(game.partition("\n\n")[0]) is not None
    if not same or _TAG_LINE.search(moves):  # the game of another program follows it
        return held
    return held[: begins[-1]]


def _separator(kept: bytes, newline: bytes) -> bytes:
    """What is missing at the end of these games before another one may begin."""
    if not kept.removeprefix(MARK).strip() or kept.endswith((b"\n\n", b"\n\r\n")):
        return b""
    return newline if kept.endswith(b"\n") else newline * 2


def _replace(file: FileIO, at: int, data: bytes) -> None:
    """Let the file end with `data` from there on. Raises OSError."""
    file.truncate(at)
    file.seek(at)
    while data:
        data = data[file.write(data) :]


def _identity(tags: str) -> dict[str, str] | None:
    """The identifying tags; None if one is missing."""
    found = dict(_TAG.findall(tags))
    return {name: found[name] for name in IDENTITY} if found.keys() >= IDENTITY else None
