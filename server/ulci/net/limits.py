"""The limits of a connection, with the reason for each, and the rate limit of a peer.

A ``go`` pays for the output of its search, so no legal game is ever slowed down, however fast. A
peer above its rate is not read for a while: its bytes wait in the system's buffers, then in its
own. A peer that stays above its rate for `RateLimit.patience` is disconnected.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ulci.net.token_bucket import TokenBucket
from ulci.protocol import Blank, Unread
from ulci.protocol.messages import Info, Position


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How much a peer may send, and how fast. Sizes in bytes, times in s."""

    rate: float = math.inf
    """Bytes a second on average; infinite means no limit."""

    burst: int = 2 * 1024 * 1024
    """Bytes at once after a quiet time: a thousand moves with the analysis of each."""

    # Work beyond the bytes, charged as bytes. Measured on one core of 2024, these numbers
    # make a byte cost 0.5 µs at most: the worst input at the default rate, 256 KiB a second, takes
    # a tenth of such a core.

    read: int = 96
    """Per read from the system, however small: 41 µs to wake up, read and go to sleep."""

    record: int = 64
    """Per TLS record, however small: 14 µs."""

    frame: int = 160
    """Per WebSocket frame: 45 µs; a ping with its answer 64 µs, a fragment or a pong 10 µs."""

    line: int = 256
    """Per line with its effects, or unreadable line with its error report: 5 to 11 µs, and more in
    a game."""

    info: int = 32
    """Per line of analysis, which is parsed on demand only: 6 µs, in a game 12."""

    blank: int = 4
    """Per empty line: 1 µs."""

    again: int = 1024
    """For a repeated ``go`` of the same position, which adds no credit: the answer was an illegal
    move, and judging, recording and reporting it took 340 µs."""

    search: int = 16 * 1024
    """Credit of a ``go``: the move and forty lines of analysis of a search of a few ms, a frame
    each. A longer search is within the rate: two hundred lines of 300 bytes a second, each read
    alone, are half of the default rate."""

    patience: float = 60.0
    """Seconds above the rate until the peer is disconnected."""

    retry_after: int = 60
    """Whole seconds after which the disconnected peer may come back."""


CALM = 0.25
"""Fraction of `RateLimit.burst` that must have refilled before a flood counts as over. At the end
of a pause the level is 0; ending the flood there would restart `patience` for ever."""


class _Costs(dict[type, int]):
    """Cost of a line by the type of its message, `Fault` included."""

    def __init__(self, limit: RateLimit) -> None:
        super().__init__({Blank: limit.blank, Unread: limit.info, Info: limit.info})
        self._line = limit.line

    def __missing__(self, kind: type) -> int:
        self[kind] = self._line
        return self._line


_costs = lru_cache(maxsize=16)(_Costs)


class Allowance(TokenBucket):
    """What one peer may still send. `costs`: per line, spent by the caller that reads the lines.
    `position`: the last one that the peer was sent."""

    __slots__ = ("_limit", "_searched", "costs", "position", "since")

    def __init__(self, limit: RateLimit, at: float) -> None:
        super().__init__(limit.rate, limit.burst, at)
        self._limit = limit
        self.costs: Mapping[type, int] = _costs(limit)
        self.since: float | None = None
        """When the peer exceeded its rate (s); None if it does not."""
        self.position: Position | None = None
        self._searched: Position | None = None  # the last one that the peer was asked to search

    def read(self, size: int, at: float = -math.inf) -> None:
        """Charge a read of `size` bytes at this time (s)."""
        if at > self._at:
            self.left = min(self.burst, self.left + (at - self._at) * self.rate)
            self._at = at
        self.left -= size + self._limit.read

    def record(self) -> None:
        """Charge a TLS record."""
        self.left -= self._limit.record

    def frames(self, number: int) -> None:
        """Charge WebSocket frames."""
        self.left -= number * self._limit.frame

    def searches(self) -> None:
        """Credit the search of `position`, for which the peer is asked: the first one only, as only
        that is worth an analysis and a move."""
        before, now = self._searched, self.position
        self._searched = now
        if before is None or now is None or before.moves != now.moves or before != now:
            self.left = min(self.burst, self.left + self._limit.search)
        else:
            self.left -= self._limit.again

    def pause(self, at: float) -> float:
        """Seconds for which the peer must not be read."""
        level = self.level(at)
        if level < 0:
            if self.since is None:
                self.since = at
            return -level / self._limit.rate
        if level >= CALM * self.burst:
            self.since = None
        return 0.0

    def abused(self, at: float) -> str:
        """The reason to disconnect a peer that stayed above its rate for `patience`; otherwise
        empty."""
        limit = self._limit
        self.pause(at)  # ends the flood of a peer that has been quiet since
        if self.since is None or at - self.since <= limit.patience:
            return ""
        return (
            f"you send too much: for {limit.patience:g} s it was more than {limit.rate:g} bytes a"
            f" second, a line counting {limit.line} bytes more, a frame {limit.frame}, and a packet"
            f" {limit.read}; retry-after {limit.retry_after}"
        )


RECEIVE_BYTES = 16 * 1024
"""Bytes read from a socket at once: two of the longest lines, which bounds the memory of a peer."""

BATCH = 16
"""Messages parsed before the first of them is handled."""

FAIR_SHARE = 64
"""Messages handled before other tasks run: a flood is interrupted, a single move is not."""

FAIR_TIME = 0.00025
"""Seconds after which other tasks run in any case, because some messages take longer. Relaying a
move takes four turns of the loop, each as long as the shares of all flooding peers together."""

AHEAD = 4
"""Multiple of `Limits.outbox` that may wait for a peer that reads as fast as it can: data put in
one step, such as two long lists, cannot drain in between."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the cost of a peer. Times in seconds, sizes in bytes."""

    opening: float = 10.0
    """TLS and the WebSocket upgrade together: a bad line needs three seconds, a port scanner never
    ends."""

    outbox: int = 256 * 1024
    """Put but not yet taken by the system: twice the longest list in an answer. A peer with more to
    read has stopped reading."""

    flush: float = 2.0
    """Time for a dismissed or closed peer to take what was put: longer than a lost packet."""

    linger: float = 1.0
    """Part of `flush`: how long to keep reading after the last message. Closing a socket that still
    receives bytes resets it, and destroys what the peer has not read yet, such as the reason for
    the close."""

    max_frame: int = 64 * 1024
    """One WebSocket message. The codec's limit of a line is smaller and reports the error; this one
    only bounds the memory."""

    keepalive_idle: int = 15
    """Whole seconds of silence before the first keepalive probe."""

    keepalive_interval: int = 5
    """Whole seconds between probes."""

    keepalive_probes: int = 3
    """Unanswered probes until the connection is dropped: 30 s after the last byte, about as long as
    a player may be away without harm."""

    unacknowledged: float = 30.0
    """How long sent data may wait for its acknowledgement (TCP_USER_TIMEOUT); the system's default
    is a quarter of an hour."""

    ping_interval: float = 20.0
    """Silence on a WebSocket before a ping: proxies drop connections after 30 or 60 s of
    silence."""

    ping_timeout: float = 20.0
    """Time for the answer to a ping: a phone that changes its network needs ten."""

    connections: int = 10_000
    """Open at once at one listener, handshakes included; file descriptors are limited."""

    rate_limit: RateLimit = field(default_factory=RateLimit)
    """What the peer may send. Unlimited by default, as clients trust their server."""
