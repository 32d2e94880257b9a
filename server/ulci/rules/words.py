"""How sentences about any game speak of numbers and of what somebody wrote."""

from collections.abc import Sequence

QUOTED_MAX = 40  # characters of a stranger's text that a sentence repeats; FEN fields fit

# Houdini 1.5 says NULL and Stockfish (none) where the standards ask for 0000.
NO_MOVE = frozenset({"0000", "(none)", "none", "null", "@@@@", "--"})


def count(number: int, noun: str) -> str:
    """``1 king``, ``2 kings``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str], last: str) -> str:
    """``a``, ``a or b``, ``a, b or c``; `last` is the word before the last one."""
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final


def quoted(text: str) -> str:
    """What was written, in quotes, printable and short."""
    return ascii(text if len(text) <= QUOTED_MAX else text[: QUOTED_MAX - 1] + "~")
