"""When cyclic garbage is collected.

Python frees an object without references at once, and this server leaves no reference cycles.
Libraries make some, such as h11's errors about input that is no HTTP. Python's own collector looks
for such cycles at any moment and among all objects: that takes 0.13 s with 1,000 games and 3,000
people in the lobby, and 0.08 s for the modules alone. So it is off. The objects that exist when the
server begins are frozen and never searched again. Later ones are searched in steps: while they are
young, some thousands at a time, ten times a second if a crowd comes; once more when some thousands
have survived that; and all of them when no game runs (`idle`), or when the process has grown by
more than its connections explain.
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
"""Seconds between two searches of the young objects."""

CROWDED = 0.1
"""The interval (s) while many objects are made: a thousand clients a second make four thousand
meanwhile."""

MANY = 1_000
"""Objects made in one interval after which the next interval is `CROWDED`."""

MOST_YOUNG = 10_000
"""Objects searched at a time: 3 ms. If a single event makes more between two searches, they are not
searched while young, but later with all others."""

GROWTH = 1.5
"""How many times its memory after the last full search the process may have while games run."""

SPARE = 32 * 1024 * 1024
"""Bytes by which the process may grow in any case: a small process doubles while it warms up."""

OF_A_CONNECTION = 100 * 1024
"""Bytes that the process may have in addition for each connection: twice as many as one over TLS
with a game takes."""

_STATM = Path("/proc/self/statm")  # in pages, the second is what is resident
_PAGE = 4096


@contextmanager
def no_automatic_collection() -> Iterator[None]:
    """Switch Python's own collector off. Afterwards it is on again, and the frozen objects are
    unfrozen."""
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def resident() -> int:
    """Bytes of memory that the process has now; 0 if the system does not report them."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def living() -> int:
    """How many objects are not frozen. Takes 10 ns for each."""
    # Without a step between the two, in which another thread might change a tuple that it makes
    # and that the list of all objects refers to (SystemError of Python 3.11).
    return sum(map(len, map(gc.get_objects, (0, 1, 2))))


def collect_all() -> int:
    """Search all objects that are not frozen. Returns how many were garbage."""
    began = perf_counter()
    found = gc.collect()
    took = perf_counter() - began
    log = LOG.info if took > BUDGET else LOG.debug
    log("all garbage collected", objects=found, ms=round(1000 * took, 1))
    return found


async def collect_garbage(
    connections: Callable[[], int], memory: Callable[[], int] = resident
) -> None:
    """Collect young garbage every second, and all garbage when memory has grown; for ever.
    connections: returns their number. memory: returns the process's memory in bytes."""
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
    """The searches of young objects. young: how many were young at the last one, at most."""

    def __init__(self) -> None:
        self.young = 0
        self._outlived = 0  # objects that survived a search, at most

    def collect(self) -> None:
        self.young = gc.get_count()[0]  # made, less those that were freed, older ones included
        if self.young <= MOST_YOUNG:
            (self.young,) = map(len, map(gc.get_objects, (0,)))  # as in `living`
        if self.young > MOST_YOUNG:
            gc.freeze()  # takes no time, however many there are
            self._outlived = 0
        elif self._outlived + self.young > MOST_YOUNG:
            gc.collect(1)
            self._outlived = 0
        else:
            gc.collect(0)
            self._outlived += self.young
