"""Heartbeats in the record, by which the next run knows when this one ended, and the detection of
stalls of the process."""

import math
from typing import NoReturn

import structlog
import trio

from ulci.net import PULSE, STALL
from ulci_server.game import Heartbeat
from ulci_server.hall import Hall
from ulci_server.storage import Journal, WallClock

LOG = structlog.get_logger("ulci_server.app")

BEAT = 1.0
"""Seconds between two heartbeats in the record, by which the next run knows when this one ended."""


def heartbeat(journal: Journal, run: int) -> Heartbeat:
    """A heartbeat of this run for the present moment."""
    return Heartbeat(run, math.ceil(journal.slowest * 1000))


async def note_heartbeats(journal: Journal, hall: Hall, run: int, clock: WallClock) -> NoReturn:
    """While games run: record a heartbeat every `BEAT` s, and wake often enough to notice a stalled
    process. While none runs: follow changes of the machine's clock."""
    noted = -math.inf
    while True:
        now = trio.current_time()
        if hall.tables and now >= noted + BEAT:
            journal.note(heartbeat(journal, run))
            noted = now
        await _notice_stall(hall, clock)


async def notice_stalls(hall: Hall, clock: WallClock) -> NoReturn:
    """Like `note_heartbeats`, without heartbeats: for a server that shows otherwise that it
    lives."""
    while True:
        await _notice_stall(hall, clock)


async def _notice_stall(hall: Hall, clock: WallClock) -> None:
    """Sleep for a while, and notice if the process stood still meanwhile, or if no game runs and
    the machine's clock was set."""
    if not hall.tables and (jumped := clock.follow()):
        LOG.warning("the machine's clock was set", seconds=round(jumped, 3))
    nap, asleep = PULSE if hall.tables else BEAT, trio.current_time()
    with trio.move_on_after(nap):
        if hall.tables:
            await trio.sleep_forever()
        await hall.any_game()  # notice its stalls from its first moment on
    stalled = trio.current_time() - asleep - nap
    if stalled > STALL:
        LOG.warning("the server did not run for a while", seconds=round(stalled, 3))
        hall.hindered(stalled)
