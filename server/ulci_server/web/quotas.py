"""How many requests and streams each address may have. Addresses count as at the gate: IPv6 by /64,
exempt ones not at all."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trio
from starlette.exceptions import HTTPException

from ulci.net.gate import network, wide_network
from ulci.net.token_bucket import Buckets

WORK_RATE, WORK_BURST = 10.0, 60.0
"""Requests a second, and at once, from one address that need the database or a worker thread. A
page needs three, and its reader then takes seconds."""

MOST_STREAMS = 4000
"""Event streams of the server, about 30 kB each."""

KEPT_STREAMS = 4
"""One in `KEPT_STREAMS` streams is reserved for addresses that are exempt or known (see
`ulci.net.Gate`)."""

MOST_STREAMS_OF_ONE = 50
"""Event streams of one address, which may be a whole school's."""

MOST_STREAMS_OF_NETWORK = 500
"""Event streams of a network (`wide_network`)."""

RETRY_AFTER = 10
"""Seconds until a client should try again to open a stream."""


class TooOften(HTTPException):
    """The server refuses a request because this address sends too many, or all clients together
    do. seconds: for how long the client should wait."""

    def __init__(self, text: str, seconds: float, *, status: int = 429) -> None:
        super().__init__(status, text, {"Retry-After": str(max(1, math.ceil(seconds)))})


def _nobody(_: str, __: float) -> bool:
    return False


class Quotas:
    """The quotas of one site. exempts: whether an address does not count. keeps: whether an address
    may have one of the reserved streams at that time (s)."""

    def __init__(
        self, exempts: Callable[[str], bool], keeps: Callable[[str, float], bool] = _nobody
    ) -> None:
        self._exempts = exempts
        self._keeps = keeps
        self._work: Buckets[str] = Buckets(WORK_RATE, WORK_BURST)
        self._streams: Counter[str] = Counter()
        self._of_networks: Counter[str] = Counter()
        self.streams = 0

    def work(self, host: str, cost: float = 1.0) -> None:
        """Count a request that costs work. Raises `TooOften`."""
        if self._exempts(host):
            return
        wait = self._work.take(network(host), trio.current_time(), cost)
        if wait:
            raise TooOften(
                f"your address asks too often: the limit is {WORK_RATE:g} times a second", wait
            )

    def check_stream(self, host: str) -> None:
        """Raises `TooOften` if this address may open no stream now."""
        most = MOST_STREAMS
        if not self._keeps(host, trio.current_time()):
            most -= most // KEPT_STREAMS
        if self.streams >= most:
            raise TooOften("too many event streams are open", RETRY_AFTER, status=503)
        if self._exempts(host):
            return
        if self._streams[network(host)] >= MOST_STREAMS_OF_ONE:
            text = f"your address already has {MOST_STREAMS_OF_ONE} event streams"
            raise TooOften(text, RETRY_AFTER)
        if self._of_networks[wide_network(host)] >= MOST_STREAMS_OF_NETWORK:
            text = f"{wide_network(host)} already has {MOST_STREAMS_OF_NETWORK} event streams"
            raise TooOften(text, RETRY_AFTER)

    @contextmanager
    def stream(self, host: str) -> Iterator[None]:
        """Count a stream while it lasts."""
        keys = (self._streams, network(host)), (self._of_networks, wide_network(host))
        self.streams += 1
        for counter, key in keys:
            counter[key] += 1
        try:
            yield
        finally:
            self.streams -= 1
            for counter, key in keys:
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
