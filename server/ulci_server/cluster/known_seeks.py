"""What members here know of the lobby's seeks, challenges and matches, which end with its host."""

from collections.abc import Callable

from ulci.protocol.lobby.lines import (
    ChallengeDecline,
    Gone,
    IncomingChallenge,
    MatchGame,
    MatchOver,
    OpenSeek,
    OutgoingChallenge,
)
from ulci.protocol.messages import FromServer, Lobby, Seek
from ulci_server.hall import LocalClient
from ulci_server.lobby import lobby_lines

MOST_SAID = 10
"""Seeks of one member that are kept until they are announced, or its next game begins: refused
ones are not told apart."""


class KnownSeeks:
    """Kept from what is said to the lobby and by it. When another server hosts the lobby, seeks
    of members here are said again; all else is told to be gone."""

    def __init__(self, announce: Callable[[Lobby], None]) -> None:
        self._announce = announce
        self._open: set[int] = set()
        self._own: dict[int, tuple[LocalClient, Seek]] = {}  # of the open ones, by number
        self._said: dict[str, list[tuple[LocalClient, Seek]]] = {}  # maybe open, by handle
        self._challenges: dict[LocalClient, set[int]] = {}  # that each was told of
        self._matches: dict[LocalClient, MatchGame] = {}

    def seek(self, session: LocalClient, seek: Seek) -> None:
        """A member here said so."""
        seeks = self._said.setdefault(session.handle, [])
        seeks.append((session, seek))
        del seeks[:-MOST_SAID]

    def announced(self, message: Lobby) -> None:
        """The lobby tells all."""
        line = message.line
        if isinstance(line, OpenSeek):
            self._open.add(line.id)
            if seeks := self._said.get(line.player):
                self._own[line.id] = seeks.pop()
        elif isinstance(line, Gone):
            self._open.discard(line.id)
            self._own.pop(line.id, None)

    def told(self, session: LocalClient, message: FromServer) -> None:
        """The lobby tells one member here."""
        line = message.line if isinstance(message, Lobby) else None
        if isinstance(line, IncomingChallenge | OutgoingChallenge):
            self._challenges.setdefault(session, set()).add(line.id)
        elif isinstance(line, Gone | ChallengeDecline):
            self._challenges.get(session, set()).discard(line.id)
        elif isinstance(line, MatchGame):
            self._matches[session] = line
        elif isinstance(line, MatchOver):
            self._matches.pop(session, None)

    def plays(self, session: LocalClient) -> None:
        """Its game begins: what it had said is no seek any more."""
        self._said.pop(session.handle, None)

    def forget(self, session: LocalClient) -> None:
        """The session has gone."""
        self.plays(session)
        self._challenges.pop(session, None)
        self._matches.pop(session, None)

    def end(self) -> list[tuple[LocalClient, Seek]]:
        """The lobby has died, or moved. Returns the seeks to be said to the new one."""
        for number in self._open:
            self._announce(lobby_lines.gone(number))
        for session, numbers in self._challenges.items():
            session.tell(*map(lobby_lines.gone, sorted(numbers)))
        for session, match in self._matches.items():
            played = match.number - bool(match.chooser)
            session.tell(lobby_lines.match_over(match.id, played, "closed"))
        own = [*self._own.values()]
        for known in (self._open, self._own, self._said, self._challenges, self._matches):
            known.clear()
        return [(session, seek) for session, seek in own if not session.gone]
