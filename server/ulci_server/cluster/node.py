"""One server of the cluster: its run, its bus, and what becomes of messages and of dead servers."""

from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import TypeVar

import msgspec
import structlog
import trio

from ulci.net import Steps
from ulci.protocol.messages import Blame
from ulci.rules import Outcome, Reason
from ulci_server.bus import PING, Bus, Hub
from ulci_server.game import Fact, Hindered, Span, notices
from ulci_server.game import Released as ReleasedFact
from ulci_server.hall import AbsentPlayer, Downtime, Hall, LocalSeat, Table
from ulci_server.hall.table.recovery import cannot_return, newest_keys
from ulci_server.storage import (
    Askers,
    Claimed,
    Database,
    FencedError,
    Journal,
    RunState,
    StorageError,
    Unfinished,
)
from ulci_server.storage.membership import BEAT, STANDS, Membership

from . import messages as said
from .drains import drain
from .games_elsewhere import GamesElsewhere
from .lobby_link import LobbyLink
from .lobby_server import LobbyServer, MakeHost
from .not_understood import NotUnderstood
from .owner import Owner
from .remote_table import RemoteTable

LOG = structlog.get_logger("ulci_server.cluster")

NUMBERS = 100
"""Numbers of games that a lobby draws at once. Those that are left when it moves are left out."""

CLAIMED_AT_ONCE = 8
"""Games taken over in one transaction: 30 ms of work, with turns for others in between."""

CLAIM_EVERY = 5.0
"""Seconds between two looks for games that nobody owns, if nothing is known of any."""

CLAIM_AGAIN, CLAIM_OFTEN = 0.5, 5.0
"""Seconds between two looks, and for how long: after a server has died or given games away, and
while the database does not answer."""

ALONE = 0.5
"""Seconds for which a server that was fenced tries to begin anew before its players are sent to
others."""

SAY_FENCED = 0.1
"""Seconds for which the bus still carries something to a server that was fenced."""

NOT_STORED = Outcome(None, Reason.ABORTED)
"""The outcome of a game that is in no database."""

NOT_REACHED = 0.75
"""Seconds of silence of the bus or of a server, longer than between two beats, after which players
who are away may be unable to come back."""

MEETING = 2.0
"""Seconds in which two servers get to know each other: what one says before the other knows it is
lost, and said again."""

CUT_OFF = 2.0
"""Seconds of silence of the bus after which this server believes that it reaches nobody. Others
learn that from the database."""

ALL_BACK = 0.8
"""Seconds in which servers that were all cut off are back, and say so in the database."""

WITHDRAW = 3.5
"""Seconds of silence of the bus after which this server gives away the games of players elsewhere,
and sends its own players to other servers: by then it knows whether all servers are cut off. After
as long a silence of another server, its players count as away."""

LOST = 2.5
"""Seconds between two looks for games that nobody goes on with: they are claimed sooner."""

HEAR_WHO_DRAINS = 1.5
"""Seconds for which a server that ends waits until the database says which others end, too."""

STORE_RELEASES = 6.0
"""Maximum seconds for which a server that ends waits until its releases are stored. Then the
database counts as failed, and the shutdown goes on."""

RELEASED_AT_ONCE = 16
"""Games given away between two turns of other tasks."""


Result = TypeVar("Result")


class NameTakenError(Exception):
    """Another server of this name lives; the text says so."""


class OtherVersionError(Exception):
    """A server lives with which this one cannot work; the text says so, and what to do."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a node is made of."""

    hall: Hall
    owner: Owner
    games_elsewhere: GamesElsewhere
    link: LobbyLink
    make_host: MakeHost


