"""What holds the event loop.

Trio runs all games in one thread: while it works for one of them, all others wait. Whoever deals
with a message, an event of a game, an alarm or a list calls `look` when it is done, and what took
longer than `BUDGET` is in the log by its name. Time that the system gave to other processes
meanwhile is not counted.
"""

import math
from collections.abc import Callable
from time import perf_counter, thread_time
from typing import NamedTuple

import structlog
import trio

LOG = structlog.get_logger("ulci_server.loop")

BUDGET = 0.010
"""Seconds of work without a pause that are one too many: an opponent's move waits as long."""

GLANCE = 0.001
"""Seconds below which nobody asks further: nearly all work is done by then."""

REPORT_INTERVAL = 60.0
"""Seconds between two lines of the log."""


HELD = "the loop was held"
"""The event in the log; `times` counts those since the last such line, of which it is the worst."""


class Held(NamedTuple):
    """Something held the loop: what it was, of whom, and for how long (s)."""

    what: str
    whose: str
    seconds: float


class LoopMonitor(trio.abc.Instrument):
    """Of one Trio run, to which it is to be added as an instrument.

    `wall` and `cpu` tell the time of the machine and of this thread, in s.
    """

    def __init__(
        self,
        wall: Callable[[], float] = perf_counter,
        cpu: Callable[[], float] = thread_time,
    ) -> None:
        self.times_held = 0
        """How often since the start."""
        self._wall = wall
        self._cpu = cpu
        self._worked = cpu()  # by this thread until the last moment that is known
        self._unreported = 0
        self._worst: Held | None = None  # of those that are not in the log
        self._next_report = -math.inf

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        """The loop has waited; work begins."""
        self._worked = self._cpu()

    def look(self, began: float, what: str, whose: str = "") -> None:
        """What began at `began` (s, `wall`) is done, and took longer than `GLANCE`.

        It worked no longer than this thread did since that was asked last: whoever was interrupted
        by another process is not blamed for it.
        """
        worked = self._cpu()
        seconds = min(self._wall() - began, worked - self._worked)
        self._worked = worked
        if seconds <= BUDGET:
            return
        self.times_held += 1
        self._unreported += 1
        if self._worst is None or seconds > self._worst.seconds:
            self._worst = Held(what, whose, seconds)
        self.report()

    def report(self) -> None:
        """Log the worst that is not in the log yet, at most once in `REPORT_INTERVAL`."""
        now = self._wall()
        if self._worst is None or now < self._next_report:
            return
        what, whose, seconds = self._worst
        LOG.warning(
            HELD, what=what, whose=whose, ms=round(1000 * seconds, 1), times=self._unreported
        )
        self._next_report = now + REPORT_INTERVAL
        self._unreported, self._worst = 0, None


_MONITOR: trio.lowlevel.RunVar[LoopMonitor | None] = trio.lowlevel.RunVar("loop monitor")


def watch_loop() -> LoopMonitor:
    """From now on what holds this loop is known."""
    monitor = LoopMonitor()
    trio.lowlevel.add_instrument(monitor)
    _MONITOR.set(monitor)
    return monitor


def look(began: float, what: str, *whose: object) -> None:
    """What began at `began` (s, `perf_counter`) is done. Nothing happens where nobody called
    `watch_loop`."""
    if perf_counter() - began > GLANCE and (monitor := _MONITOR.get(None)) is not None:
        monitor.look(began, what, " ".join(map(str, whose)))


def times_held() -> int:
    """How often something held this loop since `watch_loop`."""
    monitor = _MONITOR.get(None)
    return 0 if monitor is None else monitor.times_held
