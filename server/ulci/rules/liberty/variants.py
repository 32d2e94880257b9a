"""Liberty Chess as a row of the registry."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ulci.rules.position import Needs, Size, StartError
from ulci.rules.text import quoted

from .board import Board
from .lfen import read_lfen, write_lfen
from .position import LibertyPosition
from .setup import PROMOTIONS, Setup
from .sketch import Sketch, read_sketch
from .starts import LIBERTY, NAMED, STANDARD, named


@dataclass(frozen=True, slots=True)
class LibertyRules:
    """Every board and piece of L-FEN. The usual start, None, is that of standard chess, as
    ``startpos`` is in ULCI; without a request, players get the start named like the game."""

    name: str
    starts: Sequence[str | None]
    named: Mapping[str, str]

    def new(self, start: str | None = None, *, claims: bool = False) -> LibertyPosition:  # noqa: ARG002
        """A game from an L-FEN, from a start by its name (``mini``), or from the usual start.

        An L-FEN may lack all fields but the first. `LibertyPosition.start` is its normal form. All
        draws are automatic, whatever `claims`.

        Raises:
            StartError: no such start, or one that no program could play.
        """
        board = read(start)
        text = write_lfen(board)
        return LibertyPosition(board, None if text == STANDARD else text)

    def to_play(self, start: str) -> LibertyPosition:
        """As `new`: engines can play every valid start."""
        return self.new(start)

    def size(self, start: str | None) -> Size:
        return read_sketch(_lfen(start)).size

    def needs(self, start: str | None) -> Needs:
        """The letters and features that a client must know for this start.

        Raises:
            StartError: no such start.
        """
        return _needs(start)


def read(start: str | None) -> Board:
    """The board of an L-FEN or of a start by its name; None is the usual start.

    Raises:
        StartError: no such start, or one that no program could play.
    """
    return read_lfen(_lfen(start))


def _lfen(start: str | None) -> str:
    """The L-FEN of a start; unchanged if it is one already."""
    if start is None:
        return STANDARD
    lfen = named(start)
    if lfen is None and "/" not in start:
        raise StartError(
            f"there is no start named {quoted(start)}; expected an L-FEN or one of"
            f" {', '.join(NAMED)}"
        )
    return lfen or start


def _castling(setup: Setup) -> bool:
    """Columns are compared with those of the standard board, so any board that is not eight files
    wide needs the feature, with or without castling rights."""
    return (setup.castle_row, setup.queen_column, setup.king_column) != (1, 1, 8)


FEATURES: Mapping[str, Callable[[Sketch], bool]] = {
    "boardsize": lambda sketch: (sketch.setup.width, sketch.setup.height) != (8, 8),
    "pawnmoves": lambda sketch: (sketch.setup.pawn_moves, sketch.setup.pawn_row) != (2, 2),
    "castling": lambda sketch: _castling(sketch.setup),
    "multiplekings": lambda sketch: sketch.kings != (1, 1) or "k" in sketch.setup.promotions,
    "promotion": lambda sketch: sketch.setup.promotions != PROMOTIONS,
    "friendlyfire": lambda sketch: sketch.setup.friendly_fire,
}


@functools.lru_cache(maxsize=256)
def _needs(start: str | None) -> Needs:
    """Letters as in ``id pieces``, words as in ``id feature``. The ULCI programs of the game's
    author decide by the same rule which starts an engine can play. Letters of promotion count only
    if there is a pawn. Cached: pairing asks this again and again."""
    sketch = read_sketch(_lfen(start))
    pieces = sketch.letters
    if "p" in pieces:
        pieces |= set(sketch.setup.promotions)
    features = {word for word, needed in FEATURES.items() if needed(sketch)}
    return Needs(pieces, frozenset(features))


LIBERTY_CHESS = LibertyRules("liberty", starts=(LIBERTY,), named=NAMED)
