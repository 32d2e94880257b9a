"""One server after the other: what the last one left, and what the next one needs of this one."""

import math

import structlog
import trio

from ulci.net import PULSE, STALL, Peer, memory_peers
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci_server.game import Beaten
from ulci_server.hall import Downtime, Hall
from ulci_server.storage import Journal, Repository, SteadyClock, Unfinished

LOG = structlog.get_logger("ulci_server.app")

BEAT = 1.0
"""Seconds between two notes that the server is alive, by which the next one knows when it ended."""


def take_over(repository: Repository, clock: SteadyClock) -> tuple[int, Downtime, list[Unfinished]]:
    """What an earlier server left: in a worker thread."""
    now = clock()
    unfinished = repository.running()
    run = repository.begin_run(now)
    newest = [noted.at for game in unfinished for noted in game.history[-1:]]
    known = [at for at in (run.last_ended, run.last_alive, *newest) if at is not None and at <= now]
    down = Downtime(max(known, default=now), now, run.slowest, run.last_alive)
    return run.id, down, unfinished


def resume(hall: Hall, unfinished: list[Unfinished], down: Downtime) -> None:
    if unfinished:
        resumed = hall.resume(unfinished, down, _nobody())
        LOG.info(
            "games of an earlier run go on",
            games=resumed,
            given_up=len(unfinished) - resumed,
            away=f"{down.ms / 1000:.3f} s",
        )


def _nobody() -> Peer:
    """The line of those whose server ended."""
    here, there = (
        Connection(role, TextCodec(max_line=256), ULCI) for role in (Role.SERVER, Role.CLIENT)
    )
    peer, _ = memory_peers(here, there)
    peer.cut("the server that it was connected to ended")
    return peer


async def beat(journal: Journal, hall: Hall, run: int, clock: SteadyClock) -> None:
    """While there are games: note that we are alive, for whoever would have to go on with them, and
    keep the loop looking, so that it knows when it was stopped. While there are none: set the
    record's clock."""
    noted = -math.inf
    while True:
        now = trio.current_time()
        if hall.tables and now >= noted + BEAT:
            journal.note(Beaten(run, math.ceil(journal.statistics().slowest * 1000)))
            noted = now
        elif not hall.tables and (jumped := clock.follow()):
            LOG.warning("the machine's clock was set", seconds=round(jumped, 3))
        nap = PULSE if hall.tables else BEAT
        asleep = trio.current_time()
        await trio.sleep(nap)
        stalled = trio.current_time() - asleep - nap
        if stalled > STALL:
            LOG.warning("the server did not run for a while", seconds=round(stalled, 3))
            hall.hindered(stalled)
