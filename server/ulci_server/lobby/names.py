"""What do people take a name for? Nobody here is to pass for somebody else who is."""

import re
import unicodedata

MOST_MARKS = 3
"""Accents and the like on one letter: no script needs more, and many paint over other lines."""

# Printable, and yet nothing is seen of them: fillers of Hangul, an empty cell of Braille.
_BLANKS = str.maketrans(dict.fromkeys("\u115f\u1160\u2800\u3164\uffa0", " "))

# Cyrillic and Greek letters that look like Latin ones in a terminal.
_LATIN = str.maketrans({
    "\u0430": "a", "\u0432": "b", "\u0433": "r", "\u0435": "e", "\u043a": "k", "\u043c": "m",
    "\u043d": "h", "\u043e": "o", "\u0440": "p", "\u0441": "c", "\u0442": "t", "\u0443": "y",
    "\u0445": "x", "\u044c": "b", "\u0455": "s", "\u0456": "i", "\u0458": "j", "\u04bb": "h",
    "\u04cf": "l", "\u0501": "d", "\u051b": "q", "\u051d": "w", "\u03b1": "a", "\u03b2": "b",
    "\u03b5": "e", "\u03b7": "n", "\u03b9": "i", "\u03ba": "k", "\u03bc": "m", "\u03bd": "v",
    "\u03bf": "o", "\u03c1": "p", "\u03c4": "t", "\u03c5": "u", "\u03c7": "x", "\u03b6": "z",
})  # fmt: skip

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
        return name.lower()
    return unicodedata.normalize("NFKC", visible(name)).casefold().translate(_LATIN)


def taken_for(name: str) -> frozenset[str]:
    """Whom people might take somebody of that name for: the words that it is in the lobby and looks
    like, and whoever would be there a second time under it (Ada-2)."""
    word = "_".join(name.split())
    copied = _COPY.fullmatch(word)
    words = {name, word} if copied is None else {name, word, copied["name"]}
    return frozenset(words | set(map(looks, words)))
