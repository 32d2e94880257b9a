"""Which part of this server handles which message.

Every class of `messages` is a key of one table, `routes`, with the parts that handle it, in order.
Messages that cannot be handled are answered or dropped on purpose:

    bytes that are no message                answered: `NotUnderstood`
    from a server that does not live         dropped: it was fenced, and begins a new run
    to a connection that is not here         dropped: its end was reported; `Sit` is answered by
                                             `Left` or `Away`
    to a game that is not here               dropped: its new owner gets it again; `Ruling` and
                                             `Open` are answered
    to a lobby that is not here              dropped: the sender repeats it to the next host
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
"""Handles a message, given the run that sent it."""

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
    """The parts that handle each class of messages."""
    heard: dict[type[said.Message], list[Hear]] = {}
    table: Iterable[tuple[Iterable[type[said.Message]], Hear]] = (
        (games_elsewhere.HEARD, games.hear),
        (edge_room.HEARD, edge.hear),
        (owner_room.HEARD, owner.hear),
        (lobby_server.HEARD, election.hear),
        # The lobby gets messages about games after the connections here, and so do claims.
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
    """Do nothing: a `Pong` only shows that its server lives, which the bus has noted."""


class Router:
    """Reads the messages of the bus, and passes each to the parts that handle it."""

    def __init__(self, post: PostOffice, routes: Routes, not_understood: NotUnderstood) -> None:
        self._post = post
        self._routes = routes
        self._not_understood = not_understood

    def hear(self, run: int, messages: Sequence[bytes]) -> None:
        """Handle messages from that server, which may be this one. If one fails, that is logged,
        and the next ones are still handled."""
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
        if message.kind != said.NotUnderstood.__name__:  # or both would answer for ever
            self._post.send(run, said.NotUnderstood(message))
