"""Who may ask for how much. Addresses are counted as at the gate: IPv6 by /64, exempt ones not."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trio
from starlette.exceptions import HTTPException

from ulci.net.gate import network
from ulci.net.token_bucket import Buckets

WORK_RATE, WORK_BURST = 10.0, 60.0
"""Answers a second to one address that need the database or a worker thread. A page needs three to
show, and whoever reads one takes seconds."""

MOST_STREAMS = 4000
"""Event streams in all, at about 30 kB each."""

MOST_STREAMS_OF_ONE = 50
"""Event streams of one address: a school behind one."""

RETRY_AFTER = 10
"""Seconds until a stream's place may be free."""


class TooOften(HTTPException):
    """This address asks too often, or too many do."""

    def __init__(self, text: str, seconds: float, *, status: int = 429) -> None:
        super().__init__(status, text, {"Retry-After": str(max(1, math.ceil(seconds)))})


class Quotas:
    """The quotas of one site. `exempts`: whether an address is not counted."""

    def __init__(self, exempts: Callable[[str], bool]) -> None:
        self._exempts = exempts
        self._work: Buckets[str] = Buckets(WORK_RATE, WORK_BURST)
        self._streams: Counter[str] = Counter()
        self.streams = 0

    def work(self, host: str, cost: float = 1.0) -> None:
        """Count an answer that costs work. Raises `TooOften`."""
        if self._exempts(host):
            return
        wait = self._work.take(network(host), trio.current_time(), cost)
        if wait:
            raise TooOften(
                f"your address asks too often: the limit is {WORK_RATE:g} times a second", wait
            )

    def check_stream(self, host: str) -> None:
        """Raises `TooOften` if this address may open no stream now."""
        if self.streams >= MOST_STREAMS:
            raise TooOften("too many event streams are open", RETRY_AFTER, status=503)
        if self._streams[network(host)] >= MOST_STREAMS_OF_ONE and not self._exempts(host):
            text = f"your address already has {MOST_STREAMS_OF_ONE} event streams"
            raise TooOften(text, RETRY_AFTER)

    @contextmanager
    def stream(self, host: str) -> Iterator[None]:
        """Count a stream while it lasts."""
        key = network(host)
        self.streams += 1
        self._streams[key] += 1
        try:
            yield
        finally:
            self.streams -= 1
            self._streams[key] -= 1
            if not self._streams[key]:
                del self._streams[key]
