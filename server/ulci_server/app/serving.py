"""Runs a server, from its first listener to its shutdown."""

from contextlib import ExitStack
from functools import partial

import structlog
import trio

from ulci.net import Address
from ulci.wire_log import WireLog
from ulci_server.config import Config
from ulci_server.hall.table.tablebases import Tablebases, open_tablebases
from ulci_server.storage import (
    MEMORY,
    NO_ANSWER,
    Database,
    DatabaseLock,
    WallClock,
    lock_database,
    migrate_unused,
    open_database,
)

from .clustering import host_in_cluster
from .engines import run_engines
from .factory import lobby_of, make_basics, make_hall
from .garbage import collect_garbage, no_automatic_collection
from .handover import note_heartbeats, resume, take_over, watch_for_trouble
from .idle import release_memory
from .listening import open_listeners
from .lock_keeper import LockKeeper
from .reload import Reload
from .shutdown import FAREWELL, LAST_COMMIT, SHUTDOWN, Shutdown, end_run
from .wire_log import open_wire_log

LOG = structlog.get_logger("ulci_server.app")


async def run_server(
    config: Config,
    shutdown: Shutdown,
    *,
    reload: Reload | None = None,
    task_status: trio.TaskStatus[list[Address]] = trio.TASK_STATUS_IGNORED,
) -> int:
    """Host games until `shutdown` is asked for; `task_status` gets the bound addresses. `reload`
    is told what can be read again.

    Returns how many games were not over when their grace ended.

    Raises:
        ListenError, StorageError, WireLogError, RefereeError, TablebaseError: it could not start.
        TakenOverError: another server has taken its games.
        UnsavedError: the database refused to the end.
    """
    reload = reload or Reload()
    for pool in config.pool:
        for line in pool.skipped:
            LOG.warning("not all starts of the book are played", pool=pool.name, why=line)
    with ExitStack() as closing:
        closing.enter_context(no_automatic_collection())
        lock, database = await trio.to_thread.run_sync(_open, config, closing)
        wire_log = open_wire_log(config, closing)
        tablebases = open_tablebases(config.tablebases.paths, closing)
        try:
            if config.cluster.bus:
                return await host_in_cluster(
                    config, lock, database, tablebases, shutdown, reload, wire_log, task_status
                )
            return await _host(
                config, lock, database, tablebases, shutdown, reload, wire_log, task_status
            )
        finally:
            # A database that does not answer is left to the end of the process, and so is the
            # thread that waits for it.
            with trio.move_on_after(NO_ANSWER, shield=True):
                await trio.to_thread.run_sync(closing.close, abandon_on_cancel=True)


def _open(config: Config, closing: ExitStack) -> tuple[DatabaseLock, Database]:
    """The database, locked and migrated; `closing` releases it."""
    asked, shared = config.database, bool(config.cluster.bus)
    if shared and asked.migrate:  # which other servers may use
        migrate_unused(asked.url, shared=True)
    lock = closing.enter_context(lock_database(asked.url, shared=shared))
    database = open_database(
        asked.url,
        asked.durability,
        migrating=asked.migrate,
        longest_pv=config.limits.pv,
    )
    closing.callback(database.close)
    return lock, database


async def _host(
    config: Config,
    lock: DatabaseLock,
    database: Database,
    tablebases: Tablebases | None,
    shutdown: Shutdown,
    reload: Reload,
    wire_log: WireLog | None,
    task_status: trio.TaskStatus[list[Address]],
) -> int:
    first_game = database.games.last_id() + 1
    clock = WallClock()
    journal, authenticator, games, referees, openings = make_basics(config, database, clock)
    lobby = lobby_of(config, authenticator, first_game, games, openings)
    hall = make_hall(config, journal, lobby, games, referees, tablebases)
    hall.drain = shutdown.drain_alone
    connections = partial(len, hall.connected)
    keeper = LockKeeper(lock, journal)
    watch_for_trouble(journal, hall)
    run, down, unfinished = await trio.to_thread.run_sync(take_over, database, clock)
    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(hall.run)
            hosting.start_soon(note_heartbeats, journal, hall, run, clock)
            hosting.start_soon(keeper.keep, hall, run)
            hosting.start_soon(collect_garbage, connections)
            caches = [database.transactions.release_memory]
            hosting.start_soon(release_memory, lambda: bool(hall.tables), connections, caches)
            for referee in referees:
                await hosting.start(referee.run)
            for queue in openings.values():
                await hosting.start(queue.run)
            resume(hall, unfinished, down)
            addresses = await open_listeners(
                config,
                hall,
                journal,
                database,
                games,
                referees,
                hosting,
                reload=reload,
                wire_log=wire_log,
            )
            hosting.start_soon(run_engines, config, database, hall, wire_log)
            task_status.started(addresses)
            await shutdown.asked.wait()
            keeps = config.database.url != MEMORY
            cut = await hall.closing.drain(
                shutdown.grace, config.shutdown.grace, SHUTDOWN, keeps=keeps
            )
            await hall.closing.say_goodbye(FAREWELL)
            hosting.cancel_scope.cancel()
        with trio.move_on_after(LAST_COMMIT):
            await journal.drain()
        keeping.cancel_scope.cancel()
    await end_run(journal, database, run, clock())
    return cut
