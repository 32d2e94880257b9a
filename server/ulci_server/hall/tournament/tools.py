"""What tournaments need of the lobby and the database."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from ulci.protocol.messages import Lobby as Line
from ulci_server.lobby import Agreement, Pool, Profile
from ulci_server.openings import Book
from ulci_server.storage import Askers, Tournaments

THREADS = 2
"""At once: the journal's own thread must find a processor, too."""

Result = TypeVar("Result")


class InThread(Protocol):
    """Runs what waits for the database in a thread, which is abandoned when nobody waits any more:
    a paused database keeps no server from ending. Raises `StorageError` if it takes too long."""

    async def __call__(self, work: Callable[[], Result], /) -> Result: ...


class TournamentLobby(Protocol):
    """The lobby, as tournaments know it. Clients are known by their handles."""

    @property
    def closed(self) -> str:
        """Why no game begins now; empty if games begin."""
        ...

    def profiles(self) -> Iterable[Profile]:
        """Of all clients that are here, or may return to their game."""
        ...

    def profile_of(self, handle: str) -> Profile | None:
        """None: it is not here."""
        ...

    def may_begin(self, handle: str) -> bool:
        """Whether the client is here, and has no game."""
        ...

    def begin_between(
        self, white: str, black: str, agreement: Agreement, failed: Callable[[str], object]
    ) -> None:
        """Begin a game of two clients that may begin one. `failed` is called with the reason if it
        does not begin."""
        ...

    def tell_client(self, handle: str, line: Line) -> None:
        """Tell the client a line, if it is here and reads the lobby's."""
        ...

    def tell_lines(self, handle: str, what: str, lines: Callable[[], list[Line]]) -> None:
        """Tell the client a list, as fast as it reads it. The lines are made when it begins."""
        ...

    def tell_everybody(self, line: Line) -> None:
        """Tell all who read the lobby's lines."""
        ...

    def set_entered(self, handle: str, word: str, *, enters: bool) -> None:
        """The client plays in the tournament of that name from now on, or does not any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """store: keeps tournaments. now: the time (aware, UTC). pools: all, by their names. books: of
    the pools that have one. in_thread: runs what waits for the database or takes long."""

    lobby: TournamentLobby
    store: Tournaments
    now: Callable[[], datetime]
    pools: Mapping[str, Pool]
    books: Mapping[str, Book]
    in_thread: InThread = field(default_factory=lambda: Askers(THREADS).ask)
