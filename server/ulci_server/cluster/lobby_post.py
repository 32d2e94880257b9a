"""Messages of the lobby to its members, by the servers that have their connections."""

from collections.abc import Collection
from typing import Protocol

import structlog

from . import messages as said

LOG = structlog.get_logger("ulci_server.cluster")

MOST_HELD = 100_000
"""Maximum messages held for one server until it follows this lobby: a few for each member."""


class Sends(Protocol):
    """Sends messages to servers."""

    def send(self, run: int, message: said.AnyMessage) -> None: ...


class SendsToAll(Sends, Protocol):
    """Also sends to all living servers at once, which costs less."""

    def send_all(self, message: said.AnyMessage) -> None: ...


class LobbyPost:
    """A server drops messages from a lobby that it does not follow: messages to its members are
    held until it sends something to this lobby itself. After `end` nothing is sent any more:
    another lobby is in charge."""

    def __init__(self, post: SendsToAll) -> None:
        self._post = post
        self._following: set[int] = set()
        self._overflowed: set[int] = set()  # servers whose overflow is logged
        self._held: dict[int, list[said.AnyMessage]] = {}
        self._ended = False

    def send(self, run: int, message: said.AnyMessage) -> None:
        if self._ended:
            return
        if run in self._following:
            self._post.send(run, message)
        elif len(held := self._held.setdefault(run, [])) < MOST_HELD:
            held.append(message)
        elif run not in self._overflowed:
            self._overflowed.add(run)
            LOG.warning("what the lobby says to a server is lost", run=run, held=MOST_HELD)

    def send_all(self, runs: Collection[int], message: said.AnyMessage) -> None:
        """Send it to these servers, which must be all that live."""
        if not self._ended and self._following.issuperset(runs):
            self._post.send_all(message)
            return
        for run in runs:
            self.send(run, message)

    def follows(self, run: int) -> None:
        """That server follows this lobby: it has sent it something."""
        if run not in self._following:
            self._following.add(run)
            self._overflowed.discard(run)
            for message in self._held.pop(run, ()):
                self.send(run, message)

    def lose(self, run: int) -> None:
        """That server has died."""
        self._following.discard(run)
        self._overflowed.discard(run)
        self._held.pop(run, None)

    def end(self) -> None:
        """The lobby has ended."""
        self._ended = True
        self._held.clear()
