"""How fast a bot declines challenges, and how many lines of it the log gets. Pure; times in s.

A server limits the commands of a client, and a flood of challenges must not block a bot's important
commands. So declines wait in a queue, those for a challenger who floods after all others, and a
challenge that is withdrawn meanwhile needs none. A server keeps at most a hundred challenges to one
player, and so does the queue.
"""

import math
from collections import deque

from ulci.net import TokenBucket
from ulci.protocol.messages import Decline
from ulci_client.recent import Recent

# Declines a second on average, and at once: three fifths of the commands that a server of ours
# allows; the rest is for accepting, for draws and for greetings.
RATE = 3.0
BURST = 60

# Declines of either kind that wait. A server of ours keeps a hundred challenges; of one that sends
# more the rest are not answered.
MOST_WAITING = 1000

# s beyond the moment that the rate allows: a sum of fractions may fall short of it.
ROUNDED = 0.001

# Lines of the log about one challenger a minute; then one line says how many were left out.
LINES = 10
MINUTE = 60.0


class DeclineQueue:
    """The declines that wait to be sent."""

    def __init__(self) -> None:
        self._waiting: deque[Decline] = deque()
        self._late: deque[Decline] = deque()  # of challengers who flood
        self._bucket = TokenBucket(RATE, BURST, 0.0)
        self._next = 0.0

    @property
    def due(self) -> float:
        """When to call `take`; inf: never."""
        return self._next if self._waiting or self._late else math.inf

    def put(self, decline: Decline, *, late: bool = False) -> None:
        """Queue a decline, to be sent as soon as the rate allows, or after all others."""
        queue = self._late if late else self._waiting
        if len(queue) < MOST_WAITING:
            queue.append(decline)

    def gone(self, number: int) -> None:
        """Drop the decline of a challenge that was withdrawn."""
        for queue in (self._waiting, self._late):
            left = [each for each in queue if each.id != number]
            if len(left) < len(queue):
                queue.clear()
                queue.extend(left)

    def clear(self) -> None:
        """Drop all declines: challenges end with the connection."""
        self._waiting.clear()
        self._late.clear()

    def take(self, at: float) -> list[Decline]:
        """Take the declines that may be sent now."""
        taken: list[Decline] = []
        while queue := self._waiting or self._late:
            if wait := self._bucket.take(at, 1.0):
                self._next = at + wait + ROUNDED
                break
            taken.append(queue.popleft())
        return taken


class LineLimit:
    """Which lines about a challenger are logged."""

    def __init__(self) -> None:
        self._since = Recent[str, tuple[float, int]]()  # the minute's begin, and how many lines

    def floods(self, name: str) -> bool:
        """Whether this challenger has caused enough lines this minute."""
        return self._since.get(name, (0.0, 0))[1] >= LINES

    def line(self, name: str, text: str, at: float) -> list[str]:
        """The lines to log now, if the challenger `name` causes this one."""
        lines, quiet = self.flush(at), self.floods(name)
        since, count = self._since.get(name, (at, 0))
        self._since[name] = since, count + 1
        return lines if quiet else [*lines, text]

    def flush(self, at: float) -> list[str]:
        """How many lines the minutes that are over have left out."""
        lines = []
        while self._since:  # in the order of their begins
            name = next(iter(self._since))
            since, count = self._since[name]
            if at - since < MINUTE:
                break
            del self._since[name]
            if count > LINES:
                left_out = count - LINES
                lines.append(
                    f"{left_out} more challenges of {name} were declined within that minute"
                )
        return lines
