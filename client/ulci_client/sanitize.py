"""Makes text from peers and engines safe to show: nothing of it may control the terminal. Pure.

A name or a chat line may hold escape sequences (they move the cursor, retitle the window, type for
the person), direction overrides (they disguise a text) or heaps of combining marks (they paint over
neighbouring lines).
"""

import unicodedata
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ulci.joiners import JOINERS
from ulci.protocol.text import without_idle_joiners

# Replaces a character that is not shown, so that the reader sees that something was there.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Vietnamese and pointed Hebrew need two on one letter; stacks of dozens are vandalism.
MAX_MARKS = 2

T = TypeVar("T", bound=Struct)


def clean(text: str) -> str:
    """The text as one line of printable characters, and joiners between what they can join."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MAX_MARKS:
            shown.append(char if char in JOINERS else _shown(char))
    return without_idle_joiners("".join(shown), REPLACEMENT)


def cleaned(message: T) -> T:
    """The message with every text in it cleaned."""
    values = asdict(message)
    clean_values = {name: _cleaned_value(value) for name, value in values.items()}
    if clean_values == values:
        return message
    return replace(message, **clean_values)


def _cleaned_value(value: object) -> object:
    if type(value) is str:  # an enumeration's member is ours, not the peer's text
        return clean(value)
    if isinstance(value, tuple):
        return tuple(_cleaned_value(one) for one in value)
    if isinstance(value, Struct):
        return cleaned(value)
    return value


def _shown(char: str) -> str:
    if char.isspace():
        return " "
    return char if char.isprintable() else REPLACEMENT
