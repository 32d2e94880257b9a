"""What is shown beside the board: captures, material lead, pockets, checks given. Pure.

A `Position` has no accessor for pockets and checks, but the FEN of crazyhouse and three-check has:
``…/RNBQKBNR[Qn] w`` lists the pockets, White's in upper case, and ``2+3`` the checks that White and
Black must still give.
"""

import re
from collections import Counter
from collections.abc import Iterable

from ulci.rules import Position, Side

# Usual values in pawns. Other games' pieces have none.
VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}

# Strongest first.
_ORDER = "qrbnp"

# Checks that win.
CHECKS = 3

_POCKETS = re.compile(r"[^ []*\[([A-Za-z]*)\]")
_CHECKS = re.compile(r"(?<!\S)([0-3])\+([0-3])(?!\S)")


def captured(opening: Position, position: Position, side: Side) -> str:
    """The side's pieces missing since the opening, strongest first, lower case."""
    return _in_order((_pieces(opening, side) - _pieces(position, side)).elements())


def pocket(rules: str, position: Position, side: Side) -> str | None:
    """The side's pocket, strongest first, lower case; None in games without drops."""
    found = _POCKETS.match(position.fen()) if rules == "crazyhouse" else None
    if found is None:
        return None
    return _in_order(man.lower() for man in found[1] if man.isupper() == (side is Side.WHITE))


def checks(rules: str, position: Position, side: Side) -> tuple[int, int] | None:
    """Checks given by the side, and how many win; None in other games."""
    found = _CHECKS.search(position.fen()) if rules == "3check" else None
    return None if found is None else (CHECKS - int(found[1 + side]), CHECKS)


def lead(position: Position) -> int | None:
    """White's material lead in pawns; None if some piece has no value."""
    pieces = [_pieces(position, side) for side in Side]
    if any(man not in VALUES for man in pieces[0] | pieces[1]):
        return None
    white, black = (sum(VALUES[man] * n for man, n in side.items()) for side in pieces)
    return white - black


def _in_order(pieces: Iterable[str]) -> str:
    return "".join(sorted(pieces, key=lambda man: (_ORDER.find(man) % 9, man)))


def _pieces(position: Position, side: Side) -> Counter[str]:
    return Counter(
        man.lower()
        for rank in position.squares()
        for man in rank
        if man and man.isupper() == (side is Side.WHITE)
    )
