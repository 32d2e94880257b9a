"""Names that look alike: nobody may pass for another player who is online."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import ip_network

from .confusables import DASHES, LATIN

MOST_MARKS = 3
"""Accents and the like on one letter: no script needs more, and many cover other lines."""

# Printable but invisible: fillers of Hangul, an empty cell of Braille.
_BLANKS = str.maketrans(dict.fromkeys("\u115f\u1160\u2800\u3164\uffa0", " "))

_COPY = re.compile(r"(?P<name>.+)-[0-9]+")


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
    if name.isascii():
        return name.lower().translate(LATIN)
    return unicodedata.normalize("NFKC", visible(name)).casefold().translate(LATIN)


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
    word = "_".join(unicodedata.normalize("NFKC", visible(name)).translate(DASHES).split())
    words = {name, word}
    while (copied := _COPY.fullmatch(word)) is not None:
        words.add(word := copied["name"])
    return frozenset(map(looks, words))
