"""How long has this process been at it, and how much is it doing? What no conversation tells."""

import time
from typing import NamedTuple

import trio

from .loop_monitor import times_held


class Vitals(NamedTuple):
    """up: s since the start. tasks: how many Trio runs. held: how often something held the loop for
    longer than it may; None: an older server did not count that."""

    up: int = 0
    tasks: int = 0
    held: int | None = None


class Pulse:
    """Feels it whenever it is called; the time counts from here."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self) -> Vitals:
        up = int(time.monotonic() - self._since)
        return Vitals(up, _tasks(trio.lowlevel.current_root_task()), times_held())


def _tasks(task: trio.lowlevel.Task | None) -> int:
    """It and all that run in it."""
    if task is None:
        return 0
    return 1 + sum(_tasks(child) for each in task.child_nurseries for child in each.child_tasks)
