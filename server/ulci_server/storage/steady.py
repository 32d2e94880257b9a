"""What time it is, for a record that must not jump."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

NOTABLE = 1.0
"""s: more than this is a jump, and worth a word; less is how clocks are."""


class SteadyClock:
    """The machine's clock as it was when it was last looked at, carried on by the steady one.

    Somebody may set the machine's clock at any moment, by days. What lies between two facts of a
    game is the time that a player has thought, so games that run must not notice; `follow` when
    there are none. Both clocks in s, the machine's since 1970.
    """

    def __init__(
        self,
        machine: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._machine, self._steady = machine, steady
        self._ahead = machine() - steady()

    def __call__(self) -> datetime:
        return datetime.fromtimestamp(self._ahead + self._steady(), UTC)

    def follow(self) -> float:
        """Go by the machine's clock again; the s that it had jumped, 0 if it hardly moved."""
        ahead = self._machine() - self._steady()
        jumped, self._ahead = ahead - self._ahead, ahead
        return jumped if abs(jumped) > NOTABLE else 0.0
