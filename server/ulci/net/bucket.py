"""How much in how much time? Counted without a clock: whoever asks says what time it is, in s."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

KEYS = 50_000
"""Keys that are remembered at once: with what is kept of each, some ten megabytes. Beyond it the
one that was used least lately is forgotten."""


class TokenBucket:
    """Holds at most `burst` tokens, is full at first and refilled at `rate` a second."""

    __slots__ = ("_at", "_level", "burst", "rate")

    def __init__(self, rate: float, burst: float, at: float) -> None:
        self.rate = rate
        self.burst = burst
        self._level = burst
        self._at = at

    def level(self, at: float) -> float:
        """What is in it now; below 0 after more was spent than there was."""
        if at > self._at:  # a time that goes back refills nothing
            self._level = min(self.burst, self._level + (at - self._at) * self.rate)
            self._at = at
        return self._level

    def take(self, at: float, amount: float = 1.0) -> float:
        """Take that much if it is there, and return 0; otherwise take nothing, and return the
        seconds until it will be there."""
        missing = amount - self.level(at)
        if missing > 0:
            return missing / self.rate
        self._level -= amount
        return 0.0

    def spend(self, amount: float) -> None:
        """Take that much, whether it is there or not."""
        self._level -= amount

    def give(self, amount: float) -> None:
        """Put that much back, as far as there is room."""
        self._level = min(self.burst, self._level + amount)


class Buckets(Generic[Key]):
    """A bucket for every key, of which the least lately used are forgotten, and so full again."""

    def __init__(self, rate: float, burst: float, *, keys: int = KEYS) -> None:
        self._rate, self._burst, self._keys = rate, burst, keys
        self._buckets: OrderedDict[Key, TokenBucket] = OrderedDict()

    def take(self, key: Key, at: float, amount: float = 1.0) -> float:
        """As `TokenBucket.take` from the one of that key."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(self._rate, self._burst, at)
        wait = bucket.take(at, amount)
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._keys:
            self._buckets.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._buckets)


@dataclass(slots=True)
class _Failures:
    count: int
    last: float


@dataclass
class Attempts(Generic[Key]):
    """Who failed how often, and how long it must wait before it tries again. Times in s.

    The first `free` failures cost nothing (people mistype), every further one doubles the wait from
    `first` up to `longest`. Whoever did not fail for `forget` has never failed. A key may be an
    address (`network`), a name or both: anybody can fail in another's name, so a name alone must
    not be what keeps its owner out.
    """

    free: int = 5
    first: float = 1.0
    longest: float = 300.0
    forget: float = 900.0
    keys: int = KEYS
    _failures: OrderedDict[Key, _Failures] = field(default_factory=OrderedDict, repr=False)

    def failed(self, key: Key, at: float) -> None:
        """It was wrong, once more."""
        before = self._known(key, at)
        self._failures[key] = _Failures(before.count + 1 if before else 1, at)
        self._failures.move_to_end(key)
        if len(self._failures) > self.keys:
            self._failures.popitem(last=False)

    def succeeded(self, key: Key) -> None:
        """It was right: what was before does not matter any more."""
        self._failures.pop(key, None)

    def retry_after(self, key: Key, at: float) -> float:
        """Seconds until it may try again; 0 is now."""
        known = self._known(key, at)
        if known is None or known.count < self.free:
            return 0.0
        doublings = min(known.count - self.free, _DOUBLINGS)
        wait = min(self.first * 2.0**doublings, self.longest)
        return max(0.0, known.last + wait - at)

    def _known(self, key: Key, at: float) -> _Failures | None:
        known = self._failures.get(key)
        if known is not None and at - known.last > self.forget:
            del self._failures[key]
            return None
        return known

    def __len__(self) -> int:
        return len(self._failures)


_DOUBLINGS = 30  # 2 to more than that is longer than anything is waited for
