"""Who is told what everybody is told, without holding anybody else?

An announcement is only written down, once for all; the `Announcer`, one task, tells it to a few at
a time. Whoever is told something else before that hears the announcements first, so that everybody
hears everything in the order in which it happened.
"""

import math
from collections.abc import Callable, Hashable
from functools import partial
from time import perf_counter
from typing import Protocol

import structlog
import trio

from ulci.protocol import AnnouncedLine, Announcement, Write
from ulci.protocol.messages import Lobby

from .loop_monitor import look
from .steps import released
from .turns import Turns

LOG = structlog.get_logger("ulci_server.hall")

AT_A_TIME = 32
"""People told between two rests: half a millisecond's work, most of it the system's."""

REST = 3
"""Times as long as it takes to tell a few is rested before the next few, as for those who watch a
game (`audience.REST`)."""

TOGETHER = 256
"""Lines put together at once, for all who hear the same ones."""

MOST_KEPT = 16 * TOGETHER
"""Lines kept for those who hear none while a list is told to them. Whoever is further behind is
cut off: they take their list too slowly."""


class Listener(Protocol):
    """What an announcer needs of whoever listens."""

    announced: Callable[[], tuple[Announcement, ...]]
    """All that is to be told before anything else."""

    def tell_announced(self, *announcements: Announcement) -> None:
        """Say it; never waits."""
        ...

    def cut(self, why: str) -> None:
        """It cannot be told any more."""
        ...


def nothing() -> tuple[Announcement, ...]:
    """What those are told who do not listen."""
    return ()


class Announcer:
    """Tells everybody. Lines have numbers; of each listener the next one to be told is known."""

    def __init__(self, turns: Turns | None = None) -> None:
        self._turns = turns or Turns()
        self._ticket = self._turns.ticket()
        self._lines: list[AnnouncedLine] = []
        self._writers: dict[Hashable, Write] = {}  # of all who listen, by kind
        self._first = 0  # the number of the first that is kept
        self._next: dict[Listener, int] = {}
        self._held: dict[Listener, None] = {}
        self._written: dict[tuple[int, int], Announcement] = {}
        self._told = 0  # all who are not held have been told what came before that number
        self._something = trio.Event()

    # Who listens

    def join(self, listener: Listener) -> None:
        """It hears what is announced from now on."""
        self._next[listener] = self._end
        listener.announced = partial(self._take, listener)

    def part(self, listener: Listener) -> None:
        """It hears nothing more."""
        self._next.pop(listener, None)
        self._held.pop(listener, None)
        listener.announced = nothing

    def hold(self, listener: Listener) -> None:
        """Until `release` it hears nothing: it is told how things stand at this moment."""
        if listener in self._next:
            self._held[listener] = None

    def release(self, listener: Listener) -> None:
        """It hears now what was announced meanwhile."""
        if listener in self._held:
            del self._held[listener]
            listener.tell_announced(*self._take(listener))

    # What is told

    @property
    def _end(self) -> int:
        return self._first + len(self._lines)

    def announce(self, line: Lobby) -> None:
        """Everybody who listens is to be told. It is written now: who is told thousands of lines
        at once needs only their bytes."""
        announced = AnnouncedLine(line)
        for key, write in self._writers.items():
            announced.written(key, write)
        self._lines.append(announced)
        self._something.set()

    def _take(self, listener: Listener, until: float = math.inf) -> tuple[Announcement, ...]:
        """What it has not been told, up to the line of that number."""
        begin, end = self._next[listener], min(self._end, until)
        if begin >= end or listener in self._held:
            return ()
        end = self._next[listener] = int(end)
        stops = [begin, *range(begin // TOGETHER * TOGETHER + TOGETHER, end, TOGETHER), end]
        return tuple(map(self._between, stops[:-1], stops[1:]))

    def _between(self, begin: int, end: int) -> Announcement:
        """These lines, as one for all who are told the same ones."""
        if (known := self._written.get((begin, end))) is None:
            lines = self._lines[begin - self._first : end - self._first]
            known = self._written[begin, end] = Announcement(lines, self._writers)
        return known

    # When

    async def run(self) -> None:
        """Tell what is announced, for ever."""
        while True:
            await self._something.wait()
            await self._take_turn()
            until = min(self._end, self._told + TOGETHER)
            await self._tell_all(until)
            self._told = until
            self._forget()
            if until == self._end:
                self._something = trio.Event()

    async def _tell_all(self, until: int) -> None:
        began = trio.current_time()
        working = perf_counter()
        for number, listener in enumerate(released(self._next), 1):
            self._tell(listener, until)
            if number % AT_A_TIME == 0:
                look(working, "announcements")
                await trio.sleep(REST * (trio.current_time() - began))
                await self._take_turn()
                began, working = trio.current_time(), perf_counter()

    async def _take_turn(self) -> None:
        await self._turns.take(self._ticket)
        self._ticket = self._turns.ticket()

    def _tell(self, listener: Listener, until: int) -> None:
        """A bug behind this door is one listener's."""
        if listener not in self._next:
            return  # gone meanwhile
        try:
            listener.tell_announced(*self._take(listener, until))
        except Exception:
            LOG.exception("announcement not told")
            self.part(listener)

    def _forget(self) -> None:
        """What all have been told."""
        for listener in [*self._held]:
            if self._end - self._next[listener] > MOST_KEPT:
                self.part(listener)
                listener.cut("takes a list too slowly; ask for it again on another line")
        told = min((self._next[one] for one in self._held), default=self._told)
        told = min(told, self._told)
        del self._lines[: told - self._first]
        self._first = told
        self._written = {part: text for part, text in self._written.items() if part[0] >= told}
