"""Which tokens were used, and when? Written down behind everybody's back, as far as that works."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial

import outcome
import structlog
import trio

from ulci_server.storage import StorageError

LOG = structlog.get_logger("ulci_server.hall")

MARK = 3600.0
"""Seconds for which a token that was used is not marked as used again: thousands may come back at
once."""

PAUSE = 60.0
"""Seconds after which marks that could not be written are tried again. The one connection that
writes is the games' own, and a try may keep it for `BUSY_TIMEOUT`."""

MOST_DUE = 10_000
"""Marks that wait to be written; further ones are forgotten."""


class Marks:
    """Nobody is kept waiting: those that gather while one thread writes are written together, and
    what is not written when the program ends is lost."""

    def __init__(self, write: Callable[[Mapping[int, datetime]], None]) -> None:
        self._write = write
        self._marked: dict[int, float] = {}
        self._due: dict[int, datetime] = {}
        self._writing = False
        self._failing = False
        self._not_before = -math.inf

    def used(self, token: int, at: datetime) -> None:
        """Somebody came in with it."""
        now = trio.current_time()
        if now >= self._marked.get(token, -math.inf) + MARK:
            self._marked[token] = now
            if len(self._due) < MOST_DUE:
                self._due[token] = at
        if self._due and not self._writing and now >= self._not_before:
            self._begin()

    def _begin(self) -> None:
        due, self._due, self._writing = self._due, {}, True
        loop = trio.lowlevel.current_trio_token()

        def deliver(result: outcome.Outcome[None]) -> None:
            # Left behind if the program has ended meanwhile.
            with suppress(trio.RunFinishedError):
                loop.run_sync_soon(self._end, due, result)

        try:
            trio.lowlevel.start_thread_soon(partial(self._write, due), deliver)
        except RuntimeError as error:  # the system lets us have no further thread
            self._end(due, outcome.Error(StorageError(str(error))))

    def _end(self, due: Mapping[int, datetime], result: outcome.Outcome[None]) -> None:
        self._writing = False
        try:
            result.unwrap()
        except StorageError as error:
            if not self._failing:
                LOG.warning("tokens not marked as used", tokens=len(due), why=str(error))
            self._failing = True
            self._not_before = trio.current_time() + PAUSE
            self._due = {**due, **self._due}
            return
        self._failing = False
        if self._due:
            self._begin()
