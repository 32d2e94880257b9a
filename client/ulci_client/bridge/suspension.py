"""Notices that the machine was suspended: a connection that slept is dead, and TCP does not know.

The kernel has two clocks that differ by just that time: CLOCK_BOOTTIME counts it, CLOCK_MONOTONIC,
by which Trio sleeps, does not (Linux, clock_gettime(2)).
"""

import time
from collections.abc import Callable

import trio

# Seconds between two looks, and the least sleep that counts: less harms no connection.
LOOK = 1.0
LEAST = 2.0


def suspended_so_far() -> float:
    """Seconds since the machine was booted for which it was suspended; 0 where nobody counts."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    # CLOCK_BOOTTIME is read last, so the difference is never too small.
    monotonic = time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.clock_gettime(time.CLOCK_BOOTTIME) - monotonic


async def watch_suspension(
    woken: Callable[[float], None], so_far: Callable[[], float] = suspended_so_far
) -> None:
    """Call `woken` with the seconds after each suspension, until cancelled."""
    before = so_far()
    while True:
        await trio.sleep(LOOK)
        now = so_far()
        if now - before >= LEAST:
            woken(now - before)
        before = now
