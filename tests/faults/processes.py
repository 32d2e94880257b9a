"""Processes and their children, and signals to them."""

import os
from contextlib import suppress
from pathlib import Path
from signal import Signals


def send(signal: Signals, *pids: int) -> int:
    """To those that have not ended meanwhile; how many these are."""
    reached = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal)
            reached += 1
    return reached


def children(pid: int) -> list[int]:
    """Those of all its threads; of one that has just ended itself, none."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return found
