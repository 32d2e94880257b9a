"""The frame in which a server's or a match's hall runs, from its first task to the last commit of
its run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

from ulci.net import detect_stalls
from ulci_server.hall.loop_monitor import watch_loop
from ulci_server.storage import Database, Journal, WallClock, answered

from .alone import Alone
from .clustering import Clustered
from .garbage import collect_garbage
from .shutdown import UnsavedError

# Seconds for players to read the last message of a shutdown, and for the journal to be written.
FAREWELL = 2.0
LAST_COMMIT = 10.0


@asynccontextmanager
async def running(
    life: Alone | Clustered, database: Database, journal: Journal, clock: WallClock
) -> AsyncIterator[trio.Nursery]:
    """A nursery for all tasks of the server. When the body ends, all clients are disconnected, and
    the noted facts and the end of the run are stored.

    Raises:
        UnsavedError: the database refused some of it.
    """
    hall = life.hall
    journal.tell_trouble(hall.trouble)
    detect_stalls()
    watch_loop()
    async with trio.open_nursery() as keeping:
        await keeping.start(journal.run)
        async with trio.open_nursery() as hosting:
            hosting.start_soon(collect_garbage, partial(len, hall.connected))
            yield hosting
            await hall.closing.say_goodbye(FAREWELL)
            if life.cluster is not None:
                await life.cluster.flush()
            hosting.cancel_scope.cancel()
        with trio.move_on_after(LAST_COMMIT):
            await journal.drain()
        keeping.cancel_scope.cancel()
    if journal.lost:
        raise UnsavedError(
            f"the database refused to the end: {journal.trouble}. Not stored, and told to nobody:"
            f" {journal.lost}"
        )
    await answered(partial(database.runs.end, life.run, clock()))
