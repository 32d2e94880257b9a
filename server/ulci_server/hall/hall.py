"""The hall: connections come and go, their sessions play at its tables."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import NoReturn, cast

import structlog
import trio

from ulci.net import Buckets, Hear, Peer, Sample
from ulci.net.peer import TOO_SLOW
from ulci.protocol.messages import Admin, Blame, Info, PlayerCommand, Report
from ulci.rules import GAMES, Rules
from ulci.rules.refereed import Judge
from ulci_server.game import Away, Fact, GameStarted, Hindered, Left
from ulci_server.hall.session.command_rate import CommandRate
from ulci_server.hall.session.hall_commands import HALL_COMMANDS
from ulci_server.hall.session.handlers import log_in, run_handshake
from ulci_server.hall.session.session import Session
from ulci_server.hall.session.suspects import Suspects
from ulci_server.hall.table.interfaces import AnyTable, Entrant
from ulci_server.hall.table.recovery import (
    Downtime,
    UnplayableError,
    cannot_return,
    newest_keys,
)
from ulci_server.hall.table.spectators import Spectators
from ulci_server.hall.table.table import OUR_FAULT, Table
from ulci_server.hall.table.tables import Tables
from ulci_server.lobby import Agreement, Profile, ServerProgram
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import Journal, Unfinished

from .absent_player import AbsentPlayer, LocalClient
from .announcements import Announcer
from .closing import Closing
from .gradual_work import GradualWork
from .host_services import Drain, HostServices
from .lists import Lists
from .lobby_service import LobbyService
from .loop_monitor import ProcessStatistics, note_duration
from .member import HostedMember
from .settings import HallSettings
from .timers import Alarms

LOG = structlog.get_logger("ulci_server.hall")

SERVER_ENDED = "the server ended during the game"

DATABASE_DOWN = "the database does not answer"
"""All that players learn of database trouble; the cause is in the log."""


TALK_A_SECOND, TALK_BURST = 2.0, 20
"""Lines that the spectators of one game at this server may say: more, nobody can read."""

SPEAKER_A_SECOND, SPEAKER_BURST = 0.5, 5
"""Lines that one of them may say: the rest is left to the others."""


def _not_drained(_: str, __: HostedMember) -> NoReturn:
    raise Refusal("no-such-server", "this server does not end by a command")


def _is_program(session: Session) -> bool:
    return session.profile is not None and session.profile.of_server


class Hall:
    """lobby: makes the lobby of this hall, here or a link to where it is. games: all games that can
    be played. referees: judges of the games that are not in `ulci.rules`."""

    def __init__(
        self,
        journal: Journal,
        lobby: "Callable[[Hall], LobbyService]",
        *,
        settings: HallSettings | None = None,
        games: Mapping[str, Rules] = GAMES,
        referees: Iterable[Judge] = (),
    ) -> None:
        self.alarms = Alarms()
        self._settings = settings or HallSettings()
        self._clients = self._settings.clients
        self._tables = Tables(journal, self.alarms, self._settings, games=games, referees=referees)
        self.wants_moves = False
        """Whether somebody here wants to know the newest moves of all games, those at other servers
        included."""
        self._elsewhere: dict[int, AnyTable] = {}
        self._followers: list[Callable[[AnyTable], None]] = []
        self._missed: list[Callable[[int], None]] = []
        self.announcer = Announcer()
        self.lists = Lists(self.announcer, self.start, self._settings.listed)
        self._gradual_work = GradualWork()
        self._command_rate = CommandRate()
        self.suspects = Suspects()
        self.logged_of_strangers = Sample()
        """Which lines about clients that have not introduced themselves stand in the log."""
        self.talk = Buckets[int](TALK_A_SECOND, TALK_BURST)
        self.speakers = Buckets[str](SPEAKER_A_SECOND, SPEAKER_BURST)
        self._sessions: dict[Session, None] = {}  # all open connections, the oldest first
        self.stalled = 0.0
        """Seconds for which the server stood still."""
        self.slow_dropped = 0
        """Clients cut off because they read too slowly."""
        self._background: trio.Nursery | None = None
        self.statistics = ProcessStatistics()
        self.drain: Drain = _not_drained
        """How a server ends by a command."""
        self.services = HostServices(
            alarms=self.alarms,
            lists=self.lists,
            start=self.start,
            begin_game=self._begin_here,
            announce=self.announcer.announce,
            find_table=self.find_table,
            all_tables=self.all_tables,
            statistics=self.statistics,
            connections=self._sessions.__len__,
            is_closing=lambda: self.closing.ended,
            drain=self._drain,
        )
        self.lobby = lobby(self)
        self.closing = Closing(self.lobby, self._tables, self._sessions.keys())

    def _drain(self, name: str, by: HostedMember) -> tuple[Collection[str], Callable[[], object]]:
        return self.drain(name, by)

    @property
    def tables(self) -> Mapping[int, Table]:
        """Running games of this server, by number."""
        return self._tables.running

    def find_table(self, number: int) -> AnyTable | None:
        """The table of a running game, here or at another server."""
        return self._tables.running.get(number) or self._elsewhere.get(number)

    def all_tables(self) -> list[AnyTable]:
        """The tables of all running games, here and at other servers."""
        return [*{**self._elsewhere, **self._tables.running}.values()]

    @property
    def elsewhere(self) -> Mapping[int, AnyTable]:
        """Running games at other servers, by number."""
        return self._elsewhere

    def begin_elsewhere(self, table: AnyTable) -> None:
        """A game begins, or goes on, at another server."""
        self._elsewhere[table.id] = table
        for note in self._followers:
            note(table)

    def end_elsewhere(self, table: AnyTable) -> None:
        """A game at another server is over, or goes on here."""
        del self._elsewhere[table.id]
        for note in self._followers:
            note(table)

    def miss(self, number: int) -> None:
        """A game at another server is over of which nothing was known here."""
        for note in self._missed:
            note(number)

    def follow_all_games(
        self, note: Callable[[AnyTable], None], missed: Callable[[int], None]
    ) -> None:
        """The same as `follow_games`, for the games of all servers. A game that goes on at another
        server is noted again. `missed` gets the number of a game that ended, as it seems, before
        anybody knew of it; it may get one again that ended long ago."""
        self.follow_games(note)
        self._followers.append(note)
        self._missed.append(missed)

    def follow_games(self, note: Callable[[Table], None]) -> None:
        """Call `note` with the table of each game that begins, and again when it has left
        `tables`. It only notes it: players wait meanwhile."""
        self._tables.followers.append(note)

    def hold_flags(self, holds: Callable[[Table], bool]) -> None:
        """Ask `holds` before a flag of a later game falls: True, and it may not fall yet."""
        self._tables.holds_flag = holds

    @property
    def finished(self) -> Counter[tuple[str, str]]:
        """How many games ended, by pool and reason."""
        return self._tables.finished

    @property
    def resumes(self) -> Counter[str]:
        """How many clients asked to resume their session, by result."""
        return self.lobby.resumes

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
        self._background.start_soon(self._run_task, task)

    def begin_gradually(self, pieces: Iterable[Callable[[], None]]) -> None:
        """Run pieces of work, a few at a time, in order."""
        self._gradual_work.begin(pieces)

    async def _run_task(self, task: Callable[[], Awaitable[None]]) -> None:
        try:
            await task()
        except Exception:
            LOG.exception("background task failed")

    # Connecting

    async def welcome(
        self, peer: Peer, pool: str, *, plays: str = "", tournament: str = ""
    ) -> None:
        """Serve one connection; the client waits in `pool` unless it seeks. Returns when the
        connection is over, or when others than this task go on with it (`Peer.deliver`).

        `plays`: the game of clients whose dialect has no way to name it. `tournament`: as in
        `Profile`.
        """
        session = self._connect(peer)
        logging_in = run_handshake(self, session, self._clients, plays, pool, tournament)
        await self._serve(session, logging_in)

    async def host_program(
        self,
        peer: Peer,
        profile: Profile,
        *,
        secret: str = "",
        task_status: trio.TaskStatus[Session] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve a program of this server, which has introduced itself to it as `profile` says. Its
        connection is idle: configured, and asked for nothing. Returns when the connection is over.

        It is a session like any other, which `task_status` gets before it is logged in: a member of
        the lobby service, on the page and in the record, and free for its next game once it owes
        nothing for the last one (`LobbyService.free`). Its lobby asks for no token.

        With a `secret` it may come back: while its program has ended in the middle of a game it is
        `Away`, and the next program with that secret takes the seat and goes on by ``position …
        moves``; so it does after a restart of the server, which resumes the games of players whose
        secrets have a key in the record. Without one, the end of the program is that of its game
        (`Left`). The caller sets what a fresh program must know of the game it goes on with:
        `LocalPlayer.setup`.
        """
        session = self._connect(peer)
        program = profile.program or ServerProgram()
        profile = replace(profile, resume=secret, program=program)
        task_status.started(session)
        await self._serve(session, log_in(self, session, self._clients, profile))

    def _connect(self, peer: Peer) -> Session:
        session = Session(peer, self, self.alarms, self._clients)
        self._sessions[session] = None
        LOG.debug("connected", peer=peer.label)
        return session

    async def _serve(self, session: Session, logging_in: Awaitable[Hear | None]) -> None:
        hear = None
        try:
            hear = await logging_in
        finally:
            if hear is None:
                self._disconnected(session)
        peer = session.connection.peer
        if hear is None:
            await self.closing.close_peer(peer)
        else:
            await peer.deliver(hear, partial(self._connection_over, session))

    async def _connection_over(self, session: Session) -> None:
        """The connection of a logged-in client is over."""
        began = perf_counter()
        self._disconnected(session)
        note_duration(began, "Left", session.handle)
        await self.closing.close_peer(session.connection.peer)

    # Leaving

    def _disconnected(self, session: Session) -> None:
        session.end()
        del self._sessions[session]
        self.slow_dropped += session.why.startswith(TOO_SLOW)
        self.closing.lose()
        self.lobby.left(session)
        table, now = session.table, trio.current_time()
        if table is None:
            return
        if session.player.may_return:
            if _is_program(session) and not self.closing.ended:
                table.report(session.side, "server", f"its program ended: {session.why}")
            table.handle(Away(session.side, now, now if self.closing.ended else None))
        else:
            table.handle(Left(session.side, now, session.why))

    # Games

    def begin_game(
        self,
        number: int,
        agreement: Agreement,
        players: tuple[Entrant, Entrant],
        failed: Callable[[str], object],
    ) -> None:
        """Begin the game of that number at a table here. `failed` is called with the reason if it
        does not begin."""
        self._tables.open(number, agreement, players, failed)

    def _begin_here(
        self,
        number: int,
        agreement: Agreement,
        members: tuple[HostedMember, HostedMember],
        failed: Callable[[str], object],
    ) -> None:
        # All members are sessions of this hall.
        white, black = cast("tuple[Session, Session]", members)
        self.begin_game(number, agreement, (white.player, black.player), failed)

    def open_spectators(self) -> Spectators:
        """The spectators of a game that is played elsewhere."""
        return self._tables.broadcaster.open()

    # Clients

    async def introduce(self, session: Session, profile: Profile) -> None:
        """The handshake is done: log the client in, or disconnect it."""
        await self.lobby.introduce(session, profile)

    def free(self, session: LocalClient) -> None:
        """The client owes nothing for its last game any more."""
        self.lobby.free(session)

    def handle_command(self, session: Session, command: PlayerCommand) -> None:
        if not session.is_member and not isinstance(command, Admin):
            session.send_lobby_error("not-allowed", "this connection takes admin commands only")
        elif (answer := HALL_COMMANDS.get(type(command))) is not None:
            answer(self, session, command)
        else:
            self.lobby.hear(session, command)

    def command_wait(self, session: Session, command: PlayerCommand) -> float:
        """Seconds until the command is allowed; 0: it is."""
        host, now = session.host, trio.current_time()
        return self._command_rate.wait(
            command, session.command_bucket, host, len(self.present), now
        )

    @property
    def connected(self) -> Collection[Session]:
        """All open connections, also those before login."""
        return self._sessions.keys()

    @property
    def present(self) -> Collection[HostedMember]:
        """All who are logged in, also those that are disconnected and may return."""
        return self.lobby.present

    # Restarts, stalls and database trouble

    def resume_game(self, unfinished: Unfinished, down: Downtime, *, all_left: bool = False) -> str:
        """Resume a game of an earlier run. If it cannot be resumed, whatever the reason, it is
        ended, or it would run for ever, played by nobody: then returns why. all_left: nobody is
        connected any more, so that it cannot be resumed if a player cannot return."""
        number = unfinished.started.game
        if all_left and (why := cannot_return(unfinished.started)):
            why = f"{SERVER_ENDED}, and {why}"
            self._tables.give_up(number, why)
            return why
        try:
            self._tables.go_on(unfinished)
            if unfinished.unreadable:
                raise UnplayableError(unfinished.unreadable)
            self._resume_game(unfinished, down)
        except UnplayableError as error:
            why = f"{SERVER_ENDED}, and it cannot go on: {error}"
        except Exception:
            LOG.exception("game not resumed", game=number)
            why = f"{SERVER_ENDED}, and it cannot go on: {OUR_FAULT}"
        else:
            return ""
        self.give_up_game(number, why)
        return why

    def give_up_game(self, number: int, why: str) -> None:
        """End a game of an earlier server without a result, as it cannot go on here."""
        self._tables.discard(number)
        self._tables.give_up(number, why)

    def _resume_game(self, unfinished: Unfinished, down: Downtime) -> None:
        started = unfinished.started
        agreement = self.agreement_again(started)
        seats = newest_keys(started.seats, unfinished.history)
        white, black = (AbsentPlayer(seat, self.free) for seat in seats)
        for absent in (white, black):
            assert absent.profile is not None
            self.lobby.seat(absent, absent.profile)
        try:
            self._tables.resume(unfinished, agreement, (white, black), down)
        except BaseException:
            for absent in (white, black):
                absent.table = None
                self.lobby.remove(absent)
            raise

    def agreement_again(self, started: GameStarted) -> Agreement:
        """The agreement of a game that was begun by another server. Raises `UnplayableError` if it
        cannot be played here."""
        return self._tables.agreement_again(started, self.lobby.pool_rules_of(started.pool))

    def leave_game(self, table: Table, at: float) -> list[Fact]:
        """Another server goes on with the game, whose clocks stand since `at` (s). Nobody is told;
        returns the facts that it has to be left with, which are not noted."""
        return self._tables.leave(table, at)

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
            self._gradual_work.begin(self.lobby.close(f"no new games: {DATABASE_DOWN}"))
            message = Report(Blame.SERVER, f"{DATABASE_DOWN}; moves wait, clocks stand")
        else:
            if not self.closing.begun:
                self._gradual_work.begin(self.lobby.reopen())
            message = Info(string="the database is back; the game goes on")
        tables = [*self.tables.values()]
        self._gradual_work.begin(partial(table.warn, message) for table in tables)
