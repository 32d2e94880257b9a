"""Processes and their children, and signals to them."""

import os
from contextlib import suppress
from pathlib import Path
from signal import Signals

from ulci.net.orphans import ARGV


def send(signal: Signals, *pids: int) -> int:
    """To those that have not ended meanwhile; how many these are."""
    reached = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal)
            reached += 1
    return reached


def children(pid: int | str) -> list[int]:
    """Those of all its threads, but for the guards that would kill them without it, and for the
    process that `forks` are made of; of one that has just ended itself, none."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text().split())
    return [child for child in found if not _is_guard(child)]


def argv(pid: int) -> list[str]:
    """What it was started with; of one that has ended, nothing."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0").split("\0")
    return []


def lives(pid: int) -> bool:
    """Whether a process runs. A zombie, for which nobody has waited yet, does not."""
    with suppress(OSError):  # also when it goes between the opening and the reading of its file
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX"
    return False


def parent(pid: int) -> int:
    """The process whose child it is; 0 if it has ended."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.partition("\nPPid:")[2].split(maxsplit=1)[0])
    return 0


def with_word(word: str) -> list[int]:
    """All processes that were started with a word that contains this."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return [pid for pid in pids if pid != os.getpid() and any(word in each for each in argv(pid))]


def _is_guard(pid: int) -> bool:
    words = argv(pid)
    return words == [*ARGV] or words[1:3] == ["-m", "tests.support.forks"]
