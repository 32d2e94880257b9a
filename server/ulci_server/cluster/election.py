"""Which server hosts the lobby, and the lobby itself if it is this one.

There is no vote: the database names the oldest server that lives and stays. That server hosts the
lobby once others hear it: it restores the lobby as it is stored, and calls the roll of all servers.
Each server follows the host that the database names, after a `Roll` from it. A host that the
database no longer names ends its lobby; while the bus is down for all, the lobby stays where it is.
"""

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial
from math import inf

import structlog
import trio

from ulci.protocol.messages import Lobby as Line
from ulci_server.bus import PING
from ulci_server.hall import Hall
from ulci_server.storage import Directory, LobbyChanges, StoredLobby
from ulci_server.storage.membership import BEAT
from ulci_server.storage.ownership import Ownership

from . import messages as said
from .database_queries import DatabaseQueries
from .game_numbers import GameNumbers
from .lobby_link import LobbyLink
from .lobby_server import MAX_EARLY, OF_GAMES, LobbyServer, MakeHost
from .nudge import Nudge
from .post_office import CUT_OFF, PostOffice

LOG = structlog.get_logger("ulci_server.cluster")

NOT_REACHED = 0.75
"""Seconds of silence of the bus or of a server, longer than between two beats, after which players
who are away may be unable to come back."""

ALL_BACK = 0.8
"""Seconds in which servers that were all cut off are back, and have reported that to the
database."""

WITHDRAW = 3.5
"""Seconds of silence of the bus after which this server releases the games of players elsewhere,
and sends its own players to other servers: by then it knows whether all servers are cut off. After
the same silence of another server, its players count as away."""


