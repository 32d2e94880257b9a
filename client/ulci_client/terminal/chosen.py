"""Which one is meant: a number that was typed, or the only one that there is. Pure."""

from collections.abc import Collection

from .needs import RefusedError


def number(text: str, example: str) -> int:
    """Raises RefusedError if it is none; the example is what could have been typed."""
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise RefusedError(f"{text} is not a number; write for example: {example}")
    return int(text)


def chosen(text: str, there: Collection[int], example: str, which: str = "which?") -> int:
    """The number that was typed; without one the only one there is, or `which` is asked."""
    if text:
        return number(text, example)
    if len(there) == 1:
        return next(iter(there))
    raise RefusedError(f"{which} write for example: {example}")
