"""When cyclic garbage is collected.

What nobody refers to any more is freed at once, and what this server is done with does not refer to
itself. Some of what libraries make does: the errors of h11 about what is no HTTP. Python's own rule
looks for such cycles wherever the loop just is, and among all objects: 0.13 s with 1,000 games and
3,000 people in the lobby, and 0.08 s among the modules alone. So that rule is off. What there is
when the server begins is set aside and never looked through again. What is made later is looked
through in steps: while it is young, some thousands of objects at a time, ten times a second if a
crowd comes; once more when some thousands have outlived that; and all of it when no game runs
(`idle`), or when the process has grown by more than its connections explain.
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

CROWDED = 0.1
"""The same while many are made: a thousand clients a second make four thousand meanwhile."""

MANY = 1_000
"""Objects made in one interval from which on the next one is `CROWDED`."""

MOST_YOUNG = 10_000
"""Objects that are looked through at a time: 3 ms. If more are made between two looks, which takes
one event that makes them, they are set aside, and looked through when the process must."""

GROWTH = 1.5
"""Times its memory after all were looked through that the process may have while games run."""

SPARE = 32 * 1024 * 1024
"""Bytes that it may have grown by at any rate: a small process doubles while it warms up."""

OF_A_CONNECTION = 100 * 1024
"""Bytes that it may have for each connection besides: twice what one over TLS takes with a game."""

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


def living() -> int:
    """How many objects there are that are not set aside: 10 ns each."""
    # Without a step between the two, in which another thread might change a tuple that it makes
    # and that the list of all objects refers to (SystemError of Python 3.11).
    return sum(map(len, map(gc.get_objects, (0, 1, 2))))


def collect_all() -> int:
    """Look through all that is not set aside; how many objects were garbage."""
    began = perf_counter()
    found = gc.collect()
    took = perf_counter() - began
    log = LOG.info if took > BUDGET else LOG.debug
    log("all garbage collected", objects=found, ms=round(1000 * took, 1))
    return found


async def collect_garbage(
    connections: Callable[[], int], memory: Callable[[], int] = resident
) -> None:
    """Collect young garbage every second, and all of it when it must be; for ever. `connections`:
    how many there are. `memory` in bytes."""
    gc.freeze()
    steps, least = _Steps(), memory()
    while True:
        await trio.sleep(CROWDED if steps.young > MANY else INTERVAL)
        steps.collect()
        if memory() > GROWTH * least + SPARE + OF_A_CONNECTION * connections():
            gc.unfreeze()
            collect_all()
            gc.freeze()
            least = memory()


class _Steps:
    """The looks at what is young. `young`: objects made before the last one, at least."""

    def __init__(self) -> None:
        self.young = 0
        self._outlived = 0  # objects that were looked through once, at most

    def collect(self) -> None:
        self.young = gc.get_count()[0]  # made, less those that were freed, older ones included
        if self.young <= MOST_YOUNG:
            (self.young,) = map(len, map(gc.get_objects, (0,)))  # as in `living`
        if self.young > MOST_YOUNG:
            gc.freeze()  # at once, however many they are
            self._outlived = 0
        elif self._outlived + self.young > MOST_YOUNG:
            gc.collect(1)
            self._outlived = 0
        else:
            gc.collect(0)
            self._outlived += self.young
