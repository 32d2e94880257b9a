"""What do people take a name for? Nobody here is to pass for somebody else who is."""

import re
import unicodedata
from ipaddress import ip_network

from .confusables import DASHES, LATIN

MOST_MARKS = 3
"""Accents and the like on one letter: no script needs more, and many paint over other lines."""

# Printable, and yet nothing is seen of them: fillers of Hangul, an empty cell of Braille.
_BLANKS = str.maketrans(dict.fromkeys("\u115f\u1160\u2800\u3164\uffa0", " "))

_COPY = re.compile(r"(?P<name>.+)-[0-9]+")


def visible(name: str) -> str:
    """The name without letters that cannot be seen, and with no more marks than a letter bears."""
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
    """Whether it only joins or varies letters, and is nothing by itself."""
    return mark == "\u034f" or "VARIATION SELECTOR" in unicodedata.name(mark, "")


def looks(name: str) -> str:
    """The same for all names that people take for each other, whatever letters they are of."""
    if name.isascii():
        return name.lower().translate(LATIN)
    return unicodedata.normalize("NFKC", visible(name)).casefold().translate(LATIN)


def is_address(name: str) -> bool:
    """Whether it reads as an address or a network: nobody is called so, or a ban of that name would
    be one of everybody who is there."""
    try:
        ip_network(unicodedata.normalize("NFKC", name).strip(), strict=False)
    except ValueError:
        return False
    return True


def taken_for(name: str) -> frozenset[str]:
    """What all those look like for whom people might take somebody of that name: for the word that
    it is in the lobby, and for whoever would be there a second time under it (Ada-2)."""
    word = "_".join(unicodedata.normalize("NFKC", visible(name)).translate(DASHES).split())
    words = {name, word}
    while (copied := _COPY.fullmatch(word)) is not None:
        words.add(word := copied["name"])
    return frozenset(map(looks, words))
