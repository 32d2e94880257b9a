"""The pings of a run to itself, which show whether the hub delivers what it accepts."""

import math

import trio

UNHEARD_PINGS = 8
"""Published pings in a row that did not come back, after which the connection is given up: the
subscription has ended without notice. Counted, not timed: a process that was stopped is behind by
one ping."""


class OwnPings:
    """Counts the pings of one run to itself."""

    def __init__(self) -> None:
        self.lag = 0.0
        """Seconds that the last ping took through the hub and back."""
        self._sent = 0
        self._sent_at = math.inf
        self._unheard = 0  # published in a row without coming back, on this connection
        self._heard = 0  # the number of the last one that came back
        self._heard_at: float | None = None

    @property
    def silence(self) -> float:
        """Seconds since the last ping came back, or since `begin`; 0 before that."""
        return 0.0 if self._heard_at is None else trio.current_time() - self._heard_at

    def begin(self) -> None:
        """The run begins."""
        self._heard_at = trio.current_time()

    def connected(self) -> None:
        """On a new connection to the hub, no ping is missing yet."""
        self._unheard = 0

    @property
    def are_lost(self) -> bool:
        """Whether the last `UNHEARD_PINGS` did not come back."""
        return self._unheard >= UNHEARD_PINGS

    def next(self) -> int:
        """The number of the ping that is published now."""
        self._unheard += 1
        self._sent += 1
        self._sent_at = trio.current_time()
        return self._sent

    def hear(self, number: int) -> bool:
        """The ping with this number has come back. Returns False if it came before: somebody has
        published it again."""
        if number <= self._heard:
            return False
        self._heard = number
        self._heard_at = trio.current_time()
        self._unheard = 0
        if number == self._sent:
            self.lag = self._heard_at - self._sent_at
        return True
