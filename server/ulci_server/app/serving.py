"""Runs a server, alone or in a cluster, from its first listener to its shutdown."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial

import structlog
import trio

from ulci.net import Address
from ulci.wire_log import WireLog
from ulci_server.config import Config
from ulci_server.hall.table.tablebases import open_tablebases
from ulci_server.storage import (
    NO_ANSWER,
    Database,
    DatabaseLock,
    WallClock,
    lock_database,
    migrate_unused,
    open_database,
)

from .alone import make_alone
from .clustering import make_clustered
from .engines import run_engines
from .factory import Basics, make_basics
from .garbage import no_automatic_collection
from .idle import release_memory
from .listening import open_listeners
from .reload import Reload
from .running import running
from .shutdown import Shutdown
from .wire_log import open_wire_log

LOG = structlog.get_logger("ulci_server.app")

BEGINNING = 1.0
"""Seconds in which a server may still begin after it was asked to end. The database may have its
run already. A server that gives up before it knows its run cannot end it, and the others have to
wait until they declare it dead."""


async def run_server(
    config: Config,
    shutdown: Shutdown,
    *,
    reload: Reload | None = None,
    task_status: trio.TaskStatus[list[Address]] = trio.TASK_STATUS_IGNORED,
) -> int:
    """Host games until `shutdown` is asked for; `task_status` gets the bound addresses. `reload`
    learns what can be read again.

    Returns how many games were not over when their grace ended; of a server of a cluster, how many
    clients that could not go on with theirs at another server.

    Raises:
        ListenError, StorageError, WireLogError, RefereeError, TablebaseError: it could not start.
        HubError, NameTakenError, OtherVersionError: it could not start in its cluster.
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
        basics = make_basics(config, lock, database, tablebases, WallClock())
        try:
            return await _host(basics, shutdown, reload, wire_log, task_status)
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
    basics: Basics,
    shutdown: Shutdown,
    reload: Reload,
    wire_log: WireLog | None,
    task_status: trio.TaskStatus[list[Address]],
) -> int:
    config, database, journal = basics.config, basics.database, basics.journal
    make = make_clustered if config.cluster.bus else make_alone
    life = await make(basics, shutdown)
    hall = life.hall
    async with running(life, database, journal, basics.clock) as nursery:
        nursery.start_soon(
            release_memory,
            lambda: bool(hall.tables or hall.elsewhere),
            partial(len, hall.connected),
            [database.transactions.release_memory],
        )
        for referee in basics.referees:
            await nursery.start(referee.run)
        for queue in basics.openings.values():
            await nursery.start(queue.run)
        grace = 0.0  # unless players could come
        async with _unless_asked(shutdown):
            await life.begin(nursery)
        if not shutdown.asked.is_set():
            grace = config.shutdown.grace
            addresses = await open_listeners(
                config,
                hall,
                journal,
                database,
                basics.games,
                basics.referees,
                nursery,
                reload=reload,
                wire_log=wire_log,
                cluster=life.cluster,
                authenticator=basics.authenticator,
            )
            nursery.start_soon(run_engines, config, database, hall, wire_log)
            task_status.started(addresses)
        await shutdown.asked.wait()
        return await life.leave(shutdown, grace)


@asynccontextmanager
async def _unless_asked(shutdown: Shutdown) -> AsyncIterator[None]:
    """Cancel the beginning soon after the server is asked to end. A lone server may have thousands
    of games to claim, and a server of a cluster begins only when it can reach the others and its
    database, which may be never."""
    async with trio.open_nursery() as nursery:

        async def give_up() -> None:
            await shutdown.asked.wait()
            await trio.sleep(BEGINNING)
            nursery.cancel_scope.cancel()

        nursery.start_soon(give_up)
        yield
        nursery.cancel_scope.cancel()