class Node:
    """name: of this server, unlike all others. `make` makes its parts, which send by this object.
    check_lock: asks the database whether its servers still share it, and raises `TakenOverError` if
    not. end: asks this server to end, by the word of that administrator. owns: whether it plays
    games; otherwise it only has connections. version: of this program, for display."""

    def __init__(
        self,
        name: str,
        database: Database,
        journal: Journal,
        hub: Hub,
        make: "Callable[[Node], Parts]",
        *,
        now: Callable[[], datetime],
        check_lock: Callable[[], None],
        end: Callable[[str], object],
        owns: bool = True,
        version: str = "",
    ) -> None:
        self.name = name
        self.owns = owns
        self.run = 0
        self.draining = False
        self.fenced = 0
        """How often others declared this server dead."""
        self.fences = 0
        """How many servers this one declared dead."""
        self.claimed = 0
        """How many games it took over."""
        self._reached_until = 0.0  # when (s) players elsewhere could reach this server, so far
        self._cut = False
        self._silent: set[int] = set()  # servers that live and are not heard
        self._met_at: dict[int, float] = {}  # when (s) this one got to know each server that lives
        self._hosts: set[int] = set()  # servers that said that they host the lobby
        self.lobby_server: LobbyServer | None = None
        self._database = database
        self._journal = journal
        self._hub = hub
        self._now = now
        self._check_lock = check_lock
        self._end = end
        self._version = version
        self._lobby = 0
        self._askers = Askers(2)
        self._fenced = trio.Event()
        self._look_now = trio.Event()
        self._looked = trio.Event()
        self._claim_often_until = self._apart_at = -inf
        self._claim_failed = False
        self._claim_now = trio.Event()
        self._numbers: deque[int] = deque()
        self._drawing = False
        self._trouble = ""  # of the database, as last logged
        self.membership = Membership(0)
        self.bus: Bus | None = None
        journal.on_fenced(self._be_fenced)
        parts = make(self)
        self.hall, self.edge, self.owner = parts.hall, parts.link.edge, parts.owner
        self.games_elsewhere = parts.games_elsewhere
        self._link, self._make_host = parts.link, parts.make_host
        self.hall.drain = partial(drain, self)
        self._not_understood = NotUnderstood(self.hall, self._link, self.games_elsewhere)

    # The post

    @property
    def lobby(self) -> int:
        """The server that hosts the lobby; 0 if none is known."""
        return self._lobby

    @property
    def reaches_lobby(self) -> bool:
        """Whether what is said to the lobby is believed to arrive."""
        return self._lobby == self.run or (self._lobby != 0 and not self.is_cut_off)

    @property
    def is_cut_off(self) -> bool:
        """Whether nothing is believed to reach other servers."""
        return self.bus is not None and self.bus.silence > CUT_OFF

    def silence_of(self, run: int) -> float:
        """Seconds since something was heard of another server."""
        return 0.0 if self.bus is None else self.bus.silence_of(run)

    def heard_since(self, run: int, at: float) -> bool:
        heard_at = None if self.bus is None else self.bus.heard_at(run)
        return heard_at is None or heard_at >= at

    def silent(self, run: int, since: float, until: float) -> Sequence[Span]:
        return () if self.bus is None else self.bus.silent(run, since, until)

    def send(self, run: int, message: said.AnyMessage) -> None:
        """Send it to one server, which may be this one."""
        if self.bus is not None:
            self.bus.send(run, said.encode(message))

    def send_all(self, message: said.AnyMessage) -> None:
        """Send it to all servers, this one included."""
        data = said.encode(message)
        if self.bus is not None:
            for run in self.membership.living or (self.run,):
                self.bus.send(run, data)

    def link(self, player: LocalSeat) -> said.Link:
        """A player of this server, as others know it."""
        return self.edge.link(player)

    def epoch(self, game: int) -> int:
        """The epoch of a game that this server owns."""
        return self.owner.epoch(game)

    # What metrics tell

    @property
    def hosts_lobby(self) -> bool:
        """Whether this server hosts the lobby."""
        return self.lobby_server is not None

    @property
    def servers(self) -> int:
        """How many servers live, as far as this one knows."""
        return len(self.membership.living)

    @property
    def games_without_owner(self) -> int:
        """How many running games wait for a server that goes on with them."""
        return sum(table.owner == 0 for table in self.games_elsewhere.tables.values())

    # Its life

    async def live(
        self, key: str, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Be a server of the cluster, for ever: one run after the other, each until it is fenced.
        Started when the first run can hear others. `key`: of the bus.

        Raises:
            NameTakenError: another server of this name lives.
            OtherVersionError: a server lives with which this one cannot work.
            StorageError: the database does not answer at the start.
            TakenOverError: a lone server has the database now.
        """
        await self._make_way()
        first = True
        while True:
            await self._begin_run(key)
            async with trio.open_nursery() as nursery:
                assert self.bus is not None
                async with self._send_elsewhere("the others"):
                    await nursery.start(self.bus.run)
                nursery.start_soon(self._beat_for_ever)
                nursery.start_soon(self._claim_for_ever)
                nursery.start_soon(self._end_lost_games)
                nursery.start_soon(self.owner.tell_moves)
                if first:
                    task_status.started()
                    first = False
                await self._fenced.wait()
                nursery.cancel_scope.cancel()
            self.fenced += 1
            LOG.warning("this server was fenced, and begins anew", name=self.name, run=self.run)
            await self._journal.abandon()
            await self._abandon()

    async def _make_way(self) -> None:
        """Wait until earlier runs of this name, and of other versions, are known to be dead."""
        while (before := await self._ask(self._in_the_way)) is not None:
            await trio.sleep(STANDS)
            fence = partial(self._database.runs.fence, before.id, before.beat, self._now())
            if not await self._ask(fence):
                now = await self._ask(self._in_the_way)
                if now is not None and now.id == before.id:
                    raise self._refusal(before)

    def _in_the_way(self) -> RunState | None:
        """A run beside which this server may not begin, if there is any. Asks the database."""
        living = self._database.runs.living()
        others = (state for state in living if state.speaks != said.SPEAKS)
        return next(others, None) or self._database.runs.living_named(self.name)

    def _refusal(self, state: RunState) -> NameTakenError | OtherVersionError:
        if state.speaks == said.SPEAKS:
            text = f"another server named {self.name} is running; give this one another name"
            return NameTakenError(text)
        return OtherVersionError(
            f"server {state.node} is of a version with which this one cannot work (it speaks"
            f" {state.speaks}, this one {said.SPEAKS}); end all servers of that version first"
        )

    async def _begin_run(self, key: str) -> None:
        def begin() -> int:
            self._check_lock()
            return self._database.runs.begin(self._now(), self.name, said.SPEAKS, self._version)

        async with self._send_elsewhere("its database"):
            self.run = await self._ask_for_ever(begin)
        self._database.runs.join(self.run)
        self._journal.begin_again()
        self._fenced = trio.Event()
        self._lobby = 0
        self._silent.clear()
        self._met_at.clear()
        self._hosts.clear()
        self._host_no_more()
        self._link.begin_again()
        self.games_elsewhere.begin_again()
        self.membership = Membership(self.run)
        self._reached_until, self._cut = trio.current_time(), False
        self.bus = Bus(
            self._hub,
            key,
            self.run,
            heard=self._heard,
            lost=self._lose_track,
            deaf=self._not_reached,
        )
        LOG.info("run begins", name=self.name, run=self.run)

    @asynccontextmanager
    async def _send_elsewhere(self, unreachable: str) -> AsyncIterator[None]:
        """Before its run begins, this server can do nothing for anybody: other servers can. It
        waits for what it cannot reach."""
        why = f"this server cannot reach {unreachable}"

        async def send() -> None:
            while True:
                await trio.sleep(ALONE)
                for session in [*self.hall.connected]:
                    if session.player.can_return:
                        session.connection.hang_up(why)
                    elif session.table is None and not session.gone:
                        session.disconnect(f"{why}; retry-after 1", Blame.SERVER)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(send)
            yield
            nursery.cancel_scope.cancel()

    def _not_reached(self, run: int) -> None:
        self.membership.is_deaf(run)
        self._look_now.set()

    def _be_fenced(self) -> None:
        self._fenced.set()

    async def _ask(self, work: Callable[[], Result]) -> Result:
        return await self._askers.ask(work)

    def _complain(self, error: StorageError) -> None:
        """Log that the database does not answer: once for each reason, until it answers."""
        if (why := str(error)) != self._trouble:
            LOG.warning("the database does not answer", why=why)
        self._trouble = why

    async def _ask_for_ever(self, work: Callable[[], Result]) -> Result:
        while True:
            try:
                return await self._ask(work)
            except StorageError as error:
                self._complain(error)
                await trio.sleep(BEAT)

    # Other servers

    async def _beat_for_ever(self) -> None:
        while True:
            self._look_now = trio.Event()
            self._notice_cut()
            try:
                await self._look()
            except FencedError:
                self._fenced.set()
            except StorageError as error:
                self._complain(error)
            else:
                self._trouble = ""
                self._looked.set()
                self._looked = trio.Event()
            self.games_elsewhere.follow_moves({*self.membership.living} - {self.run})
            with trio.move_on_after(self.membership.pause):
                await self._look_now.wait()

    def _notice_cut(self) -> None:
        """While this server is cut off, players who are away cannot come back."""
        assert self.bus is not None
        now, silence = trio.current_time(), self.bus.silence
        cut = silence >= NOT_REACHED
        until = now if cut else now - silence
        late = until - self._reached_until
        if cut or self._cut or late >= NOT_REACHED:
            for table in self.hall.tables.values():
                table.hindered(Hindered(until, late))
        self._cut, self._reached_until = cut, until

    async def _look(self) -> None:
        """Beat, see who lives, and fence who stands still."""
        slowest = round(self._journal.slowest * 1000)
        apart = self.draining or self.is_cut_off  # it gets no games, and hosts no lobby
        beat = partial(self._database.runs.beat, self.run, apart, self._now(), slowest)
        states = await self._ask(beat)
        now = trio.current_time()
        if apart:
            self._apart_at = now
        new, gone = self.membership.look(states, now)
        for run, heard_at in gone.items():
            self._lose(run, heard_at)
        for run in new:
            self._meet(self.membership.living[run])
        await self._see_to_lobby()
        self._follow_new_lobby()
        if any(state.draining for state in states):
            self._claim_soon()  # it may not be able to say what it gives away
        await self._see_to_cuts()
        for state in self.membership.standing(now):
            fence = partial(self._database.runs.fence, state.id, state.beat, self._now())
            if await self._ask(fence):
                self.fences += 1
                LOG.warning("server fenced: its beat stood still", name=state.node, run=state.id)
                self._look_now.set()

    def _meet(self, state: RunState) -> None:
        if state.speaks != said.SPEAKS:
            LOG.error(
                "a server of another version cannot work with this one",
                name=state.node,
                speaks=state.speaks,
                here=said.SPEAKS,
            )
            return
        assert self.bus is not None
        LOG.info("server joined", name=state.node, run=state.id)
        self._met_at[state.id] = trio.current_time()
        self.bus.add(state.id)
        self.hall.begin_gradually(self.owner.greet(state.id))
        if self.lobby_server is not None:
            self.send(state.id, said.Register())

    def _lose(self, run: int, heard_at: float) -> None:
        LOG.info("server gone", run=run)
        assert self.bus is not None
        self._silent.discard(run)
        self._met_at.pop(run, None)
        self._hosts.discard(run)
        self.send(run, said.Fenced())
        self.hall.start(partial(_forget, self.bus, run))
        # It may have lived, and have heard nothing of what was said to its players.
        heard_at = min(heard_at, trio.current_time() - self.bus.silence_of(run))
        self.hall.begin_gradually(self.owner.lose(run, heard_at))
        self.games_elsewhere.orphan(run)
        if run == self._lobby:
            self._lobby = 0
        if self.lobby_server is not None:
            self._lose_members(run)
            self.lobby_server.dead(run)
        self._claim_soon()

    async def _see_to_lobby(self) -> None:
        """Host the lobby, or do so no more."""
        assert self.bus is not None
        if self.membership.lobby != self.run:
            # Is the hub down for all, the lobby stays where it is.
            if not CUT_OFF < self.bus.silence < WITHDRAW:
                self._host_no_more()
        elif self.lobby_server is None and self._may_host:
            await self._draw()
            LOG.info("this server hosts the lobby", name=self.name)
            self.lobby_server = LobbyServer(
                self.hall,
                self,
                self._make_host,
                self._number,
                self._owners,
                [run for run in self.membership.living if self.bus.silence_of(run) < CUT_OFF],
                lambda: self._claim_failed,
                self._hears_all,
                self.edge.results,
            )
            self._link.resumes = self.lobby_server.host.resumes  # logins are there
            self.send_all(said.Register())

    def _hears_all(self) -> bool:
        assert self.bus is not None
        others = [run for run in self.membership.living if run != self.run]
        return all(self.bus.silence_of(run) < NOT_REACHED for run in others)

    @property
    def _may_host(self) -> bool:
        """Whether others hear this server. If all were cut off, the one that hosts the lobby may
        not have said yet that it is back."""
        assert self.bus is not None
        back = trio.current_time() > self._apart_at + ALL_BACK
        return back and (self._alone or self.bus.silence < PING + BEAT)

    @property
    def _alone(self) -> bool:
        """Whether no other server is believed to reach others."""
        return all(
            run == self.run or state.draining for run, state in self.membership.living.items()
        )

    async def _see_to_cuts(self) -> None:
        """This server is cut off from the others, or another one is."""
        assert self.bus is not None
        if self.bus.silence > WITHDRAW:
            if not self._alone:
                await self._withdraw()
            return
        for run in [run for run in self.membership.living if run != self.run]:
            silence = self.bus.silence_of(run)
            if silence > CUT_OFF and self.lobby_server is not None:
                self.lobby_server.cannot_hear(run)
            if silence > WITHDRAW and run not in self._silent and not self.is_cut_off:
                LOG.warning("server not heard", run=run)
                self._silent.add(run)
                if self.lobby_server is not None:
                    self.lobby_server.games.give_up_on(run, "its server cannot be reached")
                self.hall.begin_gradually(self.owner.part(run))
            elif silence < CUT_OFF and run in self._silent:
                self._silent.discard(run)
                self._lose_track(run)

    async def _withdraw(self) -> None:
        """Players elsewhere hear nothing of this server: others go on with their games, and with
        the players here who can return."""
        tables = [table for table in self.hall.tables.values() if self.owner.crosses(table)]
        if tables:
            LOG.warning("this server is cut off, and gives games away", games=len(tables))
        steps = Steps(RELEASED_AT_ONCE)
        for table in tables:
            if table.id in self.hall.tables:
                self._release(table)
            await steps.done()
        self.hall.begin_gradually(self._link.send_away())

    def _follow_new_lobby(self) -> bool:
        """Follow the host that the database names, if it has begun: two may say that they are it,
        as the word of one is old. Whether it is a new one."""
        run = self.membership.lobby
        if run == self._lobby or run not in self._hosts:
            return False
        self._follow_lobby(run)
        return True

    def _follow_lobby(self, run: int) -> None:
        self._lobby, self._hosts = run, {run}
        self.edge.forget_lists()
        self.hall.begin_gradually(self.owner.register())
        self.hall.begin_gradually(self._link.register())

    def _host_no_more(self) -> None:
        if self.lobby_server is not None:
            self.lobby_server.end()
            self.lobby_server = None

    def _owners(self) -> list[int]:
        return [run for run, state in self.membership.living.items() if not state.draining]

    def _has_successor(self) -> bool:
        return any(run != self.run for run in self._owners())

    def _number(self) -> int:
        if len(self._numbers) < NUMBERS // 2 and not self._drawing:
            self._drawing = True
            self.hall.start(self._draw)
        return self._numbers.popleft() if self._numbers else 0

    async def _draw(self) -> None:
        try:
            draw = partial(self._database.ownership.draw_numbers, NUMBERS)
            self._numbers.extend(await self._ask_for_ever(draw))
        finally:
            self._drawing = False
        if self.lobby_server is not None:
            self.lobby_server.games.go_on(self._number)

    # Messages

    def _heard(self, run: int, messages: Sequence[bytes]) -> None:
        if run != self.run and run not in self.membership.living:
            return  # it was fenced
        self.membership.hears(run)
        for data in messages:
            try:
                message = said.decode_untrusted(data)
            except msgspec.DecodeError as error:
                self._hear_unknown(run, said.outline_untrusted(data), str(error))
                continue
            try:
                self._hear(run, message)
            except Exception:
                LOG.exception("message failed", run=run, kind=type(message).__name__)

    def _hear_unknown(self, run: int, message: said.Outline, why: str) -> None:
        self._not_understood.here(run, message, why, self.lobby_server)
        if message.kind != said.NotUnderstood.__name__:  # it would be answered without an end
            self.send(run, said.NotUnderstood(message))

    def _hear(self, run: int, message: said.AnyMessage) -> None:
        if isinstance(message, said.Register):
            self._hosts.add(run)
            if run != self.run and trio.current_time() < self._apart_at + WITHDRAW:
                self._host_no_more()  # that one did, while this server was cut off: begin anew
            if run == self._lobby or not self._lobby:
                self._follow_lobby(run)
            elif not self._follow_new_lobby():
                self._look_now.set()  # it says so, and the database may say it by now
        elif isinstance(message, said.Rejoin):
            self.hall.begin_gradually(self.owner.greet(run))
            self._rejoin(run)
        elif isinstance(message, said.Fenced):
            self._fenced.set()
        elif isinstance(message, said.Drain):
            self._end(message.by)
        elif isinstance(message, said.Ping):
            self.send(run, said.Pong())
        elif isinstance(message, said.NotUnderstood):
            self._not_understood.there(run, message.message, self.lobby_server)
        elif isinstance(message, said.Forget):
            if self.lobby_server is not None:
                self.lobby_server.doubt(run)
        elif self.games_elsewhere.hear(run, message) or self.edge.hear(run, message):
            server = self.lobby_server
            if server is not None and isinstance(message, said.Owned | said.Ended | said.Owns):
                server.hear_of_game(run, message)
            if isinstance(message, said.Released):
                self._claim_soon()
        elif isinstance(message, said.Open) and (self.draining or not self.owns):
            why = "its server is shutting down" if self.draining else "its server plays no games"
            self.send(run, said.NotOpened(message.game, why))
        elif isinstance(message, said.Performed):
            if run == self._lobby:
                self._link.performed(message.number)
        elif isinstance(message, said.Players):
            self._link.hear_players(message)
        elif isinstance(message, said.LogIn) and self.draining and self._has_successor():
            pass  # its server asks the next lobby, too
        elif not self.owner.hear(run, message) and self.lobby_server is not None:
            self.lobby_server.hear(run, message)

    def _lose_track(self, run: int) -> None:
        """Messages from or to this server were lost."""
        is_new = trio.current_time() < self._met_at.get(run, -inf) + MEETING
        (LOG.debug if is_new else LOG.warning)("messages were lost", run=run)
        self.hall.begin_gradually(self.owner.greet(run))
        self.send(run, said.Rejoin())
        self._rejoin(run)

    def _rejoin(self, run: int) -> None:
        """What connections here said to that server may be lost, and what it told them."""
        self.hall.begin_gradually(self.games_elsewhere.rejoin(run))
        if self.lobby_server is not None:
            self.send(run, said.Register())
        if run == self._lobby:
            self.edge.forget_lists()
            self.send(run, said.Forget())
            self.hall.begin_gradually(self.owner.register())
            self.hall.begin_gradually(self._link.register())

    def _lose_members(self, run: int) -> None:
        assert self.lobby_server is not None
        pieces = self.lobby_server.lose(run)
        first = next(pieces, None)  # from now on they count as gone
        if first is not None:
            first()
            self.hall.begin_gradually(pieces)

    # Games

    def _claim_soon(self) -> None:
        """Games have no owner any more. Some may be locked, by who was cut off in the middle of its
        work with them."""
        self._claim_often_until = trio.current_time() + CLAIM_OFTEN
        self._claim_now.set()

    async def _claim_for_ever(self) -> None:
        while True:
            self._claim_now = trio.Event()
            pause = CLAIM_EVERY
            try:
                if self.owns and not self.draining and not self.is_cut_off:
                    while await self._claim():
                        pass
                    self._claim_failed = False
            except FencedError:
                self._fenced.set()
            except StorageError as error:
                self._complain(error)
                self._claim_failed, pause = True, CLAIM_AGAIN
            if trio.current_time() < self._claim_often_until:
                pause = CLAIM_AGAIN
            with trio.move_on_after(pause):
                await self._claim_now.wait()

    async def _claim(self) -> bool:
        """Take over some games that nobody owns; whether there were any."""
        claimed = await self._ask(
            partial(self._database.ownership.claim, self._now(), CLAIMED_AT_ONCE)
        )
        self.claimed += len(claimed)
        for game in claimed:
            self._resume(game)
            await trio.lowlevel.checkpoint()
        return bool(claimed)

    def _resume(self, claimed: Claimed) -> None:
        """Go on with a game that belongs to this server now: nobody else will. What cannot be
        played is ended, and its players are told."""
        number = claimed.unfinished.started.game
        self.owner.own(number, claimed.epoch)
        try:
            down = self._downtime(claimed)
        except Exception:
            LOG.exception("downtime unknown", game=number)
            down = Downtime(None, self._now())
        LOG.info("game taken over", game=number, epoch=claimed.epoch)
        if why := self.hall.resume_game(claimed.unfinished, down):
            self._end_unplayable(claimed.unfinished, why)
            return
        table = self.hall.tables.get(number)
        if table is None:
            return  # it was over
        for player in table.players:
            if isinstance(player, AbsentPlayer) and self._lobby:
                self.send(self._lobby, self._link.known(self.edge.number(player), player))

    def _end_unplayable(self, unfinished: Unfinished, why: str) -> None:
        started = unfinished.started
        white, black = newest_keys(started.seats, unfinished.history)
        over = notices.over(started.game, Outcome(None, Reason.SERVER))
        keys = white.key, black.key
        tell = partial(self.owner.end_unplayable, started.game, over, keys, why)
        if self._journal.when_durable(tell):
            tell()

    def _downtime(self, claimed: Claimed) -> Downtime:
        number, before, now = claimed.unfinished.started.game, claimed.before, self._now()
        if before is None:
            return Downtime(None, now)
        heard_ago = self._heard_ago(before.id)
        alive = min(before.last_alive, now)
        heard = self._players_heard(number, before.id, alive, now)
        return Downtime(alive, now, before.slowest, alive, heard, heard_ago)

    def _heard_ago(self, run: int) -> float | None:
        """For how long (s) that run was not heard here; None: it never was."""
        assert self.bus is not None
        heard_at = self.bus.heard_at(run)
        return None if heard_at is None else trio.current_time() - heard_at

    def _players_heard(
        self, game: int, owner: int, alive: datetime, now: datetime
    ) -> tuple[datetime, datetime]:
        """When White and Black could move last, before their owner died: it, or the server where
        they were, may have been cut off until then, and nobody knew."""
        table = self.games_elsewhere.tables.get(game)
        white, black = (0, 0) if table is None else table.players

        at = trio.current_time() - (now - alive).total_seconds()

        def heard(player: int) -> datetime:
            assert self.bus is not None
            before = min(self.bus.heard_before(run, at) for run in (player, owner))
            return alive - timedelta(seconds=at - before)

        return heard(white), heard(black)

    async def _end_lost_games(self) -> None:
        """End, for ever, games that died with their server: over before it could tell that, or not
        stored yet."""
        before: set[int] = set()
        while True:
            await trio.sleep(LOST)
            tables = self.games_elsewhere.tables
            orphans = {number for number, table in tables.items() if not table.owner}
            unseen = set() if self.lobby_server is None else self.lobby_server.unseen
            orphans |= unseen
            lost, before = orphans & before, orphans
            if not lost:
                continue
            try:
                stored = await self._ask(partial(self._database.games.outcomes, lost))
            except StorageError as error:
                self._complain(error)
                continue
            for number in lost:
                await trio.lowlevel.checkpoint()
                table = tables.get(number)
                outcome = stored.get(number, NOT_STORED)
                if outcome is None:
                    continue  # it is running
                if table is not None and not table.owner:
                    self._end_lost(table, outcome)
                elif self.lobby_server is not None and number in unseen:
                    self.lobby_server.end_unseen(number, notices.over(number, outcome))

    def _end_lost(self, table: RemoteTable, outcome: Outcome) -> None:
        LOG.info("game died with its server", game=table.id, result=outcome.score)
        over = notices.over(table.id, outcome)
        self.edge.results.add(table.id, [seat.key for seat in table.started.seats], over)
        self.games_elsewhere.remove(table.id, over)
        if self._lobby:
            self.send(self._lobby, said.Lost(table.started, over))

    async def _abandon(self) -> None:
        """Other servers go on with the games of this one."""
        steps = Steps(RELEASED_AT_ONCE)
        for table in [*self.hall.tables.values()]:
            if table.id in self.hall.tables:
                self._leave(table)
            await steps.done()
        self.owner.begin_again()

    def _leave(self, table: Table) -> list[Fact]:
        """The connections here stay, and wait for the new owner. Returns what is to be stored."""
        epoch, heard_until = self.owner.epoch(table.id), self.owner.heard_until(table)
        self.owner.forget(table)
        self.games_elsewhere.adopt(table, epoch)
        return self.hall.leave_game(table, heard_until)

    async def flush(self) -> None:
        """Return when other servers have been told all that was said to them."""
        if self.bus is not None:
            await self.bus.flush()

    async def drain(self) -> int:
        """Give all games away, and have the lobby move. If no other server goes on with them, games
        of a player who cannot return stay here. Returns how many games were given away: none, as
        far as anybody knows, if the database does not answer."""
        self.draining = True
        self._look_now.set()
        if any(map(_must_stay, self.hall.tables.values())):
            await self._hear_who_drains()
        tables = [*self.hall.tables.values()]
        if not self._has_successor():
            tables = [table for table in tables if not _must_stay(table)]
        steps = Steps(RELEASED_AT_ONCE)
        for table in tables:
            if table.id in self.hall.tables:
                self._release(table)
            await steps.done()
        with trio.move_on_after(STORE_RELEASES) as waiting:
            await self._journal.drain()
        return 0 if waiting.cancelled_caught else len(tables)

    async def _hear_who_drains(self) -> None:
        """All servers may have been told to end at the same moment. A look that is under way does
        not say yet that this one drains, and the next one may be too early to see it of others."""
        with trio.move_on_after(HEAR_WHO_DRAINS):
            for _ in range(3):
                await self._looked.wait()

    def _release(self, table: Table) -> None:
        epoch = self.owner.epoch(table.id)
        self.owner.begin_release(table.id)
        for fact in self._leave(table):
            self._journal.note(fact)
        self._journal.note(ReleasedFact(table.id, epoch))
        tell = partial(self.owner.release, table.id, epoch)
        if self._journal.when_durable(tell):
            tell()


async def _forget(bus: Bus, run: int) -> None:
    await trio.sleep(SAY_FENCED)
    bus.forget(run)


def _must_stay(table: Table) -> bool:
    """Whether no later run could give a player of it the seat."""
    return bool(cannot_return(table.game.started))
