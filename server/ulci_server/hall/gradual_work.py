"""Work on thousands of games or sessions is done a few at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter
from typing import TypeVar

import structlog
import trio

from ulci.net import Steps

from .loop_monitor import note_duration

LOG = structlog.get_logger("ulci_server.hall")

AT_A_TIME = 8
"""Pieces between two turns of other tasks: two milliseconds of the dearest, a game that begins."""


PAUSE_FACTOR = 3
"""A pause of `send_gradually` takes so many times as long as the sending before it. Without pauses,
a thousand watchers make the journal's thread wait for the interpreter (5 ms at a time), and every
move for the journal."""


Item = TypeVar("Item")


def released(items: Iterable[Item]) -> Iterator[Item]:
    """The present items, each referenced only until the next one is asked for. A list kept over
    several turns would free all sessions that left meanwhile at once: 20 ms for thousands."""
    left = deque(items)
    del items  # a tuple would keep them all
    while left:
        yield left.popleft()


async def send_gradually(
    send: Callable[[Item], None], to: Iterable[Item], at_a_time: int, what: str
) -> None:
    """Send to the present ones, with a pause after every `at_a_time`; some may have left before
    their turn. `what` is held responsible for the time that it takes."""
    steps = Steps(at_a_time, rest_factor=PAUSE_FACTOR, note=partial(note_duration, what=what))
    for one in released(to):
        send(one)
        await steps.done()


class GradualWork:
    """Runs pieces of work in the order in which they were begun."""

    def __init__(self) -> None:
        self._begun: deque[Iterator[Callable[[], None]]] = deque()
        self._something = trio.Event()

    def begin(self, pieces: Iterable[Callable[[], None]]) -> None:
        """Queue pieces; each is made when it is run, and other tasks may run between two."""
        self._begun.append(iter(pieces))
        self._something.set()

    async def run(self) -> None:
        """Run queued pieces, for ever."""
        while True:
            await self._something.wait()
            await trio.lowlevel.checkpoint()
            began = perf_counter()
            self._do_some()
            note_duration(began, "gradual work")
            if not self._begun:
                self._something = trio.Event()

    def _do_some(self) -> None:
        for _ in range(AT_A_TIME):
            if not self._begun:
                return
            try:
                piece = next(self._begun[0], None)
            except Exception:
                LOG.exception("gradual work ended early")
                piece = None
            if piece is None:
                self._begun.popleft()
            else:
                _do(piece)


def _do(piece: Callable[[], None]) -> None:
    """A piece that fails does not stop the others."""
    try:
        piece()
    except Exception:
        LOG.exception("a piece of gradual work failed")
