"""One timer for all clocks: a heap and a single task that sleeps until the next alarm."""

import heapq
from collections.abc import Callable
from itertools import count
from math import inf

import trio

READERS = 4
"""Tasks in a row through which a move may have to pass from the socket to its table: over WebSocket
it is read by one and heard by another, and TLS may need a second turn."""


class Alarm:
    """A callback and the moment at which it is due. Setting it again replaces the moment."""

    def __init__(self, alarms: "Alarms", callback: Callable[[], None]) -> None:
        self._alarms = alarms
        self.callback = callback
        self.due = inf
        self.queued = inf

    def set(self, due: float) -> None:
        """Ring at `due` (s, `trio.current_time`); never, if infinite."""
        self.due = due
        if due < self.queued:
            self.queued = due
            self._alarms.queue(due, self)

    def cancel(self) -> None:
        self.due = inf


class Alarms:
    """An alarm that is put off keeps its old place in the heap and is moved when that place comes,
    so that a game of thousands of moves costs one entry and not one entry a move."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Alarm]] = []
        self._order = count()
        self._sleeping_until = -inf
        self._earlier = trio.Event()

    def new(self, callback: Callable[[], None]) -> Alarm:
        """An alarm that is not set yet. `callback` must not raise: nobody could answer for it."""
        return Alarm(self, callback)

    def queue(self, due: float, alarm: Alarm) -> None:
        """Put an alarm into the heap, and wake the sleeper if it is the earliest."""
        heapq.heappush(self._heap, (due, next(self._order), alarm))
        if due < self._sleeping_until:
            self._earlier.set()

    async def run(self) -> None:
        """Ring what is due, for ever."""
        while True:
            self._earlier = trio.Event()
            self._sleeping_until = self._heap[0][0] if self._heap else inf
            with trio.move_on_at(self._sleeping_until):
                await self._earlier.wait()
            self._sleeping_until = -inf
            if self._heap and self._heap[0][0] <= trio.current_time():
                await self._let_others_read()
                self._ring(trio.current_time())

    async def _let_others_read(self) -> None:
        """What has come before an alarm is due is heard before it rings, however late we look."""
        for _ in range(READERS):
            await trio.lowlevel.checkpoint()

    def _ring(self, now: float) -> None:
        while self._heap and self._heap[0][0] <= now:
            queued, _, alarm = heapq.heappop(self._heap)
            if queued != alarm.queued:
                continue  # it was queued again for an earlier moment, which has passed
            alarm.queued = inf
            if alarm.due <= now:
                alarm.due = inf
                alarm.callback()
            elif alarm.due < inf:
                alarm.set(alarm.due)
