"""Which part of this server hears which message.

Every class of `messages` stands in one table, `routes`, with those that hear it, in their order.
What is unknown is answered or dropped on purpose:

    bytes that are no message                answered: `NotUnderstood`
    said by a server that does not live      dropped: it was fenced, and begins anew
    to a connection that is not here         dropped: its end was told; `Sit` is answered by `Left`
    to a game that is not here               dropped: its new owner is told; `Ruling` and `Open` are
                                             answered
    to a lobby that is not here              dropped: the sender tells the next one
    an answer to a question that is closed   dropped
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import structlog

from . import edge as edge_room
from . import games_elsewhere, lobby_server
from . import messages as said
from . import owner as owner_room
from .claims import Claims
from .drain import Drain
from .edge import Edge
from .election import Election
from .games_elsewhere import GamesElsewhere
from .gaps import Gaps
from .lobby_link import LobbyLink
from .not_understood import NotUnderstood
from .owner import Owner
from .post_office import PostOffice
from .server_runs import ServerRuns

LOG = structlog.get_logger("ulci_server.cluster")

Hear = Callable[[int, Any], object]
"""Given the run that says it, and the message."""

Routes = Mapping[type[said.Message], Sequence[Hear]]


def routes(
    *,
    games: GamesElsewhere,
    edge: Edge,
    owner: Owner,
    link: LobbyLink,
    election: Election,
    claims: Claims,
    drain: Drain,
    runs: ServerRuns,
    gaps: Gaps,
    post: PostOffice,
    not_understood: NotUnderstood,
) -> Routes:
    """Those who hear each class of messages."""
    heard: dict[type[said.Message], list[Hear]] = {}
    table: Iterable[tuple[Iterable[type[said.Message]], Hear]] = (
        (games_elsewhere.HEARD, games.hear),
        (edge_room.HEARD, edge.hear),
        (owner_room.HEARD, owner.hear),
        (lobby_server.HEARD, election.hear),
        # The lobby hears of games after the connections here, and so do claims.
        ((said.Released,), claims.hear_released),
        ((said.Roll,), election.hear_roll),
        ((said.Performed,), link.hear_performed),
        ((said.Players,), link.hear_players),
        ((said.Rejoin,), gaps.hear_rejoin),
        ((said.Fenced,), runs.hear_fenced),
        ((said.Drain,), drain.hear),
        ((said.Ping,), post.answer_ping),
        ((said.Pong,), _note_nothing),
        ((said.NotUnderstood,), not_understood.there),
    )
    for kinds, hear in table:
        for kind in kinds:
            heard.setdefault(kind, []).append(hear)
    return heard


def _note_nothing(_: int, __: said.Pong) -> None:
    """That it came is all that it says, and the bus has noted that."""


class Router:
    """Reads what comes over the bus, and has it heard."""

    def __init__(self, post: PostOffice, routes: Routes, not_understood: NotUnderstood) -> None:
        self._post = post
        self._routes = routes
        self._not_understood = not_understood

    def hear(self, run: int, messages: Sequence[bytes]) -> None:
        """Messages came from that server, which may be this one. One that cannot be acted on is
        logged, and does not keep the next ones from being heard."""
        membership = self._post.membership
        if run != self._post.run and run not in membership.living:
            return  # it was fenced
        membership.hears(run)
        for data in messages:
            try:
                message = said.decode_untrusted(data)
            except msgspec.DecodeError as error:
                self._hear_unknown(run, said.outline_untrusted(data), str(error))
                continue
            try:
                for hear in self._routes[type(message)]:
                    hear(run, message)
            except Exception:
                LOG.exception("message failed", run=run, kind=type(message).__name__)

    def _hear_unknown(self, run: int, message: said.Outline, why: str) -> None:
        self._not_understood.here(run, message, why)
        if message.kind != said.NotUnderstood.__name__:  # it would be answered without an end
            self._post.send(run, said.NotUnderstood(message))
