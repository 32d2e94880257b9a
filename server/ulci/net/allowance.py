"""How much may a peer say? As much as the game makes possible, and some more.

What a search brings is paid for by the ``go`` that asked for it, so no legal game is ever slowed,
however fast it is. Whoever says more than that is not read for a while: its bytes wait in the
system's buffers, then in its own. Only who goes on and on against that is thrown out.
"""

import math
from dataclasses import dataclass

from ulci.net.bucket import TokenBucket


@dataclass(frozen=True, slots=True)
class Pace:
    """What may be said in how much time. Sizes in bytes, times in s."""

    rate: float = math.inf
    """A second, on average; infinite is no limit."""

    burst: int = 2 * 1024 * 1024
    """At once, after a while of saying little: a thousand moves with the analysis of each."""

    line: int = 256
    """What a line costs beside its bytes: reading it is more work than reading some more of it. An
    analysis that nobody looks at is not read, and costs its bytes alone."""

    search: int = 8 * 1024
    """What a ``go`` allows beside all that: the analysis and the move of a search that is over
    within a millisecond."""

    patience: float = 60.0
    """How long somebody may go on saying too much until it is thrown out."""

    retry_after: int = 60
    """Whole seconds after which it may come back then."""


CALM = 0.25
"""The part of `Pace.burst` that is there again when somebody has stopped saying too much: what is
left at the end of a pause is nothing, and an endless flood would always begin anew."""


class Allowance:
    """What one peer may still say."""

    __slots__ = ("_bucket", "_pace", "_since")

    def __init__(self, pace: Pace, at: float) -> None:
        self._pace = pace
        self._bucket = TokenBucket(pace.rate, pace.burst, at)
        self._since: float | None = None  # when it began to say too much

    def read(self, size: int) -> None:
        """So many bytes came."""
        self._bucket.spend(size)

    def line(self) -> None:
        """One of the lines among them was read."""
        self._bucket.spend(self._pace.line)

    def searches(self) -> None:
        """It was asked to search."""
        self._bucket.give(self._pace.search)

    def pause(self, at: float) -> float:
        """Seconds in which nothing is to be read from it."""
        level = self._bucket.level(at)
        if level < 0:
            if self._since is None:
                self._since = at
            return -level / self._pace.rate
        if level >= CALM * self._bucket.burst:
            self._since = None
        return 0.0

    def abused(self, at: float) -> str:
        """What to tell who goes on and on; empty for everybody else."""
        if self._since is None or at - self._since <= self._pace.patience:
            return ""
        return (
            f"you say too much: for {self._pace.patience:g} s it was more than"
            f" {self._pace.rate:g} bytes a second, a line counting {self._pace.line} bytes more;"
            f" retry-after {self._pace.retry_after}"
        )
