"""Positions, one a line: EPD, or a FEN, or the notation of another game.

EPD (PGN standard, 16.2) is four fields of a FEN and then operations, each ended by a semicolon; of
these the counters belong to the position. A FEN may be followed by moves as in ``position``:
``startpos moves e2e4 e7e5``. A comment begins with ``#``.
"""

import re
from collections.abc import Iterator

from ulci.rules import Rules
from ulci.rules.starts import MOST_PLIES

from .index import Blocks
from .judge import judged
from .opening import Opening, UnplayableError

COMMENT = "#"
MOVES = "moves"

_FIELDS = 4
_COUNTER = re.compile(r"\b(hmvc|fmvn) +(\d+) *;")
_COUNTERS = {"hmvc": "0", "fmvn": "1"}
_OPERATION = ";"


def uncommented(line: str) -> str:
    """The line without comment and surrounding blanks."""
    return line.partition(COMMENT)[0].strip()


def fen(text: str) -> str:
    """The FEN of a line of EPD; any other text as it is."""
    if _OPERATION not in text:
        return text
    fields = text.split(maxsplit=_FIELDS)
    if len(fields) <= _FIELDS:
        return text
    counters = {**_COUNTERS, **dict(_COUNTER.findall(fields[_FIELDS]))}
    return " ".join([*fields[:_FIELDS], *counters.values()])


def read_epd(rules: Rules, text: str, plies: int = MOST_PLIES) -> Opening:
    """The opening in the first line of the text, with at most so many of its moves.

    Raises:
        UnplayableError: the line is no opening of that game.
    """
    text = uncommented(text.partition("\n")[0])
    if not text.isprintable():
        raise UnplayableError("it is no text of printable letters")
    if _OPERATION in text:
        return judged(rules, fen(text), ())
    words = text.split()
    end = words.index(MOVES) if MOVES in words else len(words)
    return judged(rules, " ".join(words[:end]), words[end + 1 :][:plies])


def scan_lines(blocks: Blocks) -> Iterator[int]:
    """Where each line begins that is neither empty nor only a comment."""
    comment = COMMENT.encode()
    for at, lines in blocks:
        for line in lines:
            if (text := line.lstrip()) and not text.startswith(comment):
                yield at
            at += len(line)  # noqa: PLW2901 - a sum of its own would be slower
