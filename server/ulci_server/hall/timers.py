"""One timer for all clocks: a heap and a single task that sleeps until the next alarm."""

import heapq
from collections.abc import Callable
from itertools import count
from math import inf

import trio

from ulci.net.limits import FAIR_TIME
from ulci.net.reader import read_all_arrived

TURNS_TO_READ = round(0.004 / FAIR_TIME)
"""Turns of every socket and of the loop before an alarm rings, in which arrived messages are
handled: over WebSocket one task reads a move and another handles it, TLS may need a second turn,
and a move may come after analysis that takes 4 ms to read."""

ALARMS_AT_A_TIME = 4
"""Alarms that ring between two turns of other tasks, 5 ms of work at most: a thousand games that
began together may be lost on time together, which takes a millisecond each."""

MAX_CANCELLED = 64
"""Cancelled alarms that a small heap may keep: removing them is not worth it."""


def _ignore() -> None:
    """The callback of an alarm whose owner has ended."""


class Alarm:
    """A callback and the moment at which it is due. Setting it again replaces the moment.

    Its owner must `end` it: until then the alarm keeps the owner alive.
    """

    __slots__ = (
        "_alarms",
        "callback",
        "due",
        "queued",
    )

    def __init__(self, alarms: "Alarms", callback: Callable[[], None]) -> None:
        self._alarms = alarms
        self.callback = callback
        self.due = inf
        self.queued = inf

    def set(self, due: float) -> None:
        """Ring at `due` (s, `trio.current_time`); never, if infinite."""
        alarms = self._alarms
        alarms.expected += (due < inf) - (self.due < inf)
        self.due = due
        if due < self.queued:
            self.queued = due
            alarms.queue(due, self)
        if len(alarms.heap) > 2 * alarms.expected + MAX_CANCELLED:
            alarms.compact()

    def cancel(self) -> None:
        self.set(inf)

    def end(self) -> None:
        """Cancel it for ever and release its owner."""
        self.cancel()
        self.callback = _ignore


class Alarms:
    """A postponed alarm keeps its old heap entry and is moved when that entry is reached, so that a
    game of thousands of moves costs one entry and not one a move. A cancelled alarm keeps its
    entry, too, until cancelled ones are the majority: a game of three days a move that was resigned
    at once must not stay for three days."""

    def __init__(self) -> None:
        self.expected = 0
        """Number of alarms that are set."""
        self.heap: list[tuple[float, int, Alarm]] = []
        """Entries by due time; more than alarms that are set."""
        self._order = count()
        self._sleeping_until = -inf
        self._earlier = trio.Event()

    def new(self, callback: Callable[[], None]) -> Alarm:
        """An alarm that is not set yet. `callback` must not raise: nothing catches it."""
        return Alarm(self, callback)

    def queue(self, due: float, alarm: Alarm) -> None:
        """Put an alarm into the heap, and wake the task if it is the earliest."""
        heapq.heappush(self.heap, (due, next(self._order), alarm))
        if due < self._sleeping_until:
            self._earlier.set()

    def __len__(self) -> int:
        """Entries in the heap."""
        return len(self.heap)

    def compact(self) -> None:
        """Rebuild the heap without the entries of cancelled alarms."""
        places, self.heap = self.heap, []
        for queued, order, alarm in places:
            if queued != alarm.queued:
                continue  # it has an earlier entry
            alarm.queued = alarm.due
            if alarm.due < inf:
                self.heap.append((alarm.due, order, alarm))
        heapq.heapify(self.heap)

    async def run(self) -> None:
        """Ring due alarms, for ever."""
        while True:
            self._earlier = trio.Event()
            self._sleeping_until = self.heap[0][0] if self.heap else inf
            with trio.move_on_at(self._sleeping_until):
                await self._earlier.wait()
            self._sleeping_until = -inf
            if self.heap and self.heap[0][0] <= trio.current_time():
                await read_all_arrived(TURNS_TO_READ)
                self._ring(trio.current_time())

    def _ring(self, now: float) -> None:
        """Ring due alarms, at most `ALARMS_AT_A_TIME`."""
        left = ALARMS_AT_A_TIME
        while left and self.heap and self.heap[0][0] <= now:
            queued, _, alarm = heapq.heappop(self.heap)
            if queued != alarm.queued:
                continue  # it was queued again for an earlier moment, which has passed
            alarm.queued = inf
            if alarm.due <= now:
                alarm.due = inf
                self.expected -= 1
                left -= 1
                alarm.callback()
            elif alarm.due < inf:
                alarm.set(alarm.due)
