"""``counted_server.py serve …`` is ``ulci-server serve …`` that counts calls of Python functions.

SIGUSR1 begins the count, SIGUSR2 ends it and writes it to standard error: `COUNTED` and a JSON
object. Each resumption of a coroutine is a call. Load on the machine does not change these figures.
"""

import json
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import chess
import trio

import ulci
import ulci_server
from ulci_server.cli import main

COUNTED = "CALLS COUNTED"

ROOMS = ("game", "hall", "lobby", "storage", "net", "protocol", "rules", "chess", "trio", "other")
"""Packages of ours by their last name, two libraries, and all else."""

MOST = 20
"""Functions that are named."""

FOLDERS = {
    **{
        f"{Path(str(package.__file__)).parent}/{room}/": room
        for package in (ulci, ulci_server)
        for room in ROOMS
    },
    **{f"{Path(str(library.__file__)).parent}/": library.__name__ for library in (chess, trio)},
}


def room_of(path: str) -> str:
    """Of the file of a function."""
    return next((room for folder, room in FOLDERS.items() if path.startswith(folder)), "other")


class CallCounter:
    """Counts in the thread of the loop, which begins it, and in threads that begin later."""

    def __init__(self) -> None:
        self._on = False
        self._loop: Counter[CodeType] = Counter()
        self._threads: Counter[CodeType] = Counter()
        threading.setprofile(self._count_in_thread)

    def begin(self, *_: object) -> None:
        """As a signal's handler."""
        self._loop.clear()
        self._threads.clear()
        self._on = True
        sys.setprofile(self._count_in_loop)

    def end(self, *_: object) -> None:
        """As a signal's handler."""
        self._on = False
        sys.setprofile(None)
        named: Counter[str] = Counter()
        for code, calls in self._loop.items():
            named[f"{room_of(code.co_filename)}: {code.co_qualname}"] += calls
        found = {
            "loop": by_room(self._loop),
            "threads": by_room(self._threads),
            "most": dict(named.most_common(MOST)),
        }
        sys.stderr.write(f"{COUNTED} {json.dumps(found)}\n")

    def _count_in_loop(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self._loop[frame.f_code] += 1

    def _count_in_thread(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and self._on:
            self._threads[frame.f_code] += 1


def by_room(calls: "Counter[CodeType]") -> dict[str, int]:
    rooms = dict.fromkeys(ROOMS, 0)
    for code, number in calls.items():
        rooms[room_of(code.co_filename)] += number
    return rooms


if __name__ == "__main__":
    counter = CallCounter()
    signal.signal(signal.SIGUSR1, counter.begin)
    signal.signal(signal.SIGUSR2, counter.end)
    main(prog_name="ulci-server")
