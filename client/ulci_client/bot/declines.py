"""How fast challenges are declined, and how much of it the log gets. Pure; times in s.

A server limits what a client may say, and a flood of challenges must not keep a bot from saying
what matters. So declines wait in a queue, and a challenge that is withdrawn meanwhile needs none. A
server keeps a hundred challenges to one player at most, and so does the queue.
"""

import math
from collections import deque
from dataclasses import dataclass

from ulci.net import TokenBucket

# Declines a second on average, and at once: half of the least that a server of ours allows, which
# has to last for moves, draws and greetings too.
RATE = 2.0
BURST = 20

# Lines of the log about one challenger a minute; then one line says how many were left out.
LINES = 10
MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A challenge to be declined."""

    id: int
    reason: str


class DeclineQueue:
    """Those that are to be declined."""

    def __init__(self) -> None:
        self._waiting: deque[Refusal] = deque()
        self._bucket = TokenBucket(RATE, BURST, 0.0)
        self._next = math.inf

    @property
    def due(self) -> float:
        """When to call `take`; inf: never."""
        return self._next if self._waiting else math.inf

    def put(self, refusal: Refusal, at: float) -> None:
        """It is said as soon as the rate allows."""
        if not self._waiting:
            self._next = at
        self._waiting.append(refusal)

    def gone(self, number: int) -> None:
        """The challenge was withdrawn."""
        self._waiting = deque(each for each in self._waiting if each.id != number)

    def clear(self) -> None:
        """The connection ended, and all challenges with it."""
        self._waiting.clear()

    def take(self, at: float) -> list[Refusal]:
        """Those that may be declined now."""
        taken: list[Refusal] = []
        while self._waiting:
            if wait := self._bucket.take(at, 1.0):
                self._next = at + wait
                break
            taken.append(self._waiting.popleft())
        return taken


class LineLimit:
    """Which lines about a challenger are logged."""

    def __init__(self) -> None:
        self._since: dict[str, tuple[float, int]] = {}  # the minute's begin, and how many lines

    def line(self, name: str, text: str, at: float) -> list[str]:
        """The lines to log now, if the challenger `name` causes this one."""
        lines = self.flush(at)
        since, count = self._since.get(name, (at, 0))
        self._since[name] = since, count + 1
        return [*lines, text] if count < LINES else lines

    def flush(self, at: float) -> list[str]:
        """How many lines the minutes that are over have left out."""
        over = {name: count for name, (since, count) in self._since.items() if at - since >= MINUTE}
        for name in over:
            del self._since[name]
        return [
            f"{count - LINES} more challenges of {name} were declined within that minute"
            for name, count in over.items()
            if count > LINES
        ]
