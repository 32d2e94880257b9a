"""What concerns a thousand games or people at once is done a few at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import TypeVar

import structlog
import trio

from .loop_monitor import look
from .turns import Turns

LOG = structlog.get_logger("ulci_server.hall")

AT_A_TIME = 8
"""Pieces done before others have a turn: of the dearest, a game that begins, two milliseconds."""


Item = TypeVar("Item")


def released(items: Iterable[Item]) -> Iterator[Item]:
    """Those of this moment, each known no longer than until the next one is asked for. Who keeps
    them in a list while others act frees all those at once who have left meanwhile: 20 ms for
    thousands of players."""
    left = deque(items)
    del items  # a tuple would keep them all
    while left:
        yield left.popleft()


class Steps:
    """One thing after the other: what is begun later is done later."""

    def __init__(self, turns: Turns | None = None) -> None:
        self._turns = turns or Turns()
        self._ticket = self._turns.ticket()
        self._begun: deque[Iterator[Callable[[], None]]] = deque()
        self._something = trio.Event()

    def begin(self, pieces: Iterable[Callable[[], None]]) -> None:
        """Each piece is asked for when it is to be done; others may act between two of them."""
        self._begun.append(iter(pieces))
        self._something.set()

    async def run(self) -> None:
        """Do what is begun, for ever."""
        while True:
            await self._something.wait()
            await trio.lowlevel.checkpoint()
            await self._turns.take(self._ticket)
            self._ticket = self._turns.ticket()
            began = perf_counter()
            self._do_some()
            look(began, "what comes in steps")
            if not self._begun:
                self._something = trio.Event()

    def _do_some(self) -> None:
        for _ in range(AT_A_TIME):
            if not self._begun:
                return
            try:
                piece = next(self._begun[0], None)
            except Exception:
                LOG.exception("what was to be done in steps ended early")
                piece = None
            if piece is None:
                self._begun.popleft()
            else:
                _do(piece)


def _do(piece: Callable[[], None]) -> None:
    """One that fails keeps no other from being done."""
    try:
        piece()
    except Exception:
        LOG.exception("one of many steps failed")
