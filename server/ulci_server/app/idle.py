"""Releases memory while no game runs: looks through the objects for garbage, clears caches, also
those that the database has of its file, and lets the allocator return to the system what is free.

Otherwise a process keeps what its busiest hour took, and what lies between what is used: some ten
MB after ten thousand games.
"""

import ctypes
from collections.abc import Callable, Sequence

import structlog
import trio

from ulci.net import network
from ulci_server.lobby.names import looks
from ulci_server.storage import StorageError

from .garbage import collect_all, living, resident

LOG = structlog.get_logger("ulci_server.app")

LOOK = 1.0
"""Seconds between two checks whether games run."""

QUIET = 10.0
"""Seconds without a game after which a server is idle."""

AGAIN = 600.0
"""Seconds after which a server that stays idle releases memory again: requests for pages and lists
take some, too."""

MOST_LIVING = 50_000
"""Objects that are looked through at a time while nobody plays: 5 ms. With more of them, some
hundred clients are here, and the next idle hour will come."""

MOST_CONNECTIONS = 1_000
"""Of more, the objects are not even counted: 10 ns each, and a WebSocket has 200."""

_CACHES = (looks.cache_clear, network.cache_clear)
"""The caches of this process: names and addresses that it has seen, 1 MB."""

_LIBC = ctypes.CDLL(None)  # the functions of this process


async def release_memory(
    playing: Callable[[], bool],
    connections: Callable[[], int],
    caches: Sequence[Callable[[], object]] = (),
) -> None:
    """Release memory when no game has run for `QUIET` s, and every `AGAIN` s while none does; for
    ever. `connections`: how many there are. `caches`: functions that clear one, for a worker
    thread."""
    quiet_since, due = trio.current_time(), QUIET
    while True:
        await trio.sleep(LOOK)
        now = trio.current_time()
        if playing():
            quiet_since, due = now, QUIET
        elif now >= quiet_since + due:
            due += AGAIN
            before = resident()
            if connections() <= MOST_CONNECTIONS and living() <= MOST_LIVING:
                collect_all()
            await trio.to_thread.run_sync(_release, caches, abandon_on_cancel=True)
            LOG.debug("memory released", bytes=before - resident())


def _release(caches: Sequence[Callable[[], object]]) -> None:
    for clear in (*_CACHES, *caches):
        try:
            clear()
        except StorageError as error:
            LOG.debug("memory not released", why=str(error))
    if trim := getattr(_LIBC, "malloc_trim", None):  # of glibc only
        trim(0)
