"""Limits wrong tokens, and records when tokens were used.

Wrong tokens are counted by address and name, so that a guesser delays nobody else at its address;
and by address alone, so that nobody guesses under a thousand names.

An exempt address is shared by many clients: all programs of this machine, or all behind a reverse
proxy that does not name them. Nobody there is delayed by the wrong tokens of others. Guessing there
is bounded by the 256 bits of a token, one connection a guess; the log, by the same limit as
elsewhere.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

import outcome
import structlog
import trio

from ulci.net import Network, network, within
from ulci_server.storage import StorageError, fold

from .backoff import Attempts

LOG = structlog.get_logger("ulci_server.hall")

FREE_NAMES = 50
"""Wrong tokens of one address, under whatever names, before it is delayed."""


class FailedTokenLimiter:
    """Delays clients that send wrong tokens. `exempt`: addresses that are never delayed."""

    def __init__(self, exempt: Sequence[Network]) -> None:
        self._exempt = exempt
        self._of_name = Attempts[tuple[str, str]]()
        self._of_address = Attempts[str](free=FREE_NAMES)

    def retry_after(self, name: str, host: str) -> float:
        """Seconds until a token from there, under that name, is looked up."""
        return 0.0 if within(host, self._exempt) else self._seconds_left(name, host)

    def failed(self, name: str, host: str) -> float:
        """A wrong token came. Returns the seconds that it should have waited."""
        now = trio.current_time()
        wait = self._seconds_left(name, host)
        self._of_name.failed(_key(name, host), now)
        self._of_address.failed(network(host), now)
        if not wait:
            LOG.warning("wrong token", host=host, name=name)
        return wait

    def succeeded(self, name: str, host: str) -> None:
        """A valid token came: forget the wrong ones under this name."""
        self._of_name.succeeded(_key(name, host))

    def _seconds_left(self, name: str, host: str) -> float:
        now = trio.current_time()
        waits = self._of_name.retry_after(_key(name, host), now)
        return max(waits, self._of_address.retry_after(network(host), now))


def _key(name: str, host: str) -> tuple[str, str]:
    return network(host), fold(name)


RECORD_INTERVAL = 3600.0
"""Seconds between two records of one token: thousands of clients may return at once."""

RETRY_PAUSE = 60.0
"""Seconds before failed writes are tried again. Games write by the same database connection, and
a try may hold it for `BUSY_TIMEOUT`."""

MAX_DUE = 10_000
"""Uses that wait to be written; further ones are dropped."""


class TokenUseRecorder:
    """Records when tokens were used, without delaying a login. Uses that gather while one thread
    writes are written together; unwritten ones are lost when the server ends."""

    def __init__(self, write: Callable[[Mapping[int, datetime]], None]) -> None:
        self._write = write
        self._recorded: dict[int, float] = {}
        self._due: dict[int, datetime] = {}
        self._writing = False
        self._failing = False
        self._not_before = -math.inf

    def used(self, token: int, at: datetime) -> None:
        """The token of this number logged in at `at`."""
        now = trio.current_time()
        if now >= self._recorded.get(token, -math.inf) + RECORD_INTERVAL:
            self._recorded[token] = now
            if len(self._due) < MAX_DUE:
                self._due[token] = at
        if self._due and not self._writing and now >= self._not_before:
            self._begin()

    def _begin(self) -> None:
        due, self._due, self._writing = self._due, {}, True
        loop = trio.lowlevel.current_trio_token()

        def deliver(result: outcome.Outcome[None]) -> None:
            # Too late if the server has ended meanwhile.
            with suppress(trio.RunFinishedError):
                loop.run_sync_soon(self._end, due, result)

        try:
            trio.lowlevel.start_thread_soon(partial(self._write, due), deliver)
        except RuntimeError as error:  # the system refuses another thread
            self._end(due, outcome.Error(StorageError(str(error))))

    def _end(self, due: Mapping[int, datetime], result: outcome.Outcome[None]) -> None:
        self._writing = False
        try:
            result.unwrap()
        except StorageError as error:
            if not self._failing:
                LOG.warning("tokens not marked as used", tokens=len(due), why=str(error))
            self._failing = True
            self._not_before = trio.current_time() + RETRY_PAUSE
            self._due = {**due, **self._due}
            return
        self._failing = False
        if self._due:
            self._begin()
