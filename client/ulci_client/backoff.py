"""How long to wait before the next try. Pure: chance is given."""

from collections.abc import Callable

# Seconds before the first new try at least, and before any at most: a server that restarts is found
# again soon, and one that is gone is not hammered.
FIRST = 1.0
LONGEST = 60.0


class Backoff:
    """Twice as long after each failure. `chance` gives a number from 0 to 1: clients that lost
    the same server at the same moment must not all come back at the same moment."""

    def __init__(
        self, chance: Callable[[], float], *, first: float = FIRST, longest: float = LONGEST
    ) -> None:
        self._chance = chance
        self._first = first
        self._longest = longest
        self._failures = 0

    def next(self) -> float:
        """Seconds to wait now: between half of the step and all of it, the first step being twice
        `first`."""
        self._failures += 1
        # The exponent is bounded because a float is: a server may be gone for weeks.
        step = min(self._longest, self._first * 2.0 ** min(self._failures, 32))
        return step * (0.5 + 0.5 * self._chance())

    def succeeded(self) -> None:
        """The next failure is the first again."""
        self._failures = 0
