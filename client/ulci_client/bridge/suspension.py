"""Notices that the machine was suspended: a connection is dead then, which TCP does not know."""

from collections.abc import Callable

import trio

from ulci.system import suspended_so_far

# Seconds between two looks, and the least sleep that counts: less harms no connection.
LOOK = 1.0
LEAST = 2.0


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
