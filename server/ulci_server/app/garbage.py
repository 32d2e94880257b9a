"""When cyclic garbage is collected.

What nobody refers to any more is freed at once, and what this server is done with does not refer to
itself. Some of what libraries make does: the errors of h11 about what is no HTTP. Python's own rule
looks for such cycles wherever the loop just is. Measured: 0.13 s among all objects with 1,000 games
and 3,000 people in the lobby, and 0.03 s among the young ones alone when a thousand players leave
at once. So that rule is off. Once a second the objects made since are looked through, unless there
are many; what is older, when no game runs and hardly anything is new, or when the process has grown
by half.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import structlog
import trio

from ulci_server.hall.loop_monitor import BUDGET

LOG = structlog.get_logger("ulci_server.app")

INTERVAL = 1.0
"""Seconds between two looks at the objects made since."""

MOST_YOUNG = 10_000
"""Objects that are looked through while others wait: 3 ms. If there are more, they are left for the
next time that all are."""

LEAST_NEW = 70_000
"""Objects made since all were looked through, without which it is not done again."""

GROWTH = 1.5
"""Times its memory after all were looked through that the process may have while games run."""

SPARE = 32 * 1024 * 1024
"""Bytes that it may have grown by at any rate: a small process doubles while it warms up."""

_STATM = Path("/proc/self/statm")  # in pages, the second is what is resident
_PAGE = 4096


@contextmanager
def no_automatic_collection() -> Iterator[None]:
    """Python's own rule is off; what `collect_garbage` set aside is none of its business
    afterwards."""
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def resident() -> int:
    """Bytes of memory that the process has now; 0 where the system does not tell."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except OSError:
        return 0


async def collect_garbage(
    playing: Callable[[], bool], memory: Callable[[], int] = resident
) -> None:
    """Collect young garbage every second, and all of it when the server is idle or when it must be;
    for ever. `memory` in bytes."""
    least, new = memory(), 0
    while True:
        await trio.sleep(INTERVAL)
        young = _collect_young()
        new += young
        must = memory() > GROWTH * least + SPARE
        is_idle = not playing() and young <= MOST_YOUNG  # nor do thousands just come
        if not must and (not is_idle or new < LEAST_NEW):
            continue
        began = perf_counter()
        found = _collect_all()
        took = perf_counter() - began
        least, new = memory(), 0
        log = LOG.info if took > BUDGET else LOG.debug
        log("all garbage collected", objects=found, ms=round(1000 * took, 1))


def _collect_young() -> int:
    """How many objects were made since the last time, at least. None of them is looked at again
    until all are: `gc.freeze` sets them aside at once, however many they are."""
    young = gc.get_count()[0]  # made, less those that were freed meanwhile, older ones included
    if young <= MOST_YOUNG:
        # Without a step between the two, in which another thread might change a tuple that it makes
        # and that the list of all objects refers to (SystemError of Python 3.11).
        (young,) = map(len, map(gc.get_objects, (0,)))
    if young <= MOST_YOUNG:
        gc.collect(0)
    gc.freeze()
    return young


def _collect_all() -> int:
    """How many objects were garbage."""
    gc.unfreeze()
    found = gc.collect()
    gc.freeze()
    return found
