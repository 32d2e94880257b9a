"""A server from its first listener to its last word, and how it is asked to end."""

import signal
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import structlog
import trio

from ulci.net import Address, ExhaustedError, Gate, HandshakeError, Peer, listen, look_out
from ulci_server.app.garbage import collect_garbage, no_automatic_collection
from ulci_server.app.making import (
    make_connection,
    make_hall,
    make_referees,
    make_works,
    plays,
)
from ulci_server.app.succession import beat, resume, take_over
from ulci_server.config import Config, Listener
from ulci_server.hall import Hall
from ulci_server.hall.loop_monitor import watch_loop
from ulci_server.hall.recording import Recorder
from ulci_server.hall.tablebases import Tablebases, open_tablebases
from ulci_server.hall.tape import Tape, TapeError
from ulci_server.storage import (
    MEMORY,
    NO_ANSWER,
    Repository,
    SteadyClock,
    answered,
    claimed,
    open_repository,
)

LOG = structlog.get_logger("ulci_server.app")

# How long after a shutdown's last word players may take to read it, and the journal to be written.
FAREWELL = 2.0
LAST_COMMIT = 10.0

SHUTDOWN = "the server is shutting down"

MakeTape = Callable[[int], Tape]
"""Given the number of the first game."""


class UnsavedError(Exception):
    """The server ended while the database refused what had been noted; the text says how much."""


class Shutdown:
    """Asked once, running games get their grace; asked again, they do not."""

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
                LOG.info("asked to end", signal=signal.Signals(number).name)
                self.ask()


async def run_server(
    config: Config,
    shutdown: Shutdown,
    *,
    tape: MakeTape | None = None,
    task_status: trio.TaskStatus[list[Address]] = trio.TASK_STATUS_IGNORED,
) -> int:
    """Host games until `shutdown` is asked for; `task_status` gets the bound addresses. `tape`
    makes what everything is recorded on that is said until then, given the first game's number.

    Returns how many games were not over when their grace was.

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
    """The database, ours and ready: its schema current. `closing` is told how to let go of it."""
    database = config.database
    closing.enter_context(claimed(database.url))
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
    clock = SteadyClock()
    works = make_works(config, repository, clock)
    if recorder is not None:
        works = recorder.works(works, repository)
    journal = works.journal
    games = config.games()
    referees = make_referees(config, games)
    hall = make_hall(config, works, first_game, games, referees, tablebases)
    if recorder is not None:
        hall = recorder.hall(hall)
    journal.tell_trouble(hall.trouble)
    look_out()
    watch_loop()
    run, down, unfinished = await trio.to_thread.run_sync(take_over, repository, clock)
    if recorder is not None and unfinished:
        raise TapeError("a recording begins without running games, and there are some: serve on")
    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(hall.keep_time)
            hosting.start_soon(beat, journal, hall, run, clock)
            hosting.start_soon(collect_garbage, lambda: bool(hall.tables))
            for referee in referees:
                await hosting.start(referee.run)
            resume(hall, unfinished, down)
            gate = Gate(config.limits.of_gate())
            addresses = [
                await hosting.start(_listen, config, listener, hall, gate, recorder)
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
            await hall.closing.farewell(FAREWELL)
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


async def _listen(
    config: Config,
    listener: Listener,
    hall: Hall,
    gate: Gate,
    recorder: Recorder | None,
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
        on_error=_report,
        task_status=task_status,
    )


def _report(who: str, error: BaseException) -> None:
    """A peer's own fault is an ordinary day, everything else is a bug of ours."""
    if isinstance(error, HandshakeError):
        LOG.info("no connection", peer=who, why=str(error))
    elif isinstance(error, ExhaustedError):
        LOG.error("no connection", listener=who, why=error.strerror)
    else:
        LOG.error("connection failed", peer=who, exc_info=error)
