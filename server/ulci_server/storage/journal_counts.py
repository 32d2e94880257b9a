"""What metrics tell of the journal: how much was made durable, and how long that took."""

from bisect import bisect_left
from collections.abc import Iterable

from ulci_server.game import Fact, MovePlayed

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Of `Durations`, in s: half a millisecond is a quick commit, five seconds is a broken disk."""


class Durations:
    """How long something took, as a histogram. `counts`: of each bound, and of all that took
    longer. `total`: s."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


class JournalCounts:
    """moves: made durable. lag, stall: what was given back to their players for the network and the
    server, ms. commits, delays: how long commits took, and all from the noting of their oldest fact
    to its telling."""

    __slots__ = ("commits", "delays", "lag", "moves", "stall")

    def __init__(self) -> None:
        self.moves = self.lag = self.stall = 0
        self.commits, self.delays = Durations(), Durations()

    def add(self, facts: Iterable[Fact], took: float, delayed: float) -> None:
        """These are durable, and the players have been told, or are about to be."""
        self.commits.add(took)
        self.delays.add(delayed)
        for fact in facts:
            if isinstance(fact, MovePlayed):
                self.moves += 1
                self.lag += fact.lag
                self.stall += fact.stall
