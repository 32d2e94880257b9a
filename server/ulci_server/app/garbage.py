"""When cyclic garbage is collected.

What nobody refers to any more is freed at once, and most of what lives is no cycle. Python's own
rule looks for cycles among all objects whenever their number has grown by a quarter, wherever the
loop just is: measured, 0.05 s with 100 games, 0.13 s with 1,000 games and 3,000 people in the
lobby. Here only the young objects are looked through at any time (2 ms at most); all of them when
no game runs, or when the process has grown by half since the last time.
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

INTERVAL = 10.0
"""Seconds between two questions whether to collect."""

LEAST_YOUNG = 10
"""Collections of young objects since the last full one, without which there is hardly anything to
find: some 70,000 new objects."""

GROWTH = 1.5
"""Times its memory after the last full collection that the process may have while games run."""

SPARE = 32 * 1024 * 1024
"""Bytes that it may have grown by at any rate: a small process doubles while it warms up."""

_NEVER = 2**30
_STATM = Path("/proc/self/statm")  # in pages, the second is what is resident
_PAGE = 4096


@contextmanager
def only_young_garbage() -> Iterator[None]:
    """Full collections happen only when somebody asks for one."""
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(young, middle, old)


@contextmanager
def no_garbage() -> Iterator[None]:
    """Nothing of a thousand games that come back is garbage; to look for it costs a third more."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
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
    """Collect all garbage when no game runs, and when it must be; for ever. `memory` in bytes."""
    least = memory()
    while True:
        await trio.sleep(INTERVAL)
        must = memory() > GROWTH * least + SPARE
        if not must and (playing() or gc.get_count()[2] < LEAST_YOUNG):
            continue
        began = perf_counter()
        found = gc.collect()
        took = perf_counter() - began
        least = memory()
        log = LOG.info if took > BUDGET else LOG.debug
        log("all garbage collected", objects=found, ms=round(1000 * took, 1))
