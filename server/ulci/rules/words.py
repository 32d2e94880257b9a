"""How sentences about any game speak of numbers and of what somebody wrote."""

QUOTED_MAX = 40  # characters of a stranger's text that a sentence repeats; FEN fields fit

# Houdini 1.5 says NULL and Stockfish (none) where the standards ask for 0000.
NO_MOVE = frozenset({"0000", "(none)", "none", "null", "@@@@", "--"})


def count(number: int, noun: str) -> str:
    """``1 king``, ``2 kings``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(text: str) -> str:
    """What was written, in quotes, printable and short."""
    return ascii(text if len(text) <= QUOTED_MAX else text[: QUOTED_MAX - 1] + "~")
