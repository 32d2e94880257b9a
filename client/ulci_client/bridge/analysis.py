"""How much of an engine's analysis does a server get? Pure; times in s, sizes in bytes.

Some engines say thousands of lines a second. A server shows and stores the newest one of a search,
and reads no more than its limits allow; what is beyond that would wait in our outbox, until the
line is cut because of it. So the rest is left out, and the newest analysis and the newest complaint
that were left out go ahead of the move, so that the move is recorded with them.
"""

from collections.abc import Sequence

from ulci.net import TokenBucket
from ulci.protocol import BestMove, FromClient, Info, Report, Unread

from .status import is_best_line

RATE = 8 * 1024
"""A second, on average: some twenty lines, more than anybody reads, and little for a server, which
counts what all engines of one machine say together."""

BURST = 64 * 1024
"""At once: what an engine says in the first moments of a search, for several searches in a row."""

LINE = 256
"""What a line costs beside its own bytes: for a server it is more work than reading these."""

MOST_WAITING = 16 * 1024
"""Bytes that may wait in our outbox: who is further behind does not read just now. The outbox is
cut at sixteen times that, and a move must always fit."""


class AnalysisFilter:
    """Of one engine. `left_out` counts lines."""

    def __init__(self) -> None:
        self.left_out = 0
        self._bucket = TokenBucket(RATE, BURST, 0.0)
        # Of those left out in this search.
        self._analysis: Unread | Info | None = None
        self._complaint: Report | None = None

    def begin(self) -> None:
        """Another search: what was said before has nothing to do with its move."""
        self._analysis = self._complaint = None

    def passed(
        self, said: Sequence[FromClient | Unread], at: float, waiting: int
    ) -> list[FromClient | Unread]:
        """What of this is to be said now, in order, where so much is waiting to be read."""
        passed: list[FromClient | Unread] = []
        for message in said:
            if isinstance(message, Unread | Info | Report):
                passes = waiting <= MOST_WAITING and not self._cost(message, at)
                self.left_out += not passes
                self._keep(message, None if passes else message)
                passed += [message] if passes else []
                continue
            if isinstance(message, BestMove):
                if waiting <= MOST_WAITING:
                    passed += filter(None, (self._analysis, self._complaint))
                self.begin()
            passed.append(message)
        return passed

    def _cost(self, message: Unread | Info | Report, at: float) -> float:
        """Seconds until it could be said."""
        return self._bucket.take(at, LINE + _size(message))

    def _keep(self, said: Unread | Info | Report, left_out: Unread | Info | Report | None) -> None:
        """It is the newest of its kind: nothing older is worth saying any more."""
        if isinstance(said, Report):
            self._complaint = left_out if isinstance(left_out, Report) else None
        elif is_best_line(said):
            self._analysis = None if isinstance(left_out, Report) else left_out


def _size(message: Unread | Info | Report) -> int:
    """About."""
    if isinstance(message, Unread):
        return len(message.line)
    return len(message.text) if isinstance(message, Report) else 0
