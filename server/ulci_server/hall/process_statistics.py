"""Uptime and task count of this process, as ``admin status`` shows them."""

import time

import trio

from .loop_monitor import times_held


class ProcessStatistics:
    """Reads the statistics when called; ``up`` counts from its creation."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self) -> dict[str, int]:
        """up: s since the start. tasks: how many Trio runs. held: how often something held the loop
        for longer than it may."""
        up = int(time.monotonic() - self._since)
        return {
            "up": up,
            "tasks": _tasks(trio.lowlevel.current_root_task()),
            "held": times_held(),
        }


def _tasks(task: trio.lowlevel.Task | None) -> int:
    """The task and all tasks in its nurseries."""
    if task is None:
        return 0
    return 1 + sum(_tasks(child) for each in task.child_nurseries for child in each.child_tasks)
