"""The lobby as the sessions of one server know it; one server hosts it for all."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial

import msgspec
import structlog
import trio

from ulci.protocol.messages import Blame, PlayerCommand
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
"""Seconds to wait for that list before it counts as unknown."""

UNREACHABLE = "this server cannot reach the others"
"""Why a client is disconnected whose server is cut off from the bus."""

MOVING = "the lobby is moving to another server; try again in a second"


class LobbyLink:
    """is_needed: whether other servers need an engine's option of that name (lower case); the other
    options are not sent. pool_rules: the rules of each pool, by its name."""

    def __init__(
        self,
        edge: Edge,
        post: Post,
        is_needed: Callable[[str], bool],
        pool_rules: Callable[[str], PoolRules],
    ) -> None:
        self.resumes: Counter[str] = Counter()
        """How logins resumed sessions, as counted by the lobby if this server hosts it."""
        self.edge = edge
        self._post = post
        self._is_needed = is_needed
        self._pool_rules = pool_rules
        self._introducing: dict[int, said.LogIn] = {}
        self._commands: dict[int, LocalClient] = {}  # not answered yet, by number
        self._last_command = 0
        self._players: Roster | None = None
        self._players_asked = -math.inf
        self._players_told = trio.Event()

    @property
    def present(self) -> Collection[HostedMember]:
        """The sessions whose connections are here, including logins under way."""
        return self.edge.sessions.values()

    @property
    def reachable(self) -> bool:
        """Whether the lobby's host is known and can be reached."""
        return self._post.reaches_lobby

    async def players(self) -> Roster:
        """The roster of all servers, as of at most `FRESH` s ago.

        Raises:
            LobbyUnreachableError: the host has not answered within `NO_ANSWER` s.
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
        """The lobby's host sends the roster."""
        self._players = message.presence
        self._players_told.set()
        self._players_told = trio.Event()

    def pool_rules_of(self, pool: str) -> PoolRules:
        return self._pool_rules(pool)

    async def introduce(self, session: LocalClient, profile: Profile) -> None:
        """Return when the lobby has logged the client in or disconnected it, however often the
        lobby moves meanwhile."""
        if not self._post.reaches_lobby and self._post.lobby:
            session.disconnect(f"{UNREACHABLE}; retry-after 1", Blame.SERVER)
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
        self._last_command = number = self._last_command + 1
        self._commands[number] = session
        self._send(said.Command(self.edge.number(session), command, number))

    def hear_performed(self, run: int, message: said.Performed) -> None:
        """The lobby reports a command that it has performed, or those that it never will."""
        if run != self._post.lobby:
            return
        if message.number > 0:
            self._commands.pop(message.number, None)
            return
        for number in [number for number in self._commands if number <= -message.number]:
            self.refuse_command(number, MOVING)

    def refuse_command(self, number: int, why: str) -> None:
        """The lobby will not perform the command of that number."""
        if (session := self._commands.pop(number, None)) is not None:
            session.send_lobby_error("moving", why)

    def free(self, session: LocalClient) -> None:
        link = self.edge.number(session)
        if session.gone:
            self.edge.forget(session)
        elif self._post.draining:
            return  # it is about to be disconnected, and must not get a game that this would end
        self._send(said.Free(link, session.front, left=session.player.last_game))

    def left(self, session: LocalClient) -> None:
        if session.player not in self.edge:
            return  # it never began to log in
        self._send(said.Left(self.edge.number(session), session.why, session.missed))
        session.leave_announcements()
        if session.table is None:
            self.edge.forget(session)

    def seat(self, absent: LocalClient, profile: Profile) -> None:
        absent.introduce(profile)
        self.edge.number(absent)  # the lobby knows by itself which players it has

    def remove(self, member: LocalClient) -> None:
        self.edge.forget(member)

    def close(self, why: str) -> Iterator[Callable[[], None]]:  # noqa: ARG002
        """The database of this server fails. Nothing to do here: the lobby's host decides on new
        games."""
        return iter(())

    def reopen(self) -> Iterator[Callable[[], None]]:
        return iter(())

    def send_away(self) -> Iterator[Callable[[], None]]:
        """This server is cut off: disconnect each player who can return at another server and whose
        game, if any, is not at a table here."""
        for session in released(self.edge.sessions.values()):
            yield partial(self._send_away, session)

    def _send_away(self, session: LocalClient) -> None:
        link = self.edge.number(session)
        if isinstance(session, AbsentPlayer) or session.gone or isinstance(session.table, Table):
            return
        if link in self._introducing:
            session.disconnect(f"{UNREACHABLE}; retry-after 1", Blame.SERVER)
            self.edge.end_login(session)
        elif session.player.can_return:
            session.connection.hang_up(UNREACHABLE)

    # The roll

    def answer_roll(self, lobby: int, roll: said.Roll) -> Iterator[Callable[[], None]]:
        """Correct what the lobby's host believes about the connections here."""
        known = dict(roll.members)
        last = math.inf if roll.until is None else roll.until
        here = [link for link in self.edge.sessions if roll.after < link <= last]
        for link in released(sorted({*here, *known})):
            yield partial(self._answer_for, lobby, link, known.get(link))
        if roll.until is None:
            for number in self.edge.gone_seeks(roll.seeks, roll.last_seek):
                yield partial(self.edge.forget_seek, number)
            yield partial(self._end_roll, lobby)

    def _end_roll(self, lobby: int) -> None:
        self._post.send(lobby, said.RollHeard(self._last_command))

    def _answer_for(self, lobby: int, link: int, game: int | None) -> None:
        """game: as in `Roll`; None: the lobby knows no such connection. A client that still waits
        for its seat in a game that is over was not told so, whatever the lobby believes."""
        session = self.edge.sessions.get(link)
        if session is None or session.gone:
            if game is not None:
                why, missed = (
                    ("it left", None) if session is None else (session.why, session.missed)
                )
                self._post.send(lobby, said.Left(link, why, missed))
            elif session is not None and session.profile is not None and session.table is not None:
                self._post.send(lobby, self._unlisted(link, session, session.profile))
        elif (asked := self._introducing.get(link)) is not None:
            self._post.send(lobby, msgspec.structs.replace(asked, age=self.edge.age(link)))
        elif game is None:
            if session.profile is not None:
                self._post.send(lobby, self._unlisted(link, session, session.profile))
        elif game and session.table is None and not session.draining:
            was_told = game < 0 and self.edge.awaited(link) != -game
            over = said.Free(link, session.front, -game)
            self._post.send(lobby, over if was_told else said.Seatless(link, abs(game)))

    def _unlisted(self, link: int, session: LocalClient, profile: Profile) -> said.Unlisted:
        table = session.table
        return said.Unlisted(
            link,
            self._trimmed(profile),
            session.host,
            session.label,
            session.key,
            self.edge.awaited(link) if table is None else table.id,
            session.side,
            session.draining,
            session.missed,
            self.edge.age(link),
            session.gone,
            table is None and bool(self.edge.awaited(link)),
        )

    def _trimmed(self, profile: Profile) -> Profile:
        wanted = {name: o for name, o in profile.options.items() if self._is_needed(name)}
        return replace(profile, options=wanted)

    def _send(self, message: said.AnyMessage) -> None:
        if self._post.lobby:
            self._post.send(self._post.lobby, message)
