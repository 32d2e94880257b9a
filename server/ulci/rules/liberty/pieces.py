"""The eighteen kinds of men: how they move, what they can take, and what can take them.

A man on the board is a small number, so that its properties can be looked up in tables: the number
of its kind for White, `BLACK` more for Black, `EMPTY` for no man, `EDGE` off the board.
"""

from collections.abc import Iterable
from typing import NamedTuple

Pair = tuple[int, int]
"""Files and ranks that a step goes."""


def _every_way(files: int, ranks: int) -> tuple[Pair, ...]:
    """A leap in all directions."""
    return tuple(
        sorted(
            {pair for a in (files, -files) for b in (ranks, -ranks) for pair in ((a, b), (b, a))}
        )
    )


ORTHOGONAL, DIAGONAL = _every_way(0, 1), _every_way(1, 1)
STEPS = ORTHOGONAL + DIAGONAL
KNIGHT, CAMEL, ZEBRA = _every_way(1, 2), _every_way(1, 3), _every_way(2, 3)
TWO_STEPS = _every_way(0, 2) + _every_way(2, 2)
_NONE: tuple[Pair, ...] = ()

BASIC, POWERFUL, UNABLE = 2, 3, 1  # attack: it takes men with less defence
SOFT, HARD, SAFE = 1, 2, 3  # defence


class PieceKind(NamedTuple):
    """The rules of one letter. `leaps` ignore what stands between; `rides` repeat a step over
    empty squares. Pawns, castling, El Vaticano and the moves of obstacles and walls to any empty
    square are not in this table."""

    letter: str
    name: str
    leaps: tuple[Pair, ...]
    rides: tuple[Pair, ...]
    attack: int
    defence: int


# In the order of ``id pieces`` as the ULCI programs of its author write it.
KINDS = (
    PieceKind("k", "king", STEPS, _NONE, POWERFUL, SAFE),
    PieceKind("m", "amazon", KNIGHT, STEPS, BASIC, SOFT),
    PieceKind("q", "queen", _NONE, STEPS, BASIC, SOFT),
    PieceKind("c", "chancellor", KNIGHT, ORTHOGONAL, BASIC, SOFT),
    PieceKind("a", "archbishop", KNIGHT, DIAGONAL, BASIC, SOFT),
    PieceKind("e", "elephant", STEPS, _NONE, POWERFUL, HARD),
    PieceKind("h", "champion", STEPS + TWO_STEPS, _NONE, BASIC, SOFT),
    PieceKind("u", "centaur", STEPS + KNIGHT, _NONE, BASIC, SOFT),
    PieceKind("r", "rook", _NONE, ORTHOGONAL, BASIC, SOFT),
    PieceKind("i", "nightrider", _NONE, KNIGHT, BASIC, SOFT),
    PieceKind("w", "wall", _NONE, _NONE, UNABLE, HARD),
    PieceKind("b", "bishop", _NONE, DIAGONAL, BASIC, SOFT),
    PieceKind("z", "zebra", ZEBRA, _NONE, BASIC, SOFT),
    PieceKind("n", "knight", KNIGHT, _NONE, BASIC, SOFT),
    PieceKind("x", "mann", STEPS, _NONE, BASIC, SOFT),
    PieceKind("l", "camel", CAMEL, _NONE, BASIC, SOFT),
    PieceKind("o", "obstacle", _NONE, _NONE, UNABLE, SOFT),
    PieceKind("p", "pawn", _NONE, _NONE, POWERFUL, SOFT),
)
LETTERS = "".join(kind.letter for kind in KINDS)

EMPTY, BLACK, EDGE = 0, 32, 64
CODES = EDGE + 1  # length of a table of all codes
MAN = BLACK - 1  # this mask gives the kind of a code
SIDE = 5  # this shift gives its side: 0, 1, or 2 for the edge

KIND_OF = {kind.letter: number for number, kind in enumerate(KINDS, start=1)}
"""The number of a kind by its letter."""
KING, PAWN, BISHOP = KIND_OF["k"], KIND_OF["p"], KIND_OF["b"]
NIGHTRIDER = KIND_OF["i"]
ANYWHERE = frozenset((KIND_OF["o"], KIND_OF["w"]))
"""Kinds that move to any empty square, take nothing and give no check."""

LETTER: list[str] = [""] * CODES
"""A code as L-FEN writes it, upper case for White."""
for _number, _kind in enumerate(KINDS, start=1):
    LETTER[_number], LETTER[_number + BLACK] = _kind.letter.upper(), _kind.letter
CODE_OF = {letter: code for code, letter in enumerate(LETTER) if letter}


def kind_of(code: int) -> PieceKind:
    """The kind of a man by its code."""
    return KINDS[(code & MAN) - 1]


def table(codes: Iterable[int]) -> bytes:
    """True for these codes."""
    found = bytearray(CODES)
    for code in codes:
        found[code] = True
    return bytes(found)


TAKES = 2


def _enters(code: int, *, friendly_fire: bool) -> bytes:
    """For each code, whether the man may enter its square: `TAKES`, 1 if empty, 0 if not."""
    found = bytearray(CODES)
    found[EMPTY] = True
    for other in CODE_OF.values():
        hostile = friendly_fire or code >> SIDE != other >> SIDE
        if hostile and kind_of(code).attack > kind_of(other).defence:
            found[other] = TAKES
    return bytes(found)


ENTERS: tuple[list[bytes], list[bytes]] = tuple(  # type: ignore[assignment]
    [_enters(code, friendly_fire=fire) if LETTER[code] else bytes(CODES) for code in range(CODES)]
    for fire in (False, True)
)
"""By friendly fire and the code of the mover."""
