"""Both clocks as this client knows them. Times in ms, moments in s. Pure."""

import math
from dataclasses import dataclass, replace

from ulci.protocol.messages import Clock, Go
from ulci.rules import Side

# Below these a clock is shown as low, and with tenths of a second.
LOW_MS = 20_000
TENTHS_MS = 10_000

# Added (s) so that rounding never wakes us too early.
ROUNDING = 1e-5

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both clocks (ms) as they stood `at` (s); `running` has run since."""

    left: tuple[int, int]
    increments: tuple[int, int]
    running: Side | None
    at: float

    def remaining(self, side: Side, now: float) -> int:
        """ms left, never negative: only the arbiter declares a flag."""
        spent = (now - self.at) * 1000 if side is self.running else 0.0
        return max(0, math.ceil(self.left[side] - spent))

    def pressed(self, now: float) -> "Clocks":
        """A move: the increment is added, the other clock runs."""
        if self.running is None:
            return self
        left = list(self.left)
        left[self.running] = self.remaining(self.running, now) + self.increments[self.running]
        return replace(self, left=(left[0], left[1]), running=self.running.other, at=now)

    def given(self, side: Side, ms: int) -> "Clocks":
        """Add `ms` to a side's clock."""
        left = list(self.left)
        left[side] += ms
        return replace(self, left=(left[0], left[1]))

    def stopped(self, now: float) -> "Clocks":
        left = (self.remaining(Side.WHITE, now), self.remaining(Side.BLACK, now))
        return replace(self, left=left, running=None, at=now)

    def next_change(self, now: float) -> float:
        """When `shown` of the running clock changes next; inf: never."""
        if self.running is None:
            return math.inf
        left = self.remaining(self.running, now)
        if left == 0:
            return math.inf
        unit = 100 if left < TENTHS_MS else 1000
        # `shown` rounds down, so it changes 1 ms below a whole unit.
        after = max(left - left % unit - 1, 0)
        return self.at + (self.left[self.running] - after) / 1000 + ROUNDING


def clocks_said(message: Clock | Go, running: Side, at: float) -> Clocks | None:
    """The clocks in a message; None in a game without."""
    if message.wtime is None or message.btime is None:
        return None
    return Clocks(
        (message.wtime, message.btime), (message.winc or 0, message.binc or 0), running, at
    )


def in_minutes(ms: int) -> str:
    """``0:30``, ``4:05``, ``1:30:00``: a duration, rounded up to seconds."""
    minutes, seconds = divmod(math.ceil(ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def shown(ms: int) -> str:
    """``9.4``, ``4:05``, ``1:30:00`` or ``2d 04:00``: rounded down."""
    if ms < TENTHS_MS:
        return f"{ms // 1000}.{ms % 1000 // 100}"
    seconds = ms // 1000
    if ms < HOUR_MS:
        return f"{seconds // 60}:{seconds % 60:02}"
    if ms < DAY_MS:
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{seconds // 86400}d {seconds // 3600 % 24:02}:{seconds // 60 % 60:02}"
