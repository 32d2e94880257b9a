"""How the parts of a server of the cluster send messages to other servers."""

from collections.abc import Collection, Sequence
from typing import Protocol

from ulci_server.game import Span
from ulci_server.hall import LocalSeat

from . import messages as said

TOLD_LATE = 0.5
"""Maximum error (s) of a comparison of two times that servers reported: messages take a while."""


def began_later(one: float, other: float) -> bool:
    """Whether the login that began at `one` (s) is surely newer than the one at `other`, as servers
    reported them; `-inf`: it is not known when."""
    return one > other + TOLD_LATE


class Servers(Protocol):
    """What is known of other servers, by their runs. No method waits."""

    def silence_of(self, run: int) -> float:
        """Seconds since another server was heard last."""
        ...

    def heard_since(self, run: int, at: float) -> bool:
        """Whether another server was heard since that time (s)."""
        ...

    def silent(self, run: int, since: float, until: float) -> Sequence[Span]:
        """The spans between these two times (s) in which another server was silent while it
        lived."""
        ...

    def send(self, run: int, message: said.AnyMessage) -> None:
        """Send it to one server, which may be this one."""
        ...


class Post(Servers, Protocol):
    """Sends the messages of one run of this server. No method waits."""

    @property
    def run(self) -> int:
        """The number of this server's run."""
        ...

    @property
    def owns(self) -> bool:
        """Whether this server may be given games; otherwise it only has connections."""
        ...

    @property
    def draining(self) -> bool:
        """Whether this server releases its games, to shut down."""
        ...

    @property
    def lobby(self) -> int:
        """The server that hosts the lobby; 0 if none is known."""
        ...

    @property
    def reaches_lobby(self) -> bool:
        """Whether messages to the lobby are believed to arrive."""
        ...

    @property
    def living(self) -> Collection[int]:
        """All servers that live, this one included."""
        ...

    def send_all(self, message: said.AnyMessage) -> None:
        """Send it to all servers, this one included."""
        ...

    def link(self, player: LocalSeat) -> said.Link:
        """A player of this server, as others know it."""
        ...

    def epoch(self, game: int) -> int:
        """The epoch of a game that this server owns."""
        ...
