"""Runs a server, from its first listener to its shutdown."""

import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

import structlog
import trio

from ulci.net import (
    Address,
    ExhaustedError,
    Gate,
    HandshakeError,
    Peer,
    Site,
    detect_stalls,
    listen,
)
from ulci.rules import Rules
from ulci_server.config import Config, Listener
from ulci_server.hall import Hall, Referee
from ulci_server.hall.loop_monitor import watch_loop
from ulci_server.hall.table.tablebases import Tablebases, open_tablebases
from ulci_server.replay.recording import Recorder, Services
from ulci_server.replay.tape import Tape, TapeError
from ulci_server.storage import (
    MEMORY,
    NO_ANSWER,
    Journal,
    Repository,
    WallClock,
    answered,
    lock_database,
    open_repository,
)
from ulci_server.web import make_site

from .factory import make_authenticator, make_connection, make_hall, make_referees, plays
from .garbage import collect_garbage, no_automatic_collection
from .handover import note_heartbeats, resume, take_over

LOG = structlog.get_logger("ulci_server.app")

# Seconds for players to read the last message of a shutdown, and for the journal to be written.
FAREWELL = 2.0
LAST_COMMIT = 10.0

SHUTDOWN = "the server is shutting down"

MakeTape = Callable[[int], Tape]
"""Given the number of the first game."""


class UnsavedError(Exception):
    """The server ended while the database refused facts; the text says how many."""


class Shutdown:
    """A shutdown: the first request gives running games their grace, the second ends them at
    once."""

    def __init__(self) -> None:
        self.asked = trio.Event()
        self.grace = trio.CancelScope()

    def ask(self) -> None:
        if self.asked.is_set():
            self.grace.cancel()
        self.asked.set()

    async def ask_at_signals(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Let SIGTERM and SIGINT ask, for as long as the task lives."""
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            task_status.started()
            async for number in signals:
                LOG.info("shutdown requested", signal=signal.Signals(number).name)
                self.ask()


async def run_server(
    config: Config,
    shutdown: Shutdown,
    *,
    tape: MakeTape | None = None,
    task_status: trio.TaskStatus[list[Address]] = trio.TASK_STATUS_IGNORED,
) -> int:
    """Host games until `shutdown` is asked for; `task_status` gets the bound addresses. `tape`,
    given the first game's number, makes the recording of all conversations.

    Returns how many games were not over when their grace ended.

    Raises:
        ListenError, StorageError, RefereeError, TablebaseError: it could not start.
        UnsavedError: the database refused to the end.
    """
    with ExitStack() as closing:
        closing.enter_context(no_automatic_collection())
        repository = await trio.to_thread.run_sync(_open, config, closing)
        tablebases = open_tablebases(config.tablebases.paths, closing)
        try:
            return await _host(config, repository, tablebases, shutdown, tape, task_status)
        finally:
            # A database that does not answer is left to the end of the process, and so is the
            # thread that waits for it.
            with trio.move_on_after(NO_ANSWER, shield=True):
                await trio.to_thread.run_sync(closing.close, abandon_on_cancel=True)


def _open(config: Config, closing: ExitStack) -> Repository:
    """The database, locked and migrated; `closing` releases it."""
    database = config.database
    closing.enter_context(lock_database(database.url))
    repository = open_repository(
        database.url,
        database.durability,
        migrating=database.migrate,
        longest_pv=config.limits.pv,
    )
    closing.callback(repository.close)
    return repository


async def _host(
    config: Config,
    repository: Repository,
    tablebases: Tablebases | None,
    shutdown: Shutdown,
    tape: MakeTape | None,
    task_status: trio.TaskStatus[list[Address]],
) -> int:
    first_game = repository.last_game_id() + 1
    recorder = None if tape is None else Recorder(tape(first_game))
    clock = WallClock()
    services = (
        Services(Journal(repository, now=clock))
        if recorder is None
        else recorder.services(repository, clock)
    )
    journal, inputs = services.journal, services.inputs
    authenticator = make_authenticator(config, repository, inputs)
    games = config.games()
    referees = make_referees(config, games)
    hall = make_hall(config, services, authenticator, first_game, games, referees, tablebases)
    journal.tell_trouble(inputs.handler("trouble", hall.trouble))
    hindered = inputs.handler("hindered", hall.hindered)
    detect_stalls()
    watch_loop()
    run, down, unfinished = await trio.to_thread.run_sync(take_over, repository, clock)
    if recorder is not None and unfinished:
        raise TapeError("a recording cannot begin with running games; serve without --record")
    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(hall.run)
            hosting.start_soon(note_heartbeats, journal, hall, hindered, run, clock)
            hosting.start_soon(collect_garbage, lambda: bool(hall.tables))
            for referee in referees:
                await hosting.start(referee.run)
            resume(hall, unfinished, down)
            gate = Gate(config.limits.of_gate())
            site = None
            if config.web.serve != "off" and recorder is None:
                site = _site(config, hall, journal, repository, games, hosting, gate, referees)
            addresses = [
                await hosting.start(_listen, config, listener, hall, gate, recorder, site)
                for listener in config.listen
            ]
            task_status.started(addresses)
            await shutdown.asked.wait()
            if recorder is not None:
                recorder.stop()
            keeps = config.database.url != MEMORY
            cut = await hall.closing.drain(
                shutdown.grace, config.shutdown.grace, SHUTDOWN, keeps=keeps
            )
            await hall.closing.say_goodbye(FAREWELL)
            hosting.cancel_scope.cancel()
        with trio.move_on_after(LAST_COMMIT):
            await journal.drain()
        keeping.cancel_scope.cancel()
    if journal.lost:
        raise UnsavedError(
            f"the database refused to the end: {journal.trouble}. Not stored, and told to nobody:"
            f" {journal.lost}"
        )
    await answered(partial(repository.end_run, run, clock()))
    return cut


def _site(
    config: Config,
    hall: Hall,
    journal: Journal,
    repository: Repository,
    games: Mapping[str, Rules],
    nursery: trio.Nursery,
    gate: Gate,
    referees: Sequence[Referee],
) -> Site:
    """The page, for all listeners that can show it."""
    app = make_site(
        config, hall, journal, repository, games, nursery=nursery, gate=gate, referees=referees
    )
    return Site(app, frozenset(config.web.origins), config.own_names())


async def _listen(
    config: Config,
    listener: Listener,
    hall: Hall,
    gate: Gate,
    recorder: Recorder | None,
    site: Site | None,
    *,
    task_status: trio.TaskStatus[Address],
) -> None:
    async def welcome(peer: Peer) -> None:
        if recorder is not None:
            peer = recorder.peer(peer, pool.name, listener.dialect)
        await hall.welcome(peer, pool.name, plays=plays(config, pool.name, listener.dialect))

    pool = next(table for table in config.pool if listener.pool in (None, table.name))
    if warning := listener.warning():
        LOG.warning("not encrypted", advice=warning)
    if (certificates := listener.certificates()) is not None:
        certificates.tell()
    await listen(
        listener.address,
        welcome,
        partial(make_connection, config, listener.dialect),
        limits=config.limits.of_net(),
        ssl_context=certificates,
        gate=gate,
        site=site,
        on_error=_report,
        task_status=task_status,
    )


def _report(who: str, error: BaseException) -> None:
    """Log a failed connection: a peer's fault as info, anything unexpected as an error."""
    if isinstance(error, HandshakeError):
        LOG.info("no connection", peer=who, why=str(error))
    elif isinstance(error, ExhaustedError):
        LOG.error("no connection", listener=who, why=error.strerror)
    else:
        LOG.error("connection failed", peer=who, exc_info=error)
