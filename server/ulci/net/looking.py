"""When did this process last look at its sockets? Until then, what it reads now had not come.

A process that is stopped, starved or busy does not look for a while. The kernel's stamps tell when
the last byte of a read came, not when the first did: who said something more after its move would
lose what the stall cost it. While the loop looks often (`PULSE`), a long time between two looks is
a stall of ours, and all of it is given back.
"""

from collections import deque
from itertools import pairwise

import trio

PULSE = 0.05
"""Seconds between two looks, at most, while anybody's clock runs: somebody must wake the loop."""

STALL = 0.15
"""Seconds without a look that are a stall: less is an ordinary busy moment, which the kernel's
stamps measure well enough."""

LOOKS = 3
"""Looks by which all that came during a stall has been found: the one that ends it may only find
that its time to wait is over, and the next must not wait to see what else there is."""


class Looking(trio.abc.Instrument):
    """Notes when the loop looks."""

    def __init__(self) -> None:
        self._looks = deque([trio.current_time()], maxlen=LOOKS + 1)

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        """The loop has looked, and will now see to what it found."""
        self._looks.append(trio.current_time())

    def stall(self, at: float) -> float:
        """Seconds that what is read at `at` may have lain there; 0 if there was no stall. Of two
        stalls, one right after the other, the first counts: it is where the waiting began. What the
        last look found, and is only read now, has lain there since that look at least."""
        for before, after in pairwise((*self._looks, at)):
            if after - before > STALL:
                return at - before
        return 0.0


_LOOKING: trio.lowlevel.RunVar[Looking] = trio.lowlevel.RunVar("looking")


def look_out() -> None:
    """From now on stalls of this loop are measured. Somebody has to wake it every `PULSE`."""
    looking = Looking()
    trio.lowlevel.add_instrument(looking)
    _LOOKING.set(looking)


def stall(at: float) -> float:
    """As `Looking.stall`; 0 where nobody called `look_out`."""
    try:
        return _LOOKING.get().stall(at)
    except LookupError:
        return 0.0
