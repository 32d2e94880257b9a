"""The interface of a game for the search."""

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol, TypeVar

Move = TypeVar("Move", bound=Hashable)


class PositionError(ValueError):
    """A position that cannot be searched; the text says why."""


class Board(Protocol[Move]):
    """A position with make and unmake. Scores in centipawns, from the side to move's view."""

    def moves(self) -> list[Move]:
        """All legal moves, the most promising first."""
        ...

    def captures(self) -> list[Move]:
        """The legal moves that change the material, the most promising first."""
        ...

    def gain(self, move: Move) -> int:
        """What the move wins at once, without recapture."""
        ...

    def make(self, move: Move) -> None: ...

    def unmake(self) -> None: ...

    def in_check(self) -> bool:
        """Whether the side to move has lost if it has no legal move."""
        ...

    def won(self) -> bool:
        """Whether the side to move, which has no legal move, has won by that."""
        ...

    def drawn(self) -> bool:
        """Whether the position is a draw. One repetition counts: it can be repeated again."""
        ...

    def evaluate(self) -> int:
        """The static evaluation."""
        ...

    def white_to_move(self) -> bool: ...

    def find_untrusted(self, text: str) -> Move | None:
        """The legal move with this spelling."""
        ...

    def spell(self, move: Move) -> str:
        """The move as it is sent."""
        ...

    def name(self) -> str:
        """The position in the game's notation, the same for the same position."""
        ...


def play_untrusted(board: Board[Move], moves: Iterable[str], why_not: Callable[[str], str]) -> None:
    """Make the moves of a ``position``. `why_not`: why a move is not legal now.

    Raises:
        PositionError: one of them is not.
    """
    for number, text in enumerate(moves, start=1):
        move = board.find_untrusted(text)
        if move is None:
            raise PositionError(f"move {number} is not legal: {why_not(text)}")
        board.make(move)
