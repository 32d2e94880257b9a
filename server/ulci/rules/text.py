"""Text that all games share: quotes and counts in sentences, and moves as people type them."""

from collections.abc import Sequence

QUOTED_MAX = 40  # characters of a stranger's text in a sentence; FEN fields fit

# How programs say that they have no move: Houdini 1.5 sends NULL and Stockfish (none) where the
# standards require 0000.
NO_MOVES = frozenset({"0000", "(none)", "none", "null", "@@@@", "--"})


def count(number: int, noun: str) -> str:
    """``1 king``, ``2 kings``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str], last: str) -> str:
    """``a``, ``a or b``, ``a, b or c``; `last` is the conjunction."""
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final


def quoted(text: str) -> str:
    """A stranger's text in quotes, printable and short."""
    return ascii(text if len(text) <= QUOTED_MAX else text[: QUOTED_MAX - 1] + "~")


TEXT_MAX = 40  # longer than any move
SIGNS = "+#!?"
_IGNORED = str.maketrans("", "", SIGNS + "-=:. ")


def squeezed(text: str) -> str:
    """A move without case, signs and dashes: equal results may be the same move."""
    return text.casefold().removesuffix("e.p.").removesuffix("ep").translate(_IGNORED)
