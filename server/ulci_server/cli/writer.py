"""Write to a file descriptor without ever waiting for it.

A pipe that nobody reads, a terminal that was stopped (Ctrl-S) and a slow disk make whoever writes
to them wait, for ever if need be. The server has one thread for all games, which must not wait, so
another thread writes. It takes from a bounded queue: what finds no room there is lost, and counted.
"""

import os
import queue
import select
import threading
from collections.abc import Callable

CAPACITY = 1 << 20
"""Characters that may wait to be written: some 8,000 lines of a log."""

PIECE = 1 << 16
"""Characters after which what has gathered is written: what a pipe holds."""


Notice = Callable[[int, str], str]
"""What is written in the place of so many lines that were lost, and why they were."""


def plain_notice(lost: int, why: str) -> str:
    return f"{lost} lines were lost: {why}\n"


class LogWriter:
    """Takes texts from any thread, and writes them in that order, in UTF-8, in a thread of its own.
    It goes on after lines were lost, and says how many before the next one that is written.

    It is a stream for whoever writes to one, as `print` and `warnings` do to `sys.stderr`.
    """

    encoding = "utf-8"
    errors = "backslashreplace"
    too_slow = "nobody read the log"
    """Why lines are lost for which there is no room."""

    def __init__(self, descriptor: int, *, capacity: int = CAPACITY) -> None:
        """The descriptor stays open when the writer is closed."""
        self.lost = 0
        """Lines that were not written, for lack of room or because the writing failed."""
        self.why = ""
        """The reason for the last of them."""
        self.notice: Notice = plain_notice
        self._descriptor = descriptor
        self._capacity = capacity
        # Each text with the number of lines that are lost if it is not written.
        self._queue = queue.SimpleQueue[tuple[str, int] | None]()
        # Reentrant: while it is held, a finalizer may run that has something to say.
        self._lock = threading.RLock()
        self._waiting = 0  # characters
        self._closed = self._full = False
        # A daemon: it may be stuck in a write when the process ends.
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Never waits and never fails. Returns 0 if the text is lost."""
        with self._lock:
            if self._has_room():
                if self.lost:
                    self._put_notice()
                self._put(text, text.count("\n"))
                return len(text)
            self.lost += text.count("\n")
            self.why = self.too_slow
            return 0

    def flush(self) -> None:
        """Nothing is kept back here."""

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def fileno(self) -> int:
        return self._descriptor

    def close(self, seconds: float) -> bool:
        """Take no more, and wait up to so long for what is still to be written. False if not all of
        it was."""
        with self._lock:
            if self.lost and not self._closed:
                self._put_notice()
            self._closed = True
            self._queue.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive() and not self.lost

    def _has_room(self) -> bool:
        """Once full, it has room again when half of it is written: else every line that finds a
        place would come with a notice of those between it and the one before."""
        limit = self._capacity // 2 if self._full else self._capacity
        self._full = self._waiting > limit
        return not self._full and not self._closed

    def _put_notice(self) -> None:
        lost, self.lost = self.lost, 0
        self._put(self.notice(lost, self.why), lost)

    def _put(self, text: str, lines: int) -> None:
        self._waiting += len(text)
        self._queue.put((text, lines))

    # In the thread

    def _run(self) -> None:
        while (taken := self._queue.get()) is not None:
            texts, lines = [taken[0]], taken[1]
            size = len(taken[0])
            while size < PIECE and not self._queue.empty():
                # Nobody else takes from it.
                if (more := self._queue.get()) is None:
                    self._write_piece("".join(texts), lines)
                    return
                texts.append(more[0])
                lines += more[1]
                size += len(more[0])
            self._write_piece("".join(texts), lines)

    def _write_piece(self, text: str, lines: int) -> None:
        try:
            self._write_whole(text.encode(self.encoding, self.errors))
        except OSError as error:  # a full disk, or a reader that is gone
            with self._lock:
                self.lost += lines
                self.why = error.strerror or str(error)
        with self._lock:
            self._waiting -= len(text)

    def _write_whole(self, data: bytes) -> None:
        """Raises `OSError`."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:  # whoever shares the terminal or the pipe has set it so
                poll = select.poll()
                poll.register(self._descriptor, select.POLLOUT)
                poll.poll()