class Election:
    """name: of this server. look: has this server beat at once."""

    def __init__(
        self,
        name: str,
        hall: Hall,
        post: PostOffice,
        link: LobbyLink,
        make_host: MakeHost,
        queries: DatabaseQueries,
        ownership: Ownership,
        directory: Directory,
        look: Nudge,
        *,
        now: Callable[[], datetime],
    ) -> None:
        self.lobby_server: LobbyServer | None = None
        """The lobby, if this server hosts it."""
        self._name = name
        self._hall = hall
        self._post = post
        self._link = link
        self._make_host = make_host
        self._queries = queries
        self._directory = directory
        self._now = now
        self._look = look
        self._numbers = GameNumbers(hall, queries, ownership, self._go_on)
        # The servers that sent a `Roll`, as they host the lobby, and their rolls that are not
        # answered yet.
        self._hosts: dict[int, list[said.Roll]] = {}
        self._apart_at = -inf
        # Messages about games that come while the stored lobby is read, which may not include them.
        self._early: deque[tuple[int, said.AnyMessage]] | None = None

    def begin_again(self) -> None:
        """A new run of this server begins: the lobby of the last run ended with it."""
        self.host_no_more()
        self._hosts.clear()
        self._numbers.begin_again()

    def apart(self) -> None:
        """This server drains or is cut off, and has reported that to the database: it hosts no
        lobby."""
        self._apart_at = trio.current_time()

    # Hosting

    async def settle(self) -> None:
        """After a beat: begin or end hosting the lobby as the database says, and follow the
        host."""
        post = self._post
        if post.membership.lobby != post.run:
            if not CUT_OFF < post.silence < WITHDRAW:  # the bus may be down for all: it stays
                self.host_no_more()
        elif self.lobby_server is None and self._may_host:
            await self._numbers.draw()
            await self._take()
        self._follow_new_lobby()

    @property
    def _may_host(self) -> bool:
        """Whether others hear this server. If all were cut off, the host of the lobby may not have
        reported yet that it is back."""
        back = trio.current_time() > self._apart_at + ALL_BACK
        alone = not self._post.membership.has_successor
        return back and (alone or self._post.silence < PING + BEAT)

    async def _take(self) -> None:
        """Host the lobby as it is stored, with what messages say of games meanwhile."""
        early: deque[tuple[int, said.AnyMessage]] = deque(maxlen=MAX_EARLY)
        self._early = early
        take = partial(self._directory.take, self._post.run, self._now())
        try:
            stored = await self._queries.ask_for_ever(take)
        finally:
            self._early = None
        self._host(stored)
        for run, message in early:
            self.hear(run, message)

    def _host(self, stored: StoredLobby) -> None:
        LOG.info("this server hosts the lobby", name=self._name)
        self.lobby_server = LobbyServer(
            self._hall,
            self._post,
            self._make_host,
            self._numbers.next,
            lambda: self._post.membership.owners,
            stored,
            partial(self._store, self._post.run),
            self._now,
            self.host_no_more,
        )
        self._link.resumes = self.lobby_server.host.resumes  # logins are there

    async def _store(self, run: int, changes: LobbyChanges) -> None:
        await self._queries.ask(partial(self._directory.save, run, changes))

    def _go_on(self) -> None:
        if self.lobby_server is not None:
            self.lobby_server.games.go_on(self._numbers.next)

    def host_no_more(self) -> None:
        """End the lobby here: another server hosts it, or will."""
        if self.lobby_server is not None:
            self.lobby_server.end()
            self.lobby_server = None

    # Following

    def _follow_new_lobby(self) -> bool:
        """Follow the host that the database names, if its `Roll` has come: of two servers that send
        one, the other no longer hosts the lobby. Returns whether the host is a new one."""
        run = self._post.membership.lobby
        if run == self._post.lobby or run not in self._hosts:
            return False
        self._follow(run)
        return True

    def _follow(self, run: int) -> None:
        rolls = self._hosts[run]
        self._post.lobby, self._hosts = run, {run: []}
        self._link.edge.forget_lists()
        for roll in rolls:
            self._hall.begin_gradually(self._link.answer_roll(run, roll))

    # Other servers

    def meet(self, run: int) -> None:
        """That server is new: call its roll."""
        if self.lobby_server is not None:
            self.lobby_server.call_roll(run)

    def lose(self, run: int) -> None:
        """That server has died."""
        self._hosts.pop(run, None)
        if run == self._post.lobby:
            self._post.lobby = 0
        if self.lobby_server is not None:
            pieces = self.lobby_server.lose(run)
            first = next(pieces, None)  # from now on its members count as gone
            if first is not None:
                first()
                self._hall.begin_gradually(pieces)
            self.lobby_server.dead(run)

    def rejoin(self, run: int) -> None:
        """Messages to or from that server were lost."""
        if self.lobby_server is not None:
            self.lobby_server.call_roll(run)
        if run == self._post.lobby:
            self._link.edge.forget_lists()

    def give_up_on(self, run: int) -> None:
        """That server has been silent for so long that no more games begin there."""
        if self.lobby_server is not None:
            self.lobby_server.games.give_up_on(run, "its server cannot be reached")

    # Messages

    def hear_roll(self, run: int, roll: said.Roll) -> None:
        """Another server, or this one, hosts the lobby."""
        rolls = self._hosts.setdefault(run, [])
        if run != self._post.run and trio.current_time() < self._apart_at + WITHDRAW:
            self.host_no_more()  # that one took over during this server's cut
        if run == self._post.lobby:
            self._hall.begin_gradually(self._link.answer_roll(run, roll))
            return
        if not roll.after:
            rolls.clear()  # it begins again
        rolls.append(roll)
        if not self._post.lobby:
            self._follow(run)
        elif not self._follow_new_lobby():
            self._look.give()  # the database may name that host by now

    def hear(self, run: int, message: said.AnyMessage) -> None:
        """Act on a message to the lobby. If the lobby has moved, the message is dropped: after the
        roll of the new host its sender repeats what counts."""
        if self.lobby_server is None:
            if self._early is not None and isinstance(message, OF_GAMES):
                self._early.append((run, message))
            return
        ends = self._post.draining and self._post.membership.has_successor
        if not (ends and isinstance(message, said.LogIn)):
            self.lobby_server.hear(run, message)

    # Games that died with their server

    @property
    def unseen(self) -> set[int]:
        """As in `LobbyServer`: games that members play by the stored rows alone."""
        return set() if self.lobby_server is None else self.lobby_server.unseen

    def end_unseen(self, game: int, over: Line) -> None:
        """That game turned out to be over."""
        if self.lobby_server is not None:
            self.lobby_server.end_unseen(game, over)

    def end_lost(self, game: int, over: Line) -> None:
        """That game ended with its owner, or before its owner could announce it."""
        self.hear(self._post.run, said.Ended(game, 0, over))
