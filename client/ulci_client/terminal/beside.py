"""What a variant keeps beside the board: men in hand, and checks given. Pure.

A `Position` has no word for either, but the FEN of these variants has: ``…/RNBQKBNR[Qn] w`` are men
in hand, upper case White's, and ``2+3`` are the checks that White and Black must still give.
"""

import re

from ulci.rules import Position, Side

# Who has given so many has won.
CHECKS = 3

_HANDS = re.compile(r"[^ []*\[([A-Za-z]*)\]")
_CHECKS = re.compile(r"(?<!\S)([0-3])\+([0-3])(?!\S)")


def hand(rules: str, position: Position, side: Side) -> str | None:
    """The men that the side may drop, lower case, as they stand there; None in other games."""
    found = _HANDS.match(position.fen()) if rules == "crazyhouse" else None
    if found is None:
        return None
    return "".join(man.lower() for man in found[1] if man.isupper() == (side is Side.WHITE))


def checks(rules: str, position: Position, side: Side) -> tuple[int, int] | None:
    """How many checks the side has given, and how many win; None in other games."""
    found = _CHECKS.search(position.fen()) if rules == "3check" else None
    return None if found is None else (CHECKS - int(found[1 + side]), CHECKS)
