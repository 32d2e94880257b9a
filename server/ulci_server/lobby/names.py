"""Names that look alike: nobody may pass for another player who is online."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import ip_network

from .confusables import DASHES, LATIN, UNFOLDED

LONGEST = 100
"""Letters of a name that are looked at: nobody's has more, its number included. A line may have
thousands, which would take 100 ms."""

MOST_MARKS = 3
"""Accents and the like on one letter: no script needs more, and many cover other lines."""

# Printable but invisible: fillers of Hangul, an empty cell of Braille.
_BLANKS = str.maketrans(dict.fromkeys("\u115f\u1160\u2800\u3164\uffa0", " "))

# Unicode's blocks of combining marks that belong to no script. After NFKC those of usual letters
# (of an umlaut, an accent) are parts of these.
_GENERAL_MARKS = (
    range(0x0300, 0x0370),
    range(0x1AB0, 0x1B00),
    range(0x1DC0, 0x1E00),
    range(0x20D0, 0x2100),
    range(0xFE20, 0xFE30),
)

_COPY = re.compile(r"(?P<name>.+)-\d+")  # in the digits of any script


def visible(name: str) -> str:
    """The name without invisible letters, and with at most `MOST_MARKS` marks on a letter."""
    if name.isascii():
        return name
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", name).translate(_BLANKS):
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS and not (marks and _is_nothing(letter)):
            kept.append(letter)
    return "".join(kept)


def _is_nothing(mark: str) -> bool:
    """Whether the mark only joins or varies letters, and shows nothing itself."""
    return mark == "\u034f" or "VARIATION SELECTOR" in unicodedata.name(mark, "")


@lru_cache(maxsize=4096)  # a newcomer's name is compared a dozen times
def looks(name: str) -> str:
    """A key that is equal for all names that look alike, in any script."""
    name = name[:LONGEST]
    if name.isascii():
        return name.lower().translate(LATIN)
    text = unicodedata.normalize("NFKC", visible(name).translate(UNFOLDED))
    text = "".join(letter for letter in text if not _is_ornament(letter))
    text = text.translate(UNFOLDED).casefold().translate(LATIN)
    return "".join(map(_ascii_digit, text)).translate(LATIN)


def _is_ornament(letter: str) -> bool:
    """Whether it shows nothing, or is a mark of no script that is still apart from its letter: a
    stroke through it, a line below it, or one that the letter is never written with."""
    category = unicodedata.category(letter)
    if category in ("Cf", "Me"):
        return True
    return category == "Mn" and any(ord(letter) in block for block in _GENERAL_MARKS)


def _ascii_digit(letter: str) -> str:
    """A decimal digit of any script as its value; other letters as they are."""
    return letter if letter.isascii() else str(unicodedata.decimal(letter, letter))


def is_address(name: str) -> bool:
    """Whether the name reads as an address or a network. Such names are refused: a ban of the name
    would be taken for a ban of the address."""
    plain = unicodedata.normalize("NFKC", name).strip()
    if "." not in plain and ":" not in plain:
        return False
    try:
        ip_network(plain, strict=False)
    except ValueError:
        return False
    return True


def taken_for(name: str) -> frozenset[str]:
    """The keys (`looks`) of all names that this one might be taken for: itself, its one-word form
    in the lobby, and the names of which it would be the copy (Ada, for Ada-2)."""
    name = name[:LONGEST]
    word = "_".join(unicodedata.normalize("NFKC", visible(name)).translate(DASHES).split())
    words = {name, word}
    while (copied := _COPY.fullmatch(word)) is not None:
        words.add(word := copied["name"])
    return frozenset(map(looks, words))


def names_of(handle: str) -> tuple[str, ...]:
    """The names under which whoever has this handle in the lobby may be recorded, the likeliest
    first: it may be a copy (Ada-2, of Ada), and one word of several (Ada_Lovelace)."""
    copied = _COPY.fullmatch(handle)
    words = (handle, copied["name"]) if copied is not None else (handle,)
    return tuple(dict.fromkeys((*words, *(word.replace("_", " ") for word in words))))
