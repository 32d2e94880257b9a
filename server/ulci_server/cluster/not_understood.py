"""Messages that a server of another version did not understand: nobody is left waiting for what
they asked.

Servers of versions that differ in `messages.SPEAKS` refuse to work together, so this happens only
if a message was changed and `SPEAKS` was not.
"""

from collections.abc import Callable, Mapping
from functools import partial

import structlog

from ulci.protocol.messages import Blame, Report
from ulci.rules import Outcome, Reason
from ulci_server.game import Ruled
from ulci_server.hall import Hall
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer

from . import messages as said
from .election import Election
from .games_elsewhere import GamesElsewhere
from .lobby_link import LobbyLink
from .lobby_server import LobbyServer
from .mirrors import kind_of

LOG = structlog.get_logger("ulci_server.cluster")

WHY = "the servers here are of different versions"

LEAVE = f"{WHY}; retry-after 5"
"""Another server may be of the same version as the lobby's host."""

NO_RESULT = Ruled(0.0, Outcome(None, Reason.SERVER), f"{WHY}, and cannot play this game together")


_TELL = kind_of(SeatedPlayer.tell)


class NotUnderstood:
    """Logs each such kind of message once, and releases the players who would wait for an
    answer."""

    def __init__(
        self, hall: Hall, link: LobbyLink, election: Election, games: GamesElsewhere
    ) -> None:
        self._hall = hall
        self._link = link
        self._election = election
        self._games = games
        self._logged: set[tuple[str, int, str]] = set()

    def here(self, run: int, message: said.Outline, why: str) -> None:
        """This server did not understand a message of server `run`."""
        lobby = self._election.lobby_server
        self._log_once("not understood", run, message.kind, why)
        if message.kind == said.Sit.__name__:
            self._leave(message)
        elif message.kind == _TELL.__name__:
            self._tell(message)
        elif message.kind == said.Feed.__name__:
            self._refuse_watchers(message)
        elif lobby is not None and message.kind == said.NotOpened.__name__:
            self._open(run, message, lobby)

    def there(self, run: int, answer: said.NotUnderstood) -> None:
        """Server `run` did not understand a message of this one."""
        message, lobby = answer.message, self._election.lobby_server
        self._log_once("another server did not understand this one", run, message.kind, WHY)
        if (of_player := _OF_PLAYERS.get(message.kind)) is not None:
            of_player(self, message)
        elif lobby is not None and (of_lobby := _OF_LOBBY.get(message.kind)) is not None:
            of_lobby(self, run, message, lobby)

    def _log_once(self, event: str, run: int, kind: str, why: str) -> None:
        if (event, run, kind) not in self._logged:
            LOG.warning(event, run=run, kind=kind, why=why)
        self._logged.add((event, run, kind))

    # To players here, and to tables

    def _leave(self, message: said.Outline) -> None:
        """Disconnect the player: the lobby does not know it, or believes that it plays."""
        session = self._link.edge.sessions.get(message.link or 0)
        if session is not None and session.table is None and not session.gone:
            session.disconnect(LEAVE, Blame.SERVER)
            self._link.edge.end_login(session)

    def _tell(self, message: said.Outline) -> None:
        session = self._link.edge.sessions.get(message.link or 0)
        if session is not None and not session.gone:
            session.tell(Report(Blame.SERVER, WHY))

    def _command(self, message: said.Outline) -> None:
        self._link.refuse_command(message.number or 0, WHY)

    def _end_game(self, message: said.Outline) -> None:
        table = self._hall.find_table(message.game or 0)
        if table is not None:
            self._hall.start(partial(_rule, table))

    def _refuse_watchers(self, message: said.Outline) -> None:
        table = self._games.tables.get(message.game or 0)
        if table is not None:
            table.refuse_watchers(WHY)

    # Of the lobby

    def _open(self, _: int, message: said.Outline, lobby: LobbyServer) -> None:
        lobby.games.not_opened(said.NotOpened(message.game or 0, WHY))

    def _disconnect(self, run: int, message: said.Outline, lobby: LobbyServer) -> None:
        lobby.disconnect(run, message.link or 0, LEAVE)


async def _rule(table: AnyTable) -> None:
    await table.rule(NO_RESULT)


_ENDS_GAME = (
    *(said.Sit, _TELL, said.Ask, kind_of(SeatedPlayer.still_asked), said.Look),
    *(said.Answer, said.Happening, said.Expect, said.Looked),
)
"""Messages without which a game does not go on as its players believe."""

_OF_PLAYERS: Mapping[str, Callable[[NotUnderstood, said.Outline], None]] = {
    said.LogIn.__name__: NotUnderstood._leave,
    said.Unlisted.__name__: NotUnderstood._leave,
    said.Command.__name__: NotUnderstood._command,
    said.Follow.__name__: NotUnderstood._refuse_watchers,
    **{kind.__name__: NotUnderstood._end_game for kind in _ENDS_GAME},
}

_TO_MEMBER = (
    *(said.LoggedIn, said.Introduce, said.TellList, said.TellMissed, said.TakeSeat, said.LoseSeat),
    *(kind_of(HostedMember.give_secret), kind_of(HostedMember.tell)),
    *(kind_of(HostedMember.tell_unmatched), kind_of(HostedMember.kick)),
)
"""All messages to members except those that close the connection, and `ProveAlive`, which has its
own time limit."""

_OF_LOBBY: Mapping[str, Callable[[NotUnderstood, int, said.Outline, LobbyServer], None]] = {
    said.Open.__name__: NotUnderstood._open,
    **{kind.__name__: NotUnderstood._disconnect for kind in _TO_MEMBER},
}
