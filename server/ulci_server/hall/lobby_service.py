"""The lobby as a hall knows it: it is here, or at another server."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from ulci.protocol.messages import PlayerCommand
from ulci_server.hall.session.session import Session
from ulci_server.lobby import PoolRules, Profile

from .absent_player import AbsentPlayer, LocalClient
from .member import HostedMember

MOST_LISTED = 500
"""Players in one answer of `LobbyService.players`: half a millisecond's work."""


@dataclass(frozen=True, slots=True)
class RosterEntry:
    """Somebody who is logged in. game: the one that is played. here: not while the line is lost.
    levels: how many a program of the servers has. rating: as the lobby's lines have it."""

    name: str
    kind: str
    game: int | None
    here: bool
    levels: int = 0
    rating: str = ""


@dataclass(frozen=True, slots=True)
class Roster:
    """Some of those who are logged in, and how many there are."""

    players: tuple[RosterEntry, ...]
    count: int


class LobbyUnreachableError(Exception):
    """The lobby is at another server, which does not answer."""


class LobbyService(Protocol):
    """The lobby as a hall needs it. Only `introduce` and `players` wait."""

    @property
    def present(self) -> Collection[HostedMember]:
        """All who are logged in, also those that are disconnected and may return."""
        ...

    @property
    def resumes(self) -> Counter[str]:
        """How many clients asked to resume their session, by result."""
        ...

    @property
    def reachable(self) -> bool:
        """Whether games can be begun."""
        ...

    async def players(self) -> Roster:
        """At most `MOST_LISTED` of those who are logged in at any server. Raises
        `LobbyUnreachableError`."""
        ...

    async def introduce(self, session: Session, profile: Profile) -> None:
        """The handshake is done: log the client in, or disconnect it."""
        ...

    def hear(self, session: Session, command: PlayerCommand) -> None:
        """Perform a command of a client."""
        ...

    def free(self, session: LocalClient) -> None:
        """A client has left its table and owes nothing: its match goes on, or it waits again,
        unless it seeks."""
        ...

    def left(self, session: Session) -> None:
        """The connection of the session is over."""
        ...

    def seat(self, absent: AbsentPlayer, profile: Profile) -> None:
        """Add the player of a resumed game, who has not reconnected yet."""
        ...

    def remove(self, member: LocalClient) -> None:
        """The player has gone for good."""
        ...

    def pool_rules_of(self, pool: str) -> PoolRules:
        """The rules of that pool; the default rules if there is none of that name."""
        ...

    def close(self, why: str) -> Iterator[Callable[[], None]]:
        """Begin no new games from now on. Returns steps, each for a match that ends so."""
        ...

    def reopen(self) -> Iterator[Callable[[], None]]:
        """Begin new games again: steps, each for one who waits."""
        ...
