"""When did this process last look at its sockets? Until then, what it reads now had not come.

A process that is stopped, starved or busy does not look for a while. The kernel's stamps tell when
the last byte of a read came, not when the first did: who said something more after its move would
lose what the stall cost it. While the loop looks often (`PULSE`), a long time between two looks is
a stall of ours, and all of it is given back.
"""

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
        self._last = self._since = trio.current_time()
        self._looks = 0

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        """The loop has looked, and will now see to what it found."""
        now = trio.current_time()
        if now - self._last > STALL:
            self._since, self._looks = self._last, LOOKS
        elif self._looks:
            self._looks -= 1
        self._last = now

    def stall(self, at: float) -> float:
        """Seconds that what is read at `at` may have lain there; 0 if there was no stall."""
        return at - self._since if self._looks else 0.0


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
