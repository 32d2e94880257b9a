"""Backoff after failed attempts: how many are free, and how long the next ones wait. No clock:
callers pass the time in s."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

KEYS = 50_000
"""Keys kept at once, about 10 MB. Beyond this the least recently used key is dropped."""

CLEARED = 2
"""Old failures that are looked at when one is added, and forgotten if they are too old."""

_DOUBLINGS = 30  # 2**30 s exceeds any wait


@dataclass(slots=True)
class _Failures:
    count: int
    last: float


@dataclass
class Attempts(Generic[Key]):
    """Backoff after failed attempts, per key. Times in s.

    The first `free` failures are free (people mistype); every further one doubles the wait from
    `first` up to `longest`. A key without a failure for `forget` starts afresh. A key may be an
    address (`network`), a name or both. Never a name alone: anybody can fail under another player's
    name and would lock its owner out.
    """

    free: int = 5
    first: float = 1.0
    longest: float = 300.0
    forget: float = 900.0
    keys: int = KEYS
    _failures: OrderedDict[Key, _Failures] = field(default_factory=OrderedDict, repr=False)

    def failed(self, key: Key, at: float) -> None:
        before = self._known(key, at)
        self._failures[key] = _Failures(before.count + 1 if before else 1, at)
        self._failures.move_to_end(key)
        if len(self._failures) > self.keys:
            self._failures.popitem(last=False)
        for oldest in [*islice(self._failures, CLEARED)]:
            self._known(oldest, at)

    def succeeded(self, key: Key) -> None:
        """Forget the failures of this key."""
        self._failures.pop(key, None)

    def retry_after(self, key: Key, at: float) -> float:
        """Seconds until the next attempt is allowed; 0 means now."""
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
