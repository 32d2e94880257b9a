"""The lobby, as the sessions of one server know it; one server hosts it for all."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from itertools import count

import msgspec
import structlog
import trio

from ulci.protocol.messages import Blame, PlayerCommand, Seek
from ulci_server.hall import AbsentPlayer, LocalClient, Table
from ulci_server.hall.gradual_work import released
from ulci_server.hall.lobby_service import LobbyUnreachableError, Roster
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import PoolRules, Profile

from . import messages as said
from .edge import Edge
from .post import Post

LOG = structlog.get_logger("ulci_server.cluster")

FRESH = 1.0
"""Minimum seconds between two requests for the list of players, however many readers want it."""

NO_ANSWER = 2.0
"""Seconds after which that list counts as unknown."""

CUT_OFF = "this server cannot reach the others"

MOVING = "the lobby is moving to another server; try again in a second"


class LobbyLink:
    """is_needed: whether other servers must know of an engine's option of that name, in lower case;
    the rest is not sent. pool_rules: the rules of each pool, by its name. owns: whether this server
    may be given games."""

    def __init__(
        self,
        edge: Edge,
        post: Post,
        is_needed: Callable[[str], bool],
        pool_rules: Callable[[str], PoolRules],
        *,
        owns: bool,
    ) -> None:
        self.resumes: Counter[str] = Counter()
        """Those of the lobby, if this server hosts it."""
        self.edge = edge
        self._post = post
        self._is_needed = is_needed
        self._pool_rules = pool_rules
        self._owns = owns
        self._introducing: dict[int, said.LogIn] = {}
        self._lobby = 0  # the one that the members here belong to
        self._commands: dict[int, LocalClient] = {}  # that were not answered, by number
        self._doubted: list[int] = []  # of those, the ones that may be lost
        self._numbers = count(1)
        self._again: list[tuple[LocalClient, Seek]] = []
        self._players: Roster | None = None
        self._players_asked = -math.inf
        self._players_told = trio.Event()

    @property
    def present(self) -> Collection[HostedMember]:
        """Those whose connections are here; some are only about to log in."""
        return self.edge.sessions.values()

    @property
    def reachable(self) -> bool:
        """Whether the lobby's server is known and can be reached."""
        return self._post.reaches_lobby

    async def players(self) -> Roster:
        """All who are logged in at any server, as of at most `FRESH` s ago.

        Raises:
            LobbyUnreachableError: no server answers.
        """
        now = trio.current_time()
        if now >= self._players_asked + FRESH:
            self._players_asked, self._players = now, None
            self._send(said.ListPlayers())
        if self._players is None:
            with trio.move_on_after(NO_ANSWER):
                await self._players_told.wait()
        if self._players is None:
            raise LobbyUnreachableError(MOVING)
        return self._players

    def hear_players(self, _: int, message: said.Players) -> None:
        """The lobby's server says who is logged in."""
        self._players = message.presence
        self._players_told.set()
        self._players_told = trio.Event()

    def pool_rules_of(self, pool: str) -> PoolRules:
        return self._pool_rules(pool)

    async def introduce(self, session: LocalClient, profile: Profile) -> None:
        """Returns when the lobby has logged the client in or disconnected it, however often the
        lobby moves meanwhile."""
        if not self._post.reaches_lobby and self._post.lobby:
            session.disconnect(f"{CUT_OFF}; retry-after 1", Blame.SERVER)
            return
        link = self.edge.number(session)
        over = self.edge.logged_in[link] = trio.Event()
        self.edge.called_at[link] = self.edge.waits_since[link] = trio.current_time()
        self.edge.introduced[link] = profile
        asked = said.LogIn(link, self._trimmed(profile), session.host, session.label)
        self._introducing[link] = asked
        self._send(asked)
        try:
            await over.wait()
        finally:
            del self._introducing[link]

    def hear(self, session: LocalClient, command: PlayerCommand) -> None:
        if not self._post.reaches_lobby:
            session.send_lobby_error("moving", MOVING)
            return
        if isinstance(command, Seek):
            self.edge.known_seeks.seek(session, command)
        number = next(self._numbers)
        self._commands[number] = session
        self._send(said.Command(self.edge.number(session), command, number))

    def hear_performed(self, run: int, message: said.Performed) -> None:
        """The lobby has heard the command of that number; 0: those that are doubted it has not."""
        if run != self._post.lobby:
            return
        if message.number:
            self._commands.pop(message.number, None)
            return
        for doubted in self._doubted:
            self.refuse_command(doubted, MOVING)
        self._doubted.clear()
        again, self._again = self._again, []
        for session, seek in again:
            if not session.gone and session.table is None:
                self.hear(session, seek)

    def refuse_command(self, number: int, why: str) -> None:
        """The lobby will not hear the command of that number."""
        if (session := self._commands.pop(number, None)) is not None:
            session.send_lobby_error("moving", why)

    def begin_again(self) -> None:
        """A new run of this server begins: no lobby knows its members."""
        self._lobby = 0

    def free(self, session: LocalClient) -> None:
        link = self.edge.number(session)
        if session.gone:
            self.edge.forget(session)
        elif self._post.draining:
            return  # it is about to be disconnected, and must not get a game that this would end
        self._send(said.Free(link, session.front))

    def left(self, session: LocalClient) -> None:
        if session.player not in self.edge:
            return  # it never came so far as to log in
        self._send(said.Left(self.edge.number(session), session.why, session.missed))
        session.leave_announcements()
        if session.table is None:
            self.edge.forget(session)

    def seat(self, absent: LocalClient, profile: Profile) -> None:
        absent.introduce(profile)
        self.edge.number(absent)  # the lobby is told when it has its table

    def remove(self, member: LocalClient) -> None:
        self.edge.forget(member)

    def close(self, why: str) -> Iterator[Callable[[], None]]:  # noqa: ARG002
        """The database of this server fails: the server that hosts the lobby sees to new games."""
        return iter(())

    def reopen(self) -> Iterator[Callable[[], None]]:
        return iter(())

    def send_away(self) -> Iterator[Callable[[], None]]:
        """This server is cut off: who can return and does not play here alone shall do so
        elsewhere."""
        for session in released(self.edge.sessions.values()):
            yield partial(self._send_away, session)

    def _send_away(self, session: LocalClient) -> None:
        link = self.edge.number(session)
        if isinstance(session, AbsentPlayer) or session.gone or isinstance(session.table, Table):
            return
        if link in self._introducing:
            session.disconnect(f"{CUT_OFF}; retry-after 1", Blame.SERVER)
            self.edge.end_login(session)
        elif session.player.can_return:
            session.connection.hang_up(CUT_OFF)

    def register(self) -> Iterator[Callable[[], None]]:
        """Tell a new lobby of everybody here."""
        lobby = self._post.lobby
        self._doubted = [*self._commands]
        if lobby != self._lobby:
            self._lobby = lobby
            self._again += self.edge.known_seeks.end()
        for link in released(self.edge.sessions):
            yield partial(self._register, lobby, link)
        yield partial(self._registered, lobby)

    def _register(self, lobby: int, link: int) -> None:
        session = self.edge.sessions.get(link)
        if session is not None and session.profile is not None and link not in self._introducing:
            self._post.send(lobby, self.known(link, session))

    def _registered(self, lobby: int) -> None:
        for link, asked in self._introducing.items():
            session = self.edge.sessions.get(link)
            if session is not None and not session.gone:
                self._post.send(lobby, msgspec.structs.replace(asked, age=self.edge.age(link)))
        self._post.send(lobby, said.Registered(self._owns))

    def known(self, link: int, session: LocalClient) -> said.Member:
        """What a lobby must know of the member."""
        assert session.profile is not None
        table = session.table
        return said.Member(
            link,
            self._trimmed(session.profile),
            session.host,
            session.label,
            session.key,
            session.gone,
            None if table is None else table.id,
            session.side,
            session.draining,
            session.missed,
            self.edge.awaited(link) if table is None else 0,
            self.edge.age(link),
        )

    def _trimmed(self, profile: Profile) -> Profile:
        wanted = {name: o for name, o in profile.options.items() if self._is_needed(name)}
        return replace(profile, options=wanted)

    def _send(self, message: said.AnyMessage) -> None:
        if self._post.lobby:
            self._post.send(self._post.lobby, message)
