"""Files of games on this machine's disk."""

import errno
import re
from pathlib import Path

# How a file of games in PGN begins, and every game of ours: with a tag.
BEGINNING = b"["
GAME = b"[Event "

# The tags that tell a game from every other: no player begins two in one second.
IDENTITY = frozenset({"Event", "Site", "White", "Black", "UTCDate", "UTCTime"})

# Bytes from the end of a file in which its last game is looked for: a file may hold millions.
TAIL = 1 << 20

_TAG = re.compile(r'\[(\w+) "(.*)"\]')


def put(path: Path, game: str) -> None:
    """Add the text of a game to a file of such texts, or make it. If the same game is the last
    one there, as it stood earlier, it is replaced.

    Raises:
        OSError: it cannot be written, or holds something else than games.
    """
    with path.open("a+b") as file:
        file.seek(0)
        if file.read(1) not in (b"", BEGINNING):
            raise FileExistsError(errno.EEXIST, "it is there, and is no file of games")
        size = file.seek(0, 2)
        tail = file.seek(max(0, size - TAIL))
        held = file.read()
        last = held.rfind(b"\n" + GAME) + 1
        same = _identity(held[last:].decode("utf-8", "replace"))
        if same is not None and same == _identity(game):
            file.truncate(tail + last)
        file.write(game.encode())  # whatever was read, it goes to the end


def _identity(game: str) -> dict[str, str] | None:
    """None if a tag is missing: then it may be any game."""
    tags = dict(_TAG.findall(game.partition("\n\n")[0]))
    return {name: tags[name] for name in IDENTITY} if tags.keys() >= IDENTITY else None
