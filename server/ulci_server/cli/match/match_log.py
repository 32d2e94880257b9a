"""The log of a match: what it prints and does, and all that its engines say and hear.

    [INFO  ] [19:04:30.735978] <                    > ulci-server --- Started game 1 of 2 (A vs B)
    [Engine] [19:04:30.999628] <                4711>  A ---> uciok
    [Engine] [19:04:31.000167] <                4712>  B <--- isready

It has the columns of other runners: a level, the time of day, a number (of the engine's process),
and what happened. A thread writes: the match never waits for the disk.
"""

import gzip
import queue
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from time import time
from typing import IO, NamedTuple

from ulci.wire_log import Event, Note, split_lines

from .settings import LogOutput
from .values import MatchError

PROGRAM = "ulci-server"

LABELS = {"trace": "TRACE", "info": "INFO", "warn": "WARN", "err": "ERR", "fatal": "FATAL"}
"""By the levels, the least serious first."""

_LEVELS = [*LABELS]

_COLUMNS: Mapping[str, str] = {
    "said": " {} <--- ",
    "heard": " {} ---> ",
    "stderr": " <stderr> {} ---> ",
}
"""What stands before a line that an engine hears, says, or writes to its standard error."""

CAPACITY = 32 * 1024 * 1024
"""Bytes that may wait to be written."""

ENTRY_BYTES = 150
"""What an entry takes besides its text, while it waits."""

GATHER = 0.05
"""Seconds in which entries gather before they are written."""

LAST_WRITE = 5.0
"""Seconds that the disk has for what is left at the end."""


class _Entry(NamedTuple):
    """label, number: the first and the third column. before: each line of the text."""

    at: float
    label: str
    number: str
    before: str
    text: str | bytes


class MatchLog:
    """`on_end` is told why when nothing more can be written, once and from another thread; the
    match goes on without a log.

    Raises:
        MatchError: the file cannot be opened.
    """

    def __init__(self, output: LogOutput, on_end: Callable[[str], object]) -> None:
        assert output.file is not None
        self.path = _named(output.file, compressed=output.compress)
        self._least = _LEVELS.index(output.level)
        self._realtime = output.realtime
        self._on_end = on_end
        self._file = _opened(self.path, append=output.append, compressed=output.compress)
        self._queue = queue.SimpleQueue[_Entry | None]()
        self._put = self._taken = self._dropped = 0
        self._over = False
        self._closing = threading.Event()
        # A daemon: a write may hang when the process ends.
        self._thread = threading.Thread(target=self._run, name="match log", daemon=True)
        self._thread.start()

    def tell(self, level: str, text: str) -> None:
        """Note what happened, if that level is asked for."""
        if _LEVELS.index(level) >= self._least:
            self._note(_Entry(time(), LABELS[level], "", f"{PROGRAM} --- ", text))

    def printed(self, text: str) -> None:
        """Note what is printed, at the level that it begins with."""
        self.tell(_level(text), text)

    def listener(self, name: str, number: int) -> Note:
        """Notes the lines of an engine's process of that number, whatever the level."""
        columns = {event: column.format(name) for event, column in _COLUMNS.items()}

        def note(event: Event, text: str | bytes = "", game: int = 0) -> None:  # noqa: ARG001
            if event in columns:
                self._note(_Entry(time(), "Engine", str(number), columns[event], text))

        return note

    def close(self) -> None:
        """Write what is left."""
        self._over = True
        self._closing.set()
        self._queue.put(None)
        self._thread.join(LAST_WRITE)

    def _note(self, entry: _Entry) -> None:
        """Never waits: what finds no room is dropped, and counted."""
        if self._over:
            return
        if self._put - self._taken > CAPACITY:
            self._dropped += 1
            return
        if self._dropped:
            missing = f"{self._dropped} entries are missing here"
            self._dropped = 0
            self._note(_Entry(time(), "WARN", "", f"{PROGRAM} --- ", missing))
        self._put += len(entry.text) + ENTRY_BYTES
        self._queue.put(entry)

    # In the thread

    def _run(self) -> None:
        try:
            with self._file:
                while self._write_some():
                    self._closing.wait(GATHER)
        except OSError as error:
            self._over = True
            self._on_end(error.strerror or str(error))

    def _write_some(self) -> bool:
        """Wait for entries, and write those that are there. False: there will be no more."""
        taken = self._queue.get()
        while taken is not None:
            self._file.write(_lines(taken).encode(errors="backslashreplace"))
            self._taken += len(taken.text) + ENTRY_BYTES
            if self._queue.empty():
                if self._realtime:
                    self._file.flush()
                return True
            taken = self._queue.get()
        return False


def _lines(entry: _Entry) -> str:
    """As they stand in the file; what is said at once may be many lines."""
    at = datetime.fromtimestamp(entry.at)  # noqa: DTZ006 - the time of day, for the user there
    stamp = f"[{entry.label:<6}] [{at:%H:%M:%S.%f}] <{entry.number:>20}> "
    text = entry.text
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace")
    return "".join(f"{stamp}{entry.before}{line}\n" for line in split_lines(text))


def _level(text: str) -> str:
    """Of what is printed."""
    for word, level in (("Warning", "warn"), ("Fatal", "fatal"), ("Error", "err")):
        if text.startswith(word):
            return level
    return "info"


def _named(path: Path, *, compressed: bool) -> Path:
    """A compressed file is not added to: its name has the time."""
    if not compressed:
        return path
    now = datetime.now()  # noqa: DTZ005 - as the times in it
    return path.with_name(f"{path.name}{now:%Y-%m-%dT.%H.%M.%S}.gz")


def _opened(path: Path, *, append: bool, compressed: bool) -> IO[bytes]:
    try:
        if compressed:
            return gzip.open(path, "wb")  # type: ignore[return-value]  # it is one of bytes
        return path.open("ab" if append else "wb")
    except OSError as error:
        raise MatchError(f"Failed to open log file {path}: {error.strerror}") from None
