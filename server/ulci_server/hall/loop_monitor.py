"""Logs what holds the event loop, and the statistics of the process.

Trio runs all games in one thread: while it works for one, all others wait. The handlers of
messages, game events, alarms and lists call `note_duration` when they are done, and whatever took
longer than `BUDGET` is logged by name. Time that the system gave to other processes is not counted.
"""

import math
import time
from collections.abc import Callable
from time import perf_counter, thread_time
from typing import NamedTuple

import structlog
import trio

LOG = structlog.get_logger("ulci_server.loop")

BUDGET = 0.010
"""Seconds of work without a pause above which it is logged: an opponent's move waits as long."""

MIN_NOTED = 0.001
"""Seconds below which a duration is not examined: nearly all work is shorter."""

SAMPLE = 0.002
"""Seconds between two readings of the thread's CPU time when the loop has waited. A reading is a
system call, and readings were a tenth of a busy server's work; by so much may a duration be too
long."""

REPORT_INTERVAL = 60.0
"""Seconds between two log lines."""


HELD = "the loop was held"
"""The log event; `times` counts those since the last such line, and the worst is shown."""


class Held(NamedTuple):
    """What held the loop, for whom, and for how long (s)."""

    what: str
    whose: str
    seconds: float


class LoopMonitor(trio.abc.Instrument):
    """An instrument of one Trio run, which has `tasks` at its creation.

    `wall` and `cpu` read the time of the machine and the CPU time of this thread, in s.
    """

    def __init__(
        self,
        wall: Callable[[], float] = perf_counter,
        cpu: Callable[[], float] = thread_time,
        *,
        tasks: int = 0,
    ) -> None:
        self.tasks = tasks
        """Tasks that Trio runs. To count them would take 14 ms with 10,000 connections."""
        self.times_held = 0
        """Count since the start."""
        self._wall = wall
        self._cpu = cpu
        self._worked = cpu()  # by this thread until the last moment that is known
        self._asked = wall()  # when that was
        self._unreported = 0
        self._worst: Held | None = None  # of those that are not in the log
        self._next_report = -math.inf

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        """Called by Trio when work begins after a wait."""
        now = self._wall()
        if now - self._asked > SAMPLE:
            self._asked, self._worked = now, self._cpu()

    def task_spawned(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 (Trio's)
        """Called by Trio."""
        self.tasks += 1

    def task_exited(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 (Trio's)
        """Called by Trio."""
        self.tasks -= 1

    def note_duration(self, began: float, what: str, whose: str = "") -> None:
        """Work that began at `began` (s, `wall`) is done, and took longer than `MIN_NOTED`.

        Counts at most the CPU time of this thread since its last reading, so that an interruption
        by another process is not counted.
        """
        now, worked = self._wall(), self._cpu()
        seconds = min(now - began, worked - self._worked)
        self._asked, self._worked = now, worked
        if seconds <= BUDGET:
            return
        self.times_held += 1
        self._unreported += 1
        if self._worst is None or seconds > self._worst.seconds:
            self._worst = Held(what, whose, seconds)
        self.report()

    def report(self) -> None:
        """Log the worst unreported one, at most once in `REPORT_INTERVAL`."""
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
    """Begin to monitor this loop."""
    monitor = LoopMonitor(tasks=_tasks(trio.lowlevel.current_root_task()))
    trio.lowlevel.add_instrument(monitor)
    _MONITOR.set(monitor)
    return monitor


def note_duration(began: float, what: str, *whose: object) -> None:
    """Work that began at `began` (s, `perf_counter`) is done. No effect without `watch_loop`."""
    if perf_counter() - began > MIN_NOTED and (monitor := _MONITOR.get(None)) is not None:
        monitor.note_duration(began, what, " ".join(map(str, whose)))


def times_held() -> int:
    """How often this loop was held since `watch_loop`."""
    monitor = _MONITOR.get(None)
    return 0 if monitor is None else monitor.times_held


class ProcessStatistics:
    """Reads the statistics when called; ``up`` counts from its creation."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self) -> dict[str, int]:
        """up: s since the start. tasks: how many Trio runs. held: how often something held the loop
        for longer than it may. Both are 0 where nobody watches it."""
        monitor = _MONITOR.get(None)
        return {
            "up": int(time.monotonic() - self._since),
            "tasks": 0 if monitor is None else monitor.tasks,
            "held": times_held(),
        }


def _tasks(task: trio.lowlevel.Task | None) -> int:
    """The task and all tasks in its nurseries."""
    if task is None:
        return 0
    return 1 + sum(_tasks(child) for each in task.child_nurseries for child in each.child_tasks)
