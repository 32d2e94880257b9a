"""What a game must offer to be thought about."""

from collections.abc import Hashable
from typing import Protocol, TypeVar

Move = TypeVar("Move", bound=Hashable)


class PositionError(ValueError):
    """A position that cannot be thought about; the text says what is wrong with it."""


class Board(Protocol[Move]):
    """One position that moves are made and taken back on. Scores are centipawns, as the side to
    move sees them."""

    def moves(self) -> list[Move]:
        """Every legal move, those that are likely to be good first."""
        ...

    def captures(self) -> list[Move]:
        """The legal moves that change the material at once, the most promising first."""
        ...

    def gain(self, move: Move) -> int:
        """What the move wins at once, should nobody take back."""
        ...

    def make(self, move: Move) -> None: ...

    def unmake(self) -> None: ...

    def in_check(self) -> bool:
        """Whether the mover has lost if there is no legal move."""
        ...

    def drawn(self) -> bool:
        """Whether the position as it stands is a draw, though there may be legal moves. One that
        has been there before counts: who repeats once will repeat again."""
        ...

    def evaluate(self) -> int:
        """How good the position looks without making a move."""
        ...

    def white_to_move(self) -> bool: ...

    def find_untrusted(self, text: str) -> Move | None:
        """The legal move that is spelled so."""
        ...

    def spell(self, move: Move) -> str:
        """The move, legal or once made from here, as it is sent."""
        ...

    def name(self) -> str:
        """The position in the game's own notation: the same name, the same position."""
        ...
