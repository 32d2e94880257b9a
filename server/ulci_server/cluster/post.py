"""How the parts of a server of the cluster send messages to other servers."""

from collections.abc import Collection, Sequence
from typing import Protocol

from ulci_server.game import Span
from ulci_server.hall import LocalSeat

from . import messages as said

TOLD_LATE = 0.5
"""Seconds by which two times may be wrong that servers have told: the word of them took a while."""


def began_later(one: float, other: float) -> bool:
    """Whether the login that began at `one` (s) is the newer one, as far as servers told of them;
    `-inf`: it is not known when."""
    return one > other + TOLD_LATE


class Servers(Protocol):
    """What is known of other servers, by their runs. Nothing here waits."""

    def silence_of(self, run: int) -> float:
        """Seconds since something was heard of another server."""
        ...

    def heard_since(self, run: int, at: float) -> bool:
        """Whether something was heard of another server since that time (s)."""
        ...

    def silent(self, run: int, since: float, until: float) -> Sequence[Span]:
        """When between these two times (s) another server was not heard while it lived."""
        ...

    def send(self, run: int, message: said.AnyMessage) -> None:
        """Send it to one server, which may be this one."""
        ...


class Post(Servers, Protocol):
    """Of one run of one server. Nothing here waits."""

    @property
    def run(self) -> int:
        """This server."""
        ...

    @property
    def owns(self) -> bool:
        """Whether this server may be given games; otherwise it only has connections."""
        ...

    @property
    def draining(self) -> bool:
        """Whether this server gives its games away, to end."""
        ...

    @property
    def lobby(self) -> int:
        """The server that hosts the lobby; 0 if none is known."""
        ...

    @property
    def reaches_lobby(self) -> bool:
        """Whether what is said to the lobby is believed to arrive."""
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
