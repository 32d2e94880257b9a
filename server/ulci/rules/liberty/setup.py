"""Constants of a game: the size of the board and the last fields of L-FEN."""

import functools
from dataclasses import dataclass

from .geometry import Geometry, geometry
from .pieces import ENTERS, KIND_OF

PROMOTIONS = "qrbn"  # unless the L-FEN gives others


@dataclass(frozen=True)
class Setup:
    """Rows and columns count from 1. `king_column` and `queen_column` are those of the castling
    partners; `castle_row` counts from each side's own edge of the board."""

    width: int
    height: int
    pawn_moves: int = 2
    pawn_row: int = 2
    castle_row: int = 1
    queen_column: int = 1
    king_column: int = 0
    promotions: str = PROMOTIONS
    friendly_fire: bool = False

    def __post_init__(self) -> None:
        """King column 0 means the last one."""
        object.__setattr__(self, "king_column", self.king_column or self.width)

    @functools.cached_property
    def geometry(self) -> Geometry:
        return geometry(self.width, self.height)

    @functools.cached_property
    def enters(self) -> list[bytes]:
        """By code of the mover: the codes whose squares it may enter (`pieces.ENTERS`)."""
        return ENTERS[self.friendly_fire]

    @functools.cached_property
    def promoted(self) -> tuple[int, ...]:
        """The kinds that a pawn may become."""
        return tuple(KIND_OF[letter] for letter in self.promotions)

    @functools.cached_property
    def castle_rows(self) -> tuple[range, range]:
        """The squares on which each side castles, from file a."""
        rows = (self.castle_row - 1, self.height - self.castle_row)
        first = [self.geometry.at(0, row) for row in rows]
        return range(first[0], first[0] + self.width), range(first[1], first[1] + self.width)

    @functools.cached_property
    def pawn_rows(self) -> tuple[range, range]:
        """The squares from which each side's pawns may go further than one step."""
        at, ranks = self.geometry.at, min(self.pawn_row, self.height)
        return range(at(0, 0), at(0, ranks)), range(at(0, self.height - ranks), at(0, self.height))

    @functools.cached_property
    def last_ranks(self) -> tuple[range, range]:
        """The squares on which each side's pawns are promoted."""
        top = self.geometry.at(0, self.height - 1)
        return range(top, top + self.width), range(
            self.geometry.first, self.geometry.first + self.width
        )
