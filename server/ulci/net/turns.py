"""Turns, in which many waiting tasks go on one after another, and steps, in which one task works.

``trio.Event.set()`` lets all its waiters run in one turn of the loop, before anything else is read:
a thousand of them, a third of a millisecond each, hold everybody up for 0.3 s. Here one goes on in
a turn of the loop, and after every `PASS` of work all of them rest.
"""

import math
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter, thread_time
from typing import NoReturn

import trio

PASS = 0.002
"""Seconds of work of the loop's thread between two rests."""

LONGEST_REST = 0.02
"""Seconds of a rest, however long a task held the loop before it."""


IS_KNOWN = ContextVar("IS_KNOWN", default=False)
"""Whether this task works for an address that is known or exempt (`Gate.has_kept_places`)."""


class Turns:
    """The turns of one crowd. rest_factor: how many times longer a rest takes than the work before
    it.

    Strangers stand in one queue and all who are known in another. The first of both take turns, so
    that a crowd of strangers keeps nobody waiting whom the server knows.
    """

    def __init__(self, rest_factor: float = 3.0) -> None:
        """By default the crowd gets a quarter of the loop."""
        self._rest_factor = rest_factor
        self._strangers, self._known = trio.StrictFIFOLock(), trio.StrictFIFOLock()
        self._order = trio.StrictFIFOLock()  # of the first of each queue
        self._rested = thread_time()
        self._last = 0.0

    async def take(self) -> None:
        """Wait for one's turn, which lasts until the next wait for anything. First come, first
        served, in each of the queues."""
        async with self._known if IS_KNOWN.get() else self._strangers, self._order:
            worked = thread_time() - self._rested
            if perf_counter() - self._last > self._rest_factor * PASS:  # nobody came meanwhile
                self._rested = thread_time()
            elif worked > PASS:
                await trio.sleep(min(self._rest_factor * worked, LONGEST_REST))
                self._rested = thread_time()
            self._last = perf_counter()


class Steps:
    """Long work of one task, which lets others in after every `pieces` of it, or after `seconds`.

    rest_factor: how many times longer than the work a rest takes. note: called after each step with
    the time at which it began (s, `perf_counter`). shielded: whether the work must not be cancelled
    between two steps; then it does not rest.
    """

    def __init__(
        self,
        pieces: float = math.inf,
        seconds: float = math.inf,
        *,
        rest_factor: float = 0.0,
        note: Callable[[float], None] | None = None,
        shielded: bool = False,
    ) -> None:
        self._pieces, self._seconds = pieces, seconds
        self._rest_factor, self._note, self._shielded = rest_factor, note, shielded
        self.begin()

    def begin(self) -> None:
        """A step begins: the task has just waited for something."""
        self._left, self._began = self._pieces, perf_counter()
        self._since = trio.current_time() if self._rest_factor else 0.0

    async def done(self) -> None:
        """A piece is done."""
        self._left -= 1
        if self._left > 0 and perf_counter() - self._began <= self._seconds:
            return
        if self._note is not None:
            self._note(self._began)
        if self._rest_factor:
            await trio.sleep(self._rest_factor * (trio.current_time() - self._since))
        elif self._shielded:
            await trio.lowlevel.cancel_shielded_checkpoint()
        else:
            await trio.lowlevel.checkpoint()
        self.begin()


class GradualEvent:
    """An event after which its waiters go on in turns."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._waiting = trio.lowlevel.ParkingLot()
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        self._waiting.unpark()

    async def wait(self) -> None:
        """Wait until it is set, and then for one's turn."""
        if not self._is_set:
            await self._waiting.park()
        try:
            await self._turns.take()
        finally:  # who goes on wakes the next, also if it is cancelled
            self._waiting.unpark()


class Delay:
    """Calls functions `seconds` after they were given, unless they are forgotten before: each at
    most once, and in turns, as deadlines of a thousand would all pass in one turn of the loop.

    The turns are its own: in those of a crowd that comes on and on, it would fall behind for ever.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._turns = Turns()
        self._due: OrderedDict[Callable[[], None], float] = OrderedDict()
        self._more = trio.Event()

    def __len__(self) -> int:
        """Functions that are yet to be called."""
        return len(self._due)

    def call(self, function: Callable[[], None]) -> None:
        """Call it later; if it is to be called already, then."""
        self._due.setdefault(function, trio.current_time() + self._seconds)
        self._more.set()

    def forget(self, function: Callable[[], None]) -> None:
        """Do not call it. Does nothing if it is not to be called."""
        self._due.pop(function, None)

    async def run(self) -> NoReturn:
        """For ever."""
        while True:
            await self._more.wait()
            while self._due:
                await trio.sleep_until(self._first_at())
                await self._turns.take()
                if self._due and self._first_at() <= trio.current_time():
                    function, _ = self._due.popitem(last=False)
                    function()
            self._more = trio.Event()

    def _first_at(self) -> float:
        """When the next is to be called."""
        return next(iter(self._due.values()))
