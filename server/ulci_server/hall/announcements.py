"""Announcements to everybody in the lobby.

An announcement is queued once; the `Announcer`, one task, sends it to a few listeners at a time.
Any other message to a listener is preceded by the announcements that it has not got yet, so that
everybody reads everything in the order in which it happened.
"""

import math
from collections.abc import Callable, Hashable
from functools import partial
from typing import Protocol

import structlog
import trio

from ulci.protocol import AnnouncedLine, Announcement, Write
from ulci.protocol.messages import Lobby

from .gradual_work import send_gradually

LOG = structlog.get_logger("ulci_server.hall")

AT_A_TIME = 32
"""Listeners between two pauses: half a millisecond's work, most of it the system's."""

BATCH = 256
"""Lines encoded as one, for all listeners that get the same ones."""

MAX_KEPT = 16 * BATCH
"""Lines kept for listeners on hold while they get a list. A listener further behind is
disconnected: it reads its list too slowly."""


class Recipient(Protocol):
    """A connection, as the announcer needs it."""

    announced: Callable[[], tuple[Announcement, ...]]
    """Announcements to be sent before any other message."""

    def tell_announced(self, *announcements: Announcement) -> None:
        """Send them; never waits."""
        ...

    def disconnect(self, why: str) -> None:
        """Close the connection with this reason."""
        ...


def no_announcements() -> tuple[Announcement, ...]:
    """For sessions that do not listen."""
    return ()


class Announcer:
    """Sends announcements. Lines are numbered; the next one of each listener is known."""

    def __init__(self) -> None:
        self._lines: list[AnnouncedLine] = []
        self._writers: dict[Hashable, Write] = {}  # encoders of all listeners, by kind
        self._first = 0  # the number of the first that is kept
        self._next: dict[Recipient, int] = {}
        self._held: dict[Recipient, None] = {}
        self._written: dict[tuple[int, int], Announcement] = {}
        self._told = 0  # lines below it are sent to all who are not on hold
        self._wakeup = trio.Event()

    # Listeners

    def join(self, listener: Recipient) -> None:
        """Send it announcements from now on."""
        self._next[listener] = self._end
        listener.announced = partial(self._take, listener)

    def leave(self, listener: Recipient) -> None:
        """Send it no more."""
        self._next.pop(listener, None)
        self._held.pop(listener, None)
        listener.announced = no_announcements

    def hold(self, listener: Recipient) -> None:
        """Send it nothing until `release`: it gets a list of the present state meanwhile."""
        if listener in self._next:
            self._held[listener] = None

    def release(self, listener: Recipient) -> None:
        """Send it now what was announced meanwhile."""
        if listener in self._held:
            del self._held[listener]
            listener.tell_announced(*self._take(listener))

    # Lines

    @property
    def _end(self) -> int:
        return self._first + len(self._lines)

    def announce(self, line: Lobby) -> None:
        """Queue a line for all listeners. It is encoded now: a listener that gets thousands of
        lines at once needs only their bytes."""
        announced = AnnouncedLine(line)
        for key, write in self._writers.items():
            announced.written(key, write)
        self._lines.append(announced)
        self._wakeup.set()

    def _take(self, listener: Recipient, until: float = math.inf) -> tuple[Announcement, ...]:
        """Lines that it has not got yet, up to number `until`."""
        begin, end = self._next[listener], min(self._end, until)
        if begin >= end or listener in self._held:
            return ()
        end = self._next[listener] = int(end)
        stops = [begin, *range(begin // BATCH * BATCH + BATCH, end, BATCH), end]
        return tuple(map(self._between, stops[:-1], stops[1:]))

    def _between(self, begin: int, end: int) -> Announcement:
        """These lines as one announcement, shared by all listeners that get the same."""
        if (known := self._written.get((begin, end))) is None:
            lines = self._lines[begin - self._first : end - self._first]
            known = self._written[begin, end] = Announcement(lines, self._writers)
        return known

    # Sending

    async def run(self) -> None:
        """Send announcements, for ever."""
        while True:
            await self._wakeup.wait()
            until = min(self._end, self._told + BATCH)
            tell = partial(self._tell, until=until)
            await send_gradually(tell, self._next, AT_A_TIME, "announcements")
            self._told = until
            self._forget()
            if until == self._end:
                self._wakeup = trio.Event()

    def _tell(self, listener: Recipient, until: int) -> None:
        """A bug here ends the listening of one, and nothing else."""
        if listener not in self._next:
            return  # it has left meanwhile
        try:
            listener.tell_announced(*self._take(listener, until))
        except Exception:
            LOG.exception("announcement not sent")
            self.leave(listener)

    def _forget(self) -> None:
        """Drop lines that all listeners have got."""
        for listener in [*self._held]:
            if self._end - self._next[listener] > MAX_KEPT:
                self.leave(listener)
                listener.disconnect("you read a list too slowly; reconnect and ask again")
        told = min((self._next[one] for one in self._held), default=self._told)
        told = min(told, self._told)
        del self._lines[: told - self._first]
        self._first = told
        self._written = {part: text for part, text in self._written.items() if part[0] >= told}
