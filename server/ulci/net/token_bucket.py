"""Token buckets. No module clock: callers pass the time in s."""

from collections import OrderedDict
from collections.abc import Hashable
from itertools import islice
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

KEYS = 50_000
"""Keys kept at once, about 15 MB. Beyond this the least recently used key is dropped."""

CLEARED = 2
"""Full buckets that are dropped when one is used: more than can be added meanwhile."""


class TokenBucket:
    """Holds at most `burst` tokens, starts full and refills at `rate` a second."""

    __slots__ = ("_at", "burst", "left", "rate")

    def __init__(self, rate: float, burst: float, at: float) -> None:
        self.rate = rate
        self.burst = burst
        self.left = burst
        """Tokens at the last query or change."""
        self._at = at

    def level(self, at: float) -> float:
        """Tokens now; negative after `spend` took more than there was."""
        if at > self._at:  # a time that goes back refills nothing
            self.left = min(self.burst, self.left + (at - self._at) * self.rate)
            self._at = at
        return self.left

    def take(self, at: float, amount: float = 1.0) -> float:
        """Take `amount` tokens and return 0; if there are fewer, take none and return the seconds
        until there are enough."""
        missing = amount - self.level(at)
        if missing > 0:
            return missing / self.rate
        self.left -= amount
        return 0.0

    def spend(self, amount: float) -> None:
        """Take `amount` tokens even if there are fewer."""
        self.left -= amount


class Buckets(Generic[Key]):
    """One bucket per key, while it is not full: strangers who were here once are forgotten. If
    there are too many, the least recently used are dropped, and so start full again."""

    def __init__(self, rate: float, burst: float, *, keys: int = KEYS) -> None:
        self._rate, self._burst, self._keys = rate, burst, keys
        self._buckets: OrderedDict[Key, TokenBucket] = OrderedDict()

    def take(self, key: Key, at: float, amount: float = 1.0) -> float:
        """`TokenBucket.take` on the bucket of `key`."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(self._rate, self._burst, at)
        wait = bucket.take(at, amount)
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._keys:
            self._buckets.popitem(last=False)
        self._drop_full(at)
        return wait

    def _drop_full(self, at: float) -> None:
        """Drop what has been full for longest: a new bucket is as full."""
        for key, bucket in [*islice(self._buckets.items(), CLEARED)]:
            if bucket.level(at) == self._burst:
                del self._buckets[key]

    def __len__(self) -> int:
        return len(self._buckets)
