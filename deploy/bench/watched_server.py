"""``watched_server.py serve …`` is ``ulci-server serve …`` whose event loop is watched.

Every step of every task is measured by the time that the thread worked. Each that took longer than
`BUDGET` is a line on standard error; SIGUSR1 asks for the longest since it was asked last, and for
the longest turn of the loop: the steps of all tasks that were ready together, before anything is
read. What the host of a virtual machine took from a step meanwhile looks like work, and is taken
off.
"""

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic, thread_time

import trio

from ulci_server.cli import main
from ulci_server.hall import loop_monitor

FACTOR = 2.5
"""Times the budget of an ordinary machine: one that does other things has slower processors."""

BUDGET = FACTOR * loop_monitor.BUDGET

HELD = "A STEP HELD THE LOOP"

LONGEST = "THE LONGEST STEP"

TURN = "THE LONGEST TURN"

FOR_SURE = 0.1
"""Seconds that a step takes on no machine unless it is too long."""

NOT_MEANT = ("_serve", "collect_garbage")
"""Tasks that may: the main task only starts the server, before anybody is there, and ends it; and a
full collection waits until no game runs."""

LOOK = 0.5
"""Seconds between two looks at what the host took."""

_STAT = Path("/proc/stat")
_STEAL = 8  # the column of the line ``cpu`` in it (proc(5)), in ticks


def stolen() -> float:
    """Seconds that the host took from all processors so far; 0 where the system does not tell."""
    try:
        fields = _STAT.read_text().partition("\n")[0].split()
        return int(fields[_STEAL]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


class StepMonitor(trio.abc.Instrument):
    """Tells which task held the loop, for how long, and where it waits now."""

    def __init__(self, stolen: Callable[[], float] = stolen) -> None:
        self._began = 0.0
        self._longest = 0.0
        self._whose = "-"
        self._turn_began = thread_time()
        self._longest_turn = 0.0
        self._ask_stolen = stolen
        self._stolen = stolen()
        self._next_look = 0.0

    def before_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        self._longest_turn = max(self._longest_turn, thread_time() - self._turn_began)
        if monotonic() > self._next_look:
            self._stolen = self._ask_stolen()
            self._next_look = monotonic() + LOOK

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 (Trio's)
        self._turn_began = thread_time()

    def before_task_step(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 (Trio's)
        self._began = thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        worked = thread_time() - self._began
        if worked < loop_monitor.MIN_NOTED or task.coro.__name__ in NOT_MEANT:
            return
        if worked > loop_monitor.BUDGET:
            worked -= self._ask_stolen() - self._stolen
        if worked > self._longest:
            self._longest, self._whose = worked, task.name
        if worked > BUDGET:
            frames = task.iter_await_frames()
            where = " ".join(f"{frame.f_code.co_name}:{line}" for frame, line in frames)
            sys.stderr.write(f"{HELD} {1000 * worked:.1f} ms: {task.name}, {where}\n")

    def tell_longest(self, *_: object) -> None:
        """As a signal's handler."""
        longest, turn = f"{1000 * self._longest:.3f} ms", f"{1000 * self._longest_turn:.3f} ms"
        sys.stderr.write(f"{LONGEST} {longest}, {TURN} {turn}: {self._whose}\n")
        sys.stderr.flush()
        self._longest, self._whose, self._longest_turn = 0.0, "-", 0.0


def held_steps(log: str) -> list[str]:
    """The lines of a server's log that say what held its loop, by this instrument. The server's own
    word cannot tell what the host took."""
    return [line for line in log.splitlines() if line.startswith(HELD)]


def held_loop(*logs: str) -> list[str]:
    """Those of tasks that are to blame. One that held a loop once, and shorter than `FOR_SURE`, is
    not: pages of memory that a virtual machine's host is slow to give look like work. A defect
    recurs."""
    steps = [line for log in logs for line in held_steps(log)]
    times = Counter(map(_task, steps))
    return [line for line in steps if times[_task(line)] > 1 or _seconds(line) > FOR_SURE]


def _task(line: str) -> str:
    return line.partition(" ms: ")[2].partition(",")[0]


def _seconds(line: str) -> float:
    return float(line.removeprefix(HELD).split()[0]) / 1000


if __name__ == "__main__":
    monitor = StepMonitor()
    signal.signal(signal.SIGUSR1, monitor.tell_longest)
    trio.run = partial(trio.run, instruments=[monitor])
    main(prog_name="ulci-server")
