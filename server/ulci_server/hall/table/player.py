"""A session as its table sees it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from ulci.protocol.messages import FromServer, Go, Lobby, Position
from ulci.rules.outcome import Side
from ulci_server.game import Seat
from ulci_server.lobby import Profile

if TYPE_CHECKING:
    from .board import Board


class Player(Protocol):
    """What a table tells and asks whoever sits at it."""

    suspect: bool
    """Whether referees died of what it played."""

    @property
    def follows(self) -> bool:
        """Whether it wants to see the board while it is not asked to move."""
        ...

    @property
    def hears_lobby(self) -> bool:
        """Whether it reads lobby lines."""
        ...

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits. Lobby lines reach only those who asked for them."""
        ...

    def ask_move(self, position: Position, go: Go) -> None:
        """It is its turn. Never waits."""
        ...

    def still_asked(self, move: str) -> None:
        """It said its last move again: its ``go`` is still open."""
        ...

    def round_trip(self) -> float | None:
        """The least of its line, in s, as the server measured it; None if it could not."""
        ...

    def look(self, looked: Callable[[float], None]) -> bool:
        """Its flag is about to fall. False: all that it sent has been read. True: that is not known
        here; unless its answer comes first, `looked` will be called with the seconds that it has
        thought."""
        ...

    def ask(self, questions: Sequence[str], then: Callable[[tuple[str, ...]], None]) -> bool:
        """Ask what only UGI has words for; False if it does not speak it."""
        ...

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        """The game is over, and `over` says how; what is still owed for it no longer counts.
        `front`: it was not its fault that there was none, so its next one comes first."""
        ...


class Entrant(Player, Protocol):
    """A player who is about to be seated."""

    profile: Profile | None
    """As it introduced itself."""
    gone: bool
    """Its connection is over."""

    @property
    def seat(self) -> Seat:
        """As it is stored."""
        ...

    def sit(self, table: "Board", side: Side) -> None:
        """It plays this game."""
        ...
