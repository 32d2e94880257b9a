"""What a piece is worth on its square, by formulas that fit boards of any size.

A piece has a value of its own and bonuses for its square, each for the middlegame and for the
endgame. Squares are rated from 0 (worst) to 1 (best).
"""

from typing import NamedTuple


class Worth(NamedTuple):
    """Centipawns in the middlegame and in the endgame."""

    middle: int
    end: int


class PieceValue(NamedTuple):
    """A piece's value on a bad square, and the most that centrality and advancement add."""

    value: Worth
    centre: Worth
    forward: Worth


_NONE = Worth(0, 0)
PIECE_VALUES = {
    "p": PieceValue(Worth(90, 100), Worth(25, 0), Worth(15, 70)),
    "n": PieceValue(Worth(300, 290), Worth(45, 30), Worth(10, 5)),
    "b": PieceValue(Worth(320, 310), Worth(25, 15), Worth(5, 5)),
    "r": PieceValue(Worth(490, 510), Worth(12, 0), Worth(10, 10)),
    "q": PieceValue(Worth(940, 960), Worth(10, 25), _NONE),
    # Liberty Chess's pieces; for the last ones squares matter little.
    "a": PieceValue(Worth(760, 760), Worth(30, 20), Worth(5, 5)),
    "c": PieceValue(Worth(820, 830), Worth(20, 15), Worth(5, 5)),
    "m": PieceValue(Worth(1200, 1220), Worth(20, 25), _NONE),
    "u": PieceValue(Worth(520, 540), Worth(40, 40), Worth(10, 5)),
    "h": PieceValue(Worth(440, 450), Worth(40, 35), Worth(10, 5)),
    "i": PieceValue(Worth(480, 480), Worth(35, 25), Worth(5, 5)),
    "z": PieceValue(Worth(250, 240), Worth(35, 25), Worth(5, 5)),
    "l": PieceValue(Worth(230, 220), Worth(35, 25), Worth(5, 5)),
    "x": PieceValue(Worth(260, 280), Worth(30, 30), Worth(15, 10)),
    "e": PieceValue(Worth(340, 380), Worth(20, 25), Worth(10, 10)),
    "w": PieceValue(Worth(90, 70), _NONE, _NONE),
    "o": PieceValue(Worth(40, 30), _NONE, _NONE),
    # A king has only a square's value: hidden in the middlegame, central in the endgame.
    "k": PieceValue(_NONE, Worth(-40, 50), Worth(-30, 0)),
}


def worth(letter: str, file: int, rank: int, width: int, height: int) -> Worth:
    """The value of White's piece (lower-case letter) on a square of a width x height board.

    Files and ranks count from 0 at White's left; mirror them for Black.
    """
    piece = PIECE_VALUES[letter]
    centre = (_middle(file, width) + _middle(rank, height)) / 2
    forward = rank / (height - 1)
    middle, end = (
        round(value + centre * for_centre + forward * for_forward)
        for value, for_centre, for_forward in zip(*piece, strict=True)
    )
    return Worth(middle, end)


def _middle(at: int, size: int) -> float:
    """1 in the middle of a row of squares, 0 at its ends."""
    half = (size - 1) / 2
    return 1 - abs(at - half) / half
