"""Words, numbers and texts, read and written alike by all verbs."""

import re
import unicodedata
from collections.abc import Sequence

from ulci.joiners import JOINERS

from .errors import LocalProtocolError
from .masking import masked

# Characters of the faulty line in an error: enough to find it, too few to flood a log.
QUOTED = 60

# Neither msgpack nor SQL can store numbers beyond 64 bits.
LARGEST = 2**63 - 1

# Newer ULCI clients skip the word they don't know after ``info`` and read these, wherever they
# stand in the text, as an analysis. (The words behind ``score`` are read only after it.)
ANALYSIS_WORDS = frozenset({
    "depth", "seldepth", "multipv", "score", "wdl", "time", "nodes", "nps", "hashfull", "tbhits",
    "sbhits", "cpuload", "currmove", "currmovenumber", "currline", "refutation", "pv",
})  # fmt: skip

_NUMBER = re.compile(r"[+-]?[0-9]{1,19}")
# With the second row (C1) terminals spell their escape sequences in one character; its NEL is a
# blank. Characters that are merely invisible are no reason to refuse a line: `one_line` drops them.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


# Characters that programs print behind a line: colors of a terminal that are switched off, bells,
# the zero that ends a text in C.
_BEHIND = "".join(map(chr, (*range(0x21), *range(0x7F, 0xA0))))
_COLOR = re.compile(r"\x1b\[[0-9;]{0,20}m$")
_MOST_COLORS = 4

_FIRST_JOINED = "\u0590"
"""Before it are Latin, Greek and Cyrillic letters, which nothing joins."""


def without_junk_behind(line: str) -> str:
    """The line without control characters, and without colors after its last word."""
    line = line.rstrip(_BEHIND)
    for _ in range(_MOST_COLORS):
        if (color := _COLOR.search(line[-32:])) is None:
            break
        line = line[: -len(color[0])].rstrip(_BEHIND)
    return line


def without_idle_joiners(text: str, instead: str = "") -> str:
    """The text without joiners where they show nothing, as they do not stand between two characters
    that can be joined; `instead` takes their place."""
    if not any(joiner in text for joiner in JOINERS):
        return text
    around = f" {text} "
    return "".join(
        instead
        if char in JOINERS
        and not (_can_be_joined(around[at - 1]) and _can_be_joined(around[at + 1]))
        else char
        for at, char in enumerate(around[1:-1], start=1)
    )


def _can_be_joined(char: str) -> bool:
    """A letter, a mark (on one), or a symbol, such as an emoji."""
    category = unicodedata.category(char)
    return char >= _FIRST_JOINED and (category[0] in "LM" or category in ("So", "Sk"))


def control_in(text: str) -> str:
    """The first forbidden character of a line (control characters except the tab), or ``""``."""
    if text.isprintable():  # fast path in C, enough for nearly every line
        return ""
    found = _CONTROL.search(text)
    return found[0] if found else ""


def number_in(word: str, least: int = 0) -> int | None:
    """The whole number in `word`, from `least` to 64 bits; None if it is none."""
    if not _NUMBER.fullmatch(word):
        return None
    number = int(word)
    return number if least <= number <= LARGEST else None


def quote(text: str) -> str:
    """A piece of a peer's text for an error message: short, printable, without secrets."""
    head = masked(text[: QUOTED + 1])
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in head)
    return f'"{shown[: QUOTED - 1]}…"' if len(shown) > QUOTED else f'"{shown}"'


def one_line(text: str) -> str:
    """The text on one line, with single blanks and without unprintable characters, except joiners
    where they show something."""
    if not text.isprintable():
        text = without_idle_joiners(
            "".join(
                char if char.isprintable() or char in JOINERS else " " if char.isspace() else ""
                for char in text
            )
        )
    return " ".join(text.split())


def defuse(words: Sequence[str]) -> str:
    """The words as a text that no client parses as an analysis: ``depth`` becomes ``'depth'``."""
    return " ".join(f"'{word}'" if word in ANALYSIS_WORDS else word for word in words)


def plain(text: str) -> str:
    """Any text, made safe to follow ``info clienterror``, ``servererror`` or ``string``.

    One line, single blanks, no control characters, no bare analysis words. ``plain(plain(t))`` is
    ``plain(t)``.
    """
    return defuse(one_line(text).split())


def word(text: str) -> str:
    """`text` if it is one word; otherwise LocalProtocolError."""
    if text.split() != [text]:
        raise LocalProtocolError(f"{quote(text)} must be one word without blanks")
    return text


def words(texts: Sequence[str]) -> str:
    """The words joined by blanks; LocalProtocolError if one is not a word."""
    line = " ".join(texts)
    # Cheap for the moves of a long game: as many blanks as there are gaps means that no word has
    # one, and no two blanks in a row that none is empty.
    if (
        line.count(" ") != len(texts) - 1
        or "  " in line
        or not line.isprintable()
        or not (texts[0] and texts[-1])
    ):
        for text in texts:
            word(text)
    return line


def filled(text: str) -> str:
    """`text` unless it is empty; otherwise LocalProtocolError."""
    if not text or text.isspace():
        raise LocalProtocolError("a required text is empty")
    return text


def line_of(line: str) -> str:
    """`line` if it can be sent as one line; otherwise LocalProtocolError."""
    if control_in(line):
        raise LocalProtocolError(f"{quote(line)} must be one line without control characters")
    return line
