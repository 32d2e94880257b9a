"""Runs a server that acts as one with others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

import structlog
import trio

from ulci.net import Address
from ulci.wire_log import WireLog
from ulci_server.bus import open_hub, round_trip
from ulci_server.cluster import Node, make_parts
from ulci_server.config import Config
from ulci_server.hall.table.tablebases import Tablebases
from ulci_server.lobby import Lobby
from ulci_server.storage import Database, DatabaseLock, WallClock

from .engines import run_engines
from .factory import host_of, make_basics, make_hall
from .garbage import collect_garbage
from .handover import notice_stalls, watch_for_trouble
from .idle import release_memory
from .listening import open_listeners
from .lock_keeper import LockKeeper
from .reload import Reload
from .shutdown import FAREWELL, LAST_COMMIT, SHUTDOWN, Shutdown, end_run
from .wire_log import server_name

LOG = structlog.get_logger("ulci_server.app")

BEGINNING = 1.0
"""Seconds that the run of a server that is to end may still take to begin. The database may have
noted it already: what the server does not hear of it cannot end, and others wait until it is
dead."""


async def host_in_cluster(
    config: Config,
    lock: DatabaseLock,
    database: Database,
    tablebases: Tablebases | None,
    shutdown: Shutdown,
    reload: Reload,
    wire_log: WireLog | None,
    task_status: trio.TaskStatus[list[Address]],
) -> int:
    """Host games until `shutdown` is asked for; then other servers go on with them. Returns how
    many clients, which could not return to another server, had not finished their game.

    Raises:
        HubError: the bus cannot be used.
        NameTakenError: another server of this name lives.
        OtherVersionError: a server lives with which this one cannot work.
        TakenOverError: a lone server has taken the games.
    """
    hub = open_hub(config.cluster.bus)
    key = await trio.to_thread.run_sync(database.runs.installation_key)
    await round_trip(hub)  # fails now if it cannot be used, and says why
    clock = WallClock()
    journal, authenticator, games, referees, openings = make_basics(config, database, clock)
    node = Node(
        server_name(config),
        database,
        journal,
        hub,
        partial(
            make_parts,
            make_hall=lambda lobby: make_hall(config, journal, lobby, games, referees, tablebases),
            make_host=partial(host_of, config, authenticator, games, openings),
            games=games,
            pool_rules=Lobby(config.pools(games), lambda _: 0, games).pool_rules_of,
        ),
        now=clock,
        check_lock=lock.check,
        end=shutdown.drain,
        owns=config.cluster.owns,
        version=version("ulci-relay"),
    )
    hall = node.hall
    connections = partial(len, hall.connected)
    watch_for_trouble(journal, hall)

    async def notice() -> None:
        while True:
            await notice_stalls(hall, clock)

    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(hall.run)
            hosting.start_soon(notice)
            hosting.start_soon(LockKeeper(lock, journal).keep_shared)
            hosting.start_soon(collect_garbage, connections)
            hosting.start_soon(
                release_memory, lambda: bool(hall.tables or hall.elsewhere), connections
            )
            for referee in referees:
                await hosting.start(referee.run)
            for queue in openings.values():
                await hosting.start(queue.run)
            async with _unless_asked(shutdown):
                await hosting.start(node.live, key)
            if not shutdown.asked.is_set():
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
                    cluster=node,
                )
                hosting.start_soon(run_engines, config, database, hall, wire_log)
                task_status.started(addresses)
            await shutdown.asked.wait()
            given = await node.drain()
            LOG.info("games given to other servers", games=given)
            cut = await hall.closing.hand_over(shutdown.grace, config.shutdown.grace, SHUTDOWN)
            await hall.closing.say_goodbye(FAREWELL)
            await node.flush()
            hosting.cancel_scope.cancel()
        with trio.move_on_after(LAST_COMMIT):
            await journal.drain()
        keeping.cancel_scope.cancel()
    await end_run(journal, database, node.run, clock())
    return cut


@asynccontextmanager
async def _unless_asked(shutdown: Shutdown) -> AsyncIterator[None]:
    """Give up soon after the server is asked to end: its run begins when it can reach the others
    and its database, which may be never."""
    async with trio.open_nursery() as nursery:

        async def give_up() -> None:
            await shutdown.asked.wait()
            await trio.sleep(BEGINNING)
            nursery.cancel_scope.cancel()

        nursery.start_soon(give_up)
        yield
        nursery.cancel_scope.cancel()
