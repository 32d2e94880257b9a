"""The hall: sessions come and go, the lobby pairs them, tables open and close."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

import structlog
import trio

from ulci.net import Peer
from ulci.net.peer import TOO_SLOW
from ulci.protocol.messages import Admin, Blame, Info, Report
from ulci.rules import GAMES, Rules
from ulci.rules.refereed import Judge
from ulci_server.game import Away, Hindered, Left, Seat
from ulci_server.hall.login.authenticator import Authenticator
from ulci_server.hall.login.login import Login
from ulci_server.hall.login.registry import SessionRegistry
from ulci_server.hall.session.command_rate import CommandRate
from ulci_server.hall.session.handlers import run_handshake
from ulci_server.hall.session.player_commands import GameCommand, LobbyCommand
from ulci_server.hall.session.session import Session
from ulci_server.hall.table.recovery import Downtime, newest_keys
from ulci_server.hall.table.spectators import Watcher
from ulci_server.hall.table.table import Table
from ulci_server.hall.table.tables import Tables
from ulci_server.lobby import (
    Freed,
    Hold,
    Lobby,
    LobbyEffect,
    LobbyWord,
    Pair,
    Profile,
    Refused,
    Release,
    TellAll,
    TellList,
    TellOne,
    Unmatched,
    lobby_lines,
)
from ulci_server.storage import Journal, Unfinished

from .announcements import Announcer
from .closing import Closing
from .gradual_work import GradualWork
from .lists import Lists
from .loop_monitor import note_duration
from .process_statistics import ProcessStatistics
from .session import hall_commands
from .settings import Settings
from .task_order import TaskOrder
from .timers import Alarm, Alarms

LOG = structlog.get_logger("ulci_server.hall")

DATABASE_DOWN = "the database does not answer"
"""All that players learn of database trouble; the cause is in the log."""


class Hall:
    """ids: numbers for new games. secret: makes the secrets by which clients resume their seats.
    games: all games that can be played. referees: judges of the games that are not in `ulci.rules`.
    statistics: reads uptime and task count. task_order: recorded or replayed order of tasks."""

    def __init__(
        self,
        journal: Journal,
        lobby: Lobby,
        authenticator: Authenticator,
        *,
        ids: Iterator[int],
        secret: Callable[[], str],
        settings: Settings | None = None,
        games: Mapping[str, Rules] = GAMES,
        referees: Iterable[Judge] = (),
        statistics: Callable[[], Mapping[str, int]] | None = None,
        task_order: TaskOrder | None = None,
    ) -> None:
        self.task_order = task_order or TaskOrder()
        self.alarms = Alarms(self.task_order)
        self._lobby = lobby
        self.authenticator = authenticator
        self._settings = settings or Settings()
        self._tables = Tables(
            journal,
            self.alarms,
            self._settings,
            ids=ids,
            games=games,
            referees=referees,
            task_order=self.task_order,
        )
        self.announcer = Announcer(self.task_order)
        self.lists = Lists(self, self.announcer, self.task_order, self._settings.listed)
        self._gradual_work = GradualWork(self.task_order)
        self._registry = SessionRegistry()
        self._login = Login(self, lobby, self._registry, secret)
        self._command_rate = CommandRate()
        self._pools: dict[Session, str] = {}  # of every open connection
        self._held: dict[int, Alarm] = {}  # of every match that waits for its colours
        self.stalled = 0.0
        """Seconds for which the server stood still."""
        self.slow_dropped = 0
        """Clients cut off because they read too slowly."""
        self._background: trio.Nursery | None = None
        self.statistics = statistics or ProcessStatistics()
        self.closing = Closing(lobby, self._tables, self._registry, self._pools.keys())

    @property
    def tables(self) -> Mapping[int, Table]:
        """Running games, by number."""
        return self._tables.running

    def follow_games(self, note: Callable[[Table], None]) -> None:
        """Call `note` with the table of each game that begins, and again when it has left
        `tables`. It only notes it: players wait meanwhile."""
        self._tables.followers.append(note)

    @property
    def finished(self) -> Counter[tuple[str, str]]:
        """How many games ended, by pool and reason."""
        return self._tables.finished

    @property
    def resumes(self) -> Counter[str]:
        """How many clients asked to resume their session, by result."""
        return self._login.resumes

    async def any_game(self) -> None:
        """Wait until a game is running."""
        await self._tables.any_running()

    async def run(self) -> None:
        """Run alarms, spectators, announcements and gradual work, for ever."""
        async with trio.open_nursery() as nursery:
            self._background = nursery
            nursery.start_soon(self.alarms.run)
            nursery.start_soon(self._tables.broadcaster.run)
            nursery.start_soon(self.announcer.run)
            nursery.start_soon(self._gradual_work.run)

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task that waits for the database, in the background."""
        assert self._background is not None
        self._background.start_soon(self._run_task, task, self.task_order.ticket())

    async def _run_task(self, task: Callable[[], Awaitable[None]], ticket: int) -> None:
        try:
            await self.task_order.take(ticket)
            await task()
        except Exception:
            LOG.exception("background task failed")

    # Connecting

    async def welcome(self, peer: Peer, pool: str, *, plays: str = "") -> None:
        """Serve one connection; the client waits in `pool` unless it seeks. Returns when the
        connection is over, or when others than this task go on with it (`Peer.deliver`).

        `plays`: the game of clients whose dialect has no way to name it.
        """
        session = Session(peer, self, self.alarms, self._settings.clients)
        self._pools[session] = pool
        LOG.debug("connected", peer=peer.label)
        hear = None
        try:
            hear = await run_handshake(self, session, self._settings.clients, plays)
        finally:
            if hear is None:
                self._disconnected(session)
        if hear is None:
            await self.closing.close_peer(peer)
        else:
            await peer.deliver(hear, partial(self._connection_over, session))

    async def _connection_over(self, session: Session) -> None:
        """The connection of a logged-in client is over."""
        began = perf_counter()
        self._disconnected(session)
        note_duration(began, "Left", session.handle)
        await self.closing.close_peer(session.peer)

    async def introduce(self, session: Session, profile: Profile) -> None:
        """The handshake is done: log the client in."""
        await self._login.introduce(session, replace(profile, pool=self._pools[session]))

    def queue(self, session: Session) -> None:
        """Let the client wait for a game in the pool of its listener."""
        pool, front = self._pools[session], session.front
        self._perform(self._lobby.wait(session.handle, pool, front=front))

    # Leaving

    def _disconnected(self, session: Session) -> None:
        session.end()
        del self._pools[session]
        self.slow_dropped += session.why.startswith(TOO_SLOW)
        self.closing.lose()
        if session not in self._registry:
            return  # never logged in, or replaced by a newer connection
        LOG.info("left", client=session.handle, why=session.why, peer=session.peer.label)
        now = trio.current_time()
        if session.table is None:
            self._remove(session)
        elif session.can_return and not session.left_for_good:
            session.table.handle(Away(session.side, now))
        else:
            session.table.handle(Left(session.side, now, session.why))

    def _remove(self, session: Session) -> None:
        self.announcer.leave(session)
        self._registry.leave(session)
        self._perform(self._lobby.leave(session.handle))

    def free(self, session: Session) -> None:
        """A client has left its table and owes nothing: its match goes on, or it waits again,
        unless it seeks."""
        if session not in self._registry:
            return
        if session.gone:
            self._remove(session)
            return
        self._perform(self._lobby.free(session.handle))

    def _freed(self, session: Session) -> None:
        assert session.profile is not None
        if not session.profile.lobby:
            self.queue(session)

    # Commands

    def handle_command(self, session: Session, command: LobbyCommand) -> None:
        if session not in self._registry and not isinstance(command, Admin):
            session.send_lobby_error("not-allowed", "this connection takes admin commands only")
        elif isinstance(command, LobbyWord):
            self._perform(self._lobby.hear(session.handle, command))
        else:
            hall_commands.HANDLERS[type(command)](self, session, command)

    def command_wait(self, session: Session, command: LobbyCommand | GameCommand) -> float:
        """Seconds until the command is allowed; 0: it is."""
        host, now = session.peer.host, trio.current_time()
        return self._command_rate.wait(
            command, session.command_bucket, host, len(self._registry.all), now
        )

    @property
    def connected(self) -> Collection[Session]:
        """All open connections, also those before login."""
        return self._pools.keys()

    @property
    def present(self) -> Collection[Session]:
        """All logged-in sessions, also those that are disconnected and may return."""
        return self._registry.all

    def find(self, handle: str) -> Session | None:
        """The session of that name, ignoring case."""
        known = self._lobby.find(handle)
        return None if known is None else self._registry.get(known)

    def watch(self, session: Session, table: Table) -> None:
        """Let the session watch a game."""
        session.watch(table)
        self._tables.broadcaster.watched(table.spectators)

    def show_thoughts(self, session: Session, table: Table) -> None:
        """Let a player be shown what the opponent's program thinks."""
        table.show_thoughts(session.side, wanted=True)
        self._tables.broadcaster.watched(table.spectators)

    def spectate(self, watcher: Watcher, table: Table) -> None:
        """Let somebody watch a game who is no session."""
        table.watch(watcher)
        self._tables.broadcaster.watched(table.spectators)

    def _perform(self, effects: Iterable[LobbyEffect]) -> None:
        for effect in effects:
            match effect:
                case TellOne(handle, line):
                    self._registry[handle].tell(line)
                case TellAll(line):
                    self.announcer.announce(line)
                case TellList(handle, what):
                    self.lists.ask(self._registry[handle], what, partial(self._lobby.listed, what))
                case Pair(white, black, offer):
                    pair = self._registry[white], self._registry[black]
                    self._tables.open(offer, pair, partial(self._game_failed, pair))
                case Refused(handle, why):
                    self._registry[handle].refuse(why)
                case Freed(handle):
                    self._freed(self._registry[handle])
                case Hold(match_, seconds):
                    self._hold(match_, seconds)
                case Release(match_):
                    if match_ in self._held:
                        self._held.pop(match_).end()
                case Unmatched(handles, why):
                    LOG.info("cannot be paired", clients=" ".join(handles), why=why)
                    for handle in handles:
                        self._registry[handle].tell_unmatched(why)

    def _hold(self, match: int, seconds: float) -> None:
        alarm = self._held[match] = self.alarms.new(partial(self._overdue, match))
        alarm.set(trio.current_time() + seconds)

    def _overdue(self, match: int) -> None:
        self._perform(self._lobby.overdue(match))

    def _game_failed(self, sessions: Sequence[Session], why: str) -> None:
        for handle in [session.handle for session in sessions]:
            session = self._registry.get(handle)  # it may be on a new connection
            if session is not None and not session.gone:
                session.tell(lobby_lines.error("no-game", f"the game cannot begin: {why}"))
                self._perform(self._lobby.call_off(handle))
                self.free(session)

    # Restarts, stalls and database trouble

    def resume(self, unfinished: Iterable[Unfinished], down: Downtime, nobody: Peer) -> int:
        """Resume the games of an earlier server; their players reconnect by themselves.

        `nobody` is a closed peer. Returns the number of resumed games.
        """
        return sum(self._resume_one(game, down, nobody) for game in unfinished)

    def _resume_one(self, unfinished: Unfinished, down: Downtime, nobody: Peer) -> bool:
        started = unfinished.started
        offer = self._tables.offer_again(started, self._lobby.pool_rules_of(started.pool))
        if offer is None:
            return False
        seats = newest_keys(started.seats, unfinished.history)
        white, black = (self._placeholder(seat, nobody) for seat in seats)
        if self._tables.resume(unfinished, offer, (white, black), down):
            return True
        for placeholder in (white, black):
            placeholder.table = None
            self._remove(placeholder)
        return False

    def _placeholder(self, seat: Seat, nobody: Peer) -> Session:
        """A session for a player who has not reconnected since the restart."""
        placeholder = Session(nobody, self, self.alarms, self._settings.clients)
        placeholder.end()
        placeholder.key = seat.key
        known = Profile(
            name=seat.name,
            handle=seat.handle,
            kind=seat.kind,
            author=seat.author,
            features=frozenset({"lobby"}),
            account=seat.account,
        )
        placeholder.introduce(self._lobby.seat(known))
        self._registry.enter(placeholder)
        return placeholder

    def hindered(self, seconds: float) -> None:
        """The server stalled for `seconds`: absent players could not return meanwhile."""
        self.stalled += seconds
        hindered = Hindered(trio.current_time(), seconds)
        for table in self.tables.values():
            table.hindered(hindered)

    def trouble(self, why: str | None) -> None:
        """The database fails (`why`, for the log alone) or is back (None). No new games begin until
        it is."""
        message: Report | Info
        if why is not None:
            self._lobby.close(f"no new games: {DATABASE_DOWN}")
            message = Report(Blame.SERVER, f"{DATABASE_DOWN}; moves wait, clocks stand")
        else:
            if not self.closing.begun:
                self._gradual_work.begin(
                    partial(self._perform, effects) for effects in self._lobby.reopen()
                )
            message = Info(string="the database is back; the game goes on")
        tables = [*self.tables.values()]
        self._gradual_work.begin(partial(table.warn, message) for table in tables)
