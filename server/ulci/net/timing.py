"""The round-trip estimate of a connection, and stalls of the event loop."""

from collections import deque
from itertools import pairwise

import trio

MAX_PENDING = 16
"""Pending questions per kind. Beyond this the oldest is dropped: it may never be answered, such as
the ``go`` of a game that ended by a flag."""


NEGLIGIBLE = 0.001
"""Seconds below which a round trip is not measured any further: time is given back in whole ms."""


class RoundTripEstimate:
    """The least round trip ever measured on one connection, in s.

    Answers come in the order of their questions, per kind: moves answer ``go``, ``readyok`` answers
    ``isready``. A measurement is the network's time plus the peer's own: thinking, delayed
    acknowledgements, an engine that clears its hash before ``readyok``. A smoothed estimate
    contains part of that; the minimum contains almost none, and a peer can raise it only by never
    answering sooner.

    The minimum has no time window: after some minutes of a player's thinking, a window would
    contain thinking only. A connection hardly ever becomes slower, because a TCP connection does
    not survive a change of networks, and a new connection is measured from the start. (Linux's own
    minimum has a window of five minutes, but a lone short segment does not raise it, since its
    acknowledgement may have been delayed: ``tcp_input.c``, FLAG_ACK_MAYBE_DELAYED. Our
    conversations consist of such segments.)
    """

    __slots__ = ("_asked", "is_final", "least")

    def __init__(self) -> None:
        self._asked: dict[type, list[float]] = {}
        self.least: float | None = None
        """None before the first measurement."""
        self.is_final = False
        """Whether the least is `NEGLIGIBLE`: then nothing need be measured any more."""

    def asked(self, question: type, at: float) -> None:
        """A question of this kind was sent."""
        asked = self._asked.setdefault(question, [])
        if len(asked) == MAX_PENDING:
            del asked[0]
        asked.append(at)

    def answered(self, question: type, at: float | None) -> None:
        """An answer arrived `at`; None if its arrival time is unknown."""
        if asked := self._asked.get(question):
            since = asked.pop(0)
            if at is not None:
                self.measured(at - since)

    def measured(self, seconds: float) -> None:
        """Add a measurement made elsewhere."""
        if self.least is None or seconds < self.least:
            self.least = max(0.0, seconds)
            self.is_final = seconds < NEGLIGIBLE


PULSE = 0.05
"""Maximum seconds between two polls while a clock runs; a task must wake the loop."""

STALL = 0.15
"""Seconds without a poll that count as a stall. Shorter pauses are ordinary load, which the
kernel's timestamps measure well enough."""

LOOKS = 3
"""Polls needed to find all input of a stall: the poll that ends the stall may return for its
timeout only, and the next one waits for nothing."""


class StallDetector(trio.abc.Instrument):
    """Records when the event loop polls its sockets.

    A process that is stopped, starved or busy does not poll. The kernel stamps the last byte of a
    read, not the first: a player who sent a second line after a move would lose the duration of the
    stall. While the loop polls often (`PULSE`), a long gap between two polls is our stall, and all
    of it is credited.
    """

    def __init__(self) -> None:
        self._looks = deque([trio.current_time()], maxlen=LOOKS + 1)

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        """The loop has polled, and will now handle what it found."""
        self._looks.append(trio.current_time())

    def stall(self, at: float) -> float:
        """Seconds that input read at `at` may have waited; 0 if there was no stall. Of two
        consecutive stalls the first counts: the waiting began there. Input that the last poll found
        has waited since that poll at least."""
        for before, after in pairwise((*self._looks, at)):
            if after - before > STALL:
                return at - before
        return 0.0


_DETECTOR: trio.lowlevel.RunVar[StallDetector] = trio.lowlevel.RunVar("stall detector")


def detect_stalls() -> None:
    """Start to measure stalls of this loop. A task must wake it every `PULSE`."""
    detector = StallDetector()
    trio.lowlevel.add_instrument(detector)
    _DETECTOR.set(detector)


def stall(at: float) -> float:
    """`StallDetector.stall`; 0 without `detect_stalls`."""
    try:
        return _DETECTOR.get().stall(at)
    except LookupError:
        return 0.0
