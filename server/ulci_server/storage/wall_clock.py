"""A wall clock that is monotonic, for a record that must not jump."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

NOTABLE = 1.0
"""s: a larger difference is a jump and is reported; a smaller one is drift."""


class WallClock:
    """The machine's clock, read once and continued by the monotonic one.

    The machine's clock may be set at any moment, by days. The time between two facts of a game is a
    player's thinking time, so this must not affect running games: call `follow` only when none
    runs. `machine` is in s since 1970, `monotonic` in s since any moment.
    """

    def __init__(
        self,
        machine: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._machine, self._monotonic = machine, monotonic
        self._ahead = machine() - monotonic()

    def __call__(self) -> datetime:
        return datetime.fromtimestamp(self._ahead + self._monotonic(), UTC)

    def follow(self) -> float:
        """Set it to the machine's clock. Returns the s by which that had jumped, 0 if at most
        `NOTABLE`."""
        ahead = self._machine() - self._monotonic()
        jumped, self._ahead = ahead - self._ahead, ahead
        return jumped if abs(jumped) > NOTABLE else 0.0
