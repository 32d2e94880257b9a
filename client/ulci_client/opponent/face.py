"""The interface to the GUI for the player: the messages that both protocols can send."""

from typing import Protocol

from ulci.rules import Position, Side


class Face(Protocol):
    """The GUI's end of the conversation."""

    def ready(self) -> None:
        """Answer the oldest ``isready`` or ``ping``."""
        ...

    def move(self, board: Position, move: str) -> None:
        """The remote player's move, made on `board`, which is as it was before."""
        ...

    def no_move(self, why: str = "") -> None:
        """There is none. `why`: the reason; empty if the GUI knows it already."""
        ...

    def tell(self, text: str) -> None:
        """A sentence for the person at the GUI."""
        ...

    def draw_offered(self, by: str) -> None:
        """The remote player offers a draw."""
        ...

    def over(self, result: str, reason: str, mine: Side | None) -> None:
        """The game at the server is over; `mine`: the GUI's side."""
        ...
