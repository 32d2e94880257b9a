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

    # What is work beside the bytes, counted in bytes. Measured on one core of 2024, where these
    # numbers make a byte 0.5 µs at most: whoever says the worst of it at the default rate, 256 KiB
    # a second, keeps a tenth of such a core busy.

    read: int = 96
    """What the system gave at once, however little: 41 µs to wake up, read and go to sleep."""

    record: int = 64
    """A record of TLS, however little is in it: 14 µs."""

    frame: int = 160
    """A frame of WebSocket, whatever is in it: 45 µs, a ping with its answer 64 µs, and 10 µs where
    it is a piece of a message or a pong."""

    line: int = 256
    """A line that was read, with what it leads to; one that nobody can read, with the answer to it:
    5 to 11 µs, and more in a game."""

    info: int = 32
    """A line of analysis, which is parsed only when somebody looks at it: 6 µs, in a game 12."""

    blank: int = 4
    """A line in which nothing is: 1 µs."""

    again: int = 1024
    """A ``go`` for the position of the last one, which allows nothing: what answered that was no
    move, and was judged, recorded and told, in 340 µs."""

    search: int = 16 * 1024
    """What a ``go`` allows beside all that: the move and forty lines of analysis of a search that
    is over within a few ms, a frame each. A longer search pays for itself: two hundred lines of 300
    bytes a second, each read alone, are half of the default rate."""

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
        """So many bytes came at once."""
        self._bucket.spend(size + self._pace.read)

    def record(self) -> None:
        """They were a record of TLS."""
        self._bucket.spend(self._pace.record)

    def frames(self, number: int) -> None:
        """So many frames of WebSocket were among them."""
        self._bucket.spend(number * self._pace.frame)

    def line(self) -> None:
        """One of the lines among them was read, or could not be."""
        self._bucket.spend(self._pace.line)

    def info(self) -> None:
        """One of them was analysis."""
        self._bucket.spend(self._pace.info)

    def blank(self) -> None:
        """In one of them was nothing."""
        self._bucket.spend(self._pace.blank)

    def searches(self) -> None:
        """It was asked to search."""
        self._bucket.give(self._pace.search)

    def searches_again(self) -> None:
        """It was asked to search what it was asked to search before."""
        self._bucket.spend(self._pace.again)

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
            f" {self._pace.rate:g} bytes a second, a line counting {self._pace.line} bytes more, a"
            f" frame {self._pace.frame}, and a packet {self._pace.read};"
            f" retry-after {self._pace.retry_after}"
        )
