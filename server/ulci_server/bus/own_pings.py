"""The pings of a run to itself, by which it knows whether the hub delivers what it takes."""

import math

import trio

UNHEARD_PINGS = 8
"""Own pings in a row that were published and not heard, after which the connection is given up: the
subscription has ended without a word. Counted, not timed: a process that was stopped is behind by
one ping."""


class OwnPings:
    """Counts them."""

    def __init__(self) -> None:
        self.lag = 0.0
        """Seconds that the last one took through the hub and back."""
        self._sent = 0
        self._sent_at = math.inf
        self._unheard = 0  # in a row, on this connection
        self._heard = 0  # the number of the last one that was heard
        self._heard_at: float | None = None

    @property
    def silence(self) -> float:
        """Seconds since the last one was heard, or since `begin`; 0 before that."""
        return 0.0 if self._heard_at is None else trio.current_time() - self._heard_at

    def begin(self) -> None:
        """The run begins."""
        self._heard_at = trio.current_time()

    def connected(self) -> None:
        """A new connection to the hub owes none yet."""
        self._unheard = 0

    @property
    def are_lost(self) -> bool:
        """Whether the last ones were not heard."""
        return self._unheard >= UNHEARD_PINGS

    def next(self) -> int:
        """The number of one that is published now."""
        self._unheard += 1
        self._sent += 1
        self._sent_at = trio.current_time()
        return self._sent

    def hear(self, number: int) -> bool:
        """The one with this number has come. False: somebody has published it again."""
        if number <= self._heard:
            return False
        self._heard = number
        self._heard_at = trio.current_time()
        self._unheard = 0
        if number == self._sent:
            self.lag = self._heard_at - self._sent_at
        return True
