"""One timer for all clocks: a heap and a single task that sleeps until the next alarm."""

import heapq
from collections.abc import Callable
from itertools import count
from math import inf

import trio

from ulci.net.limits import FAIR_TIME

from .turns import Turns

TURNS_TO_READ = round(0.004 / FAIR_TIME)
"""Turns of the loop in which what has come is heard before an alarm rings: over WebSocket a move is
read by one task and heard by another, TLS may need a second turn, and a move may come behind
analysis that takes 4 ms to read."""

RUNG_AT_A_TIME = 4
"""Alarms that ring between two chances for other tasks, 5 ms of work at most: a thousand games that
began together may be lost on time together, which takes a millisecond each."""

SPARE = 64
"""Cancelled alarms that may keep their places in a small heap: clearing it away is not worth it."""


def _nothing() -> None:
    """The owner has ended."""


class Alarm:
    """A callback and the moment at which it is due. Setting it again replaces the moment.

    Whoever owns one ends it with itself: until then an alarm keeps its owner alive.
    """

    def __init__(self, alarms: "Alarms", callback: Callable[[], None]) -> None:
        self._alarms = alarms
        self.callback = callback
        self.due = inf
        self.queued = inf

    def set(self, due: float) -> None:
        """Ring at `due` (s, `trio.current_time`); never, if infinite."""
        self._alarms.expected += (due < inf) - (self.due < inf)
        self.due = due
        if due < self.queued:
            self.queued = due
            self._alarms.queue(due, self)
        self._alarms.clear_away()

    def cancel(self) -> None:
        self.set(inf)

    def end(self) -> None:
        """Cancel it for ever, and let go of its owner."""
        self.cancel()
        self.callback = _nothing


class Alarms:
    """An alarm that is put off keeps its old place in the heap and is moved when that place comes,
    so that a game of thousands of moves costs one entry and not one entry a move. One that is
    cancelled keeps its place, too, until there are more of those than of the others: the game of
    three days a move that was resigned at once must not stay for three days."""

    def __init__(self, turns: Turns | None = None) -> None:
        self.expected = 0
        """How many alarms are set."""
        self._heap: list[tuple[float, int, Alarm]] = []
        self._order = count()
        self._sleeping_until = -inf
        self._earlier = trio.Event()
        self._turns = turns or Turns()
        self._ticket = self._turns.ticket()

    def new(self, callback: Callable[[], None]) -> Alarm:
        """An alarm that is not set yet. `callback` must not raise: nobody could answer for it."""
        return Alarm(self, callback)

    def queue(self, due: float, alarm: Alarm) -> None:
        """Put an alarm into the heap, and wake the sleeper if it is the earliest."""
        heapq.heappush(self._heap, (due, next(self._order), alarm))
        if due < self._sleeping_until:
            self._earlier.set()

    def __len__(self) -> int:
        """Places taken in the heap."""
        return len(self._heap)

    def clear_away(self) -> None:
        """Give every alarm that is set one place, and the others none, once most places are in
        vain."""
        if len(self._heap) <= 2 * self.expected + SPARE:
            return
        places, self._heap = self._heap, []
        for queued, order, alarm in places:
            if queued != alarm.queued:
                continue  # it has an earlier place
            alarm.queued = alarm.due
            if alarm.due < inf:
                self._heap.append((alarm.due, order, alarm))
        heapq.heapify(self._heap)

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
                await self._turns.take(self._ticket)
                self._ticket = self._turns.ticket()
                self._ring(trio.current_time())

    async def _let_others_read(self) -> None:
        """What has come before an alarm is due is heard before it rings, however late we look."""
        for _ in range(TURNS_TO_READ):
            await trio.lowlevel.checkpoint()

    def _ring(self, now: float) -> None:
        """As many of those that are due as may ring at a time."""
        left = RUNG_AT_A_TIME
        while left and self._heap and self._heap[0][0] <= now:
            queued, _, alarm = heapq.heappop(self._heap)
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
