"""The log of one program: a bounded queue, and a thread that writes.

The program never waits for the disk. The loop's thread only notes each line and its time; all the
rest, from masking secrets to the write, is done by the log's thread, a few at a time: while that
computes, it has the interpreter.
"""

import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import time
from typing import cast

from ulci.net import Peer
from ulci.protocol import Announcement, Blank, Codec, Dialect, Fault, Role, TextCodec, Unread
from ulci.protocol.masking import masked
from ulci.protocol.messages import Message

from .entry import Entry, Event, encode, moment
from .rotating_file import FILES, SIZE, RotatingFile

CAPACITY = 32 * 1024 * 1024
"""Bytes that may wait to be written: ten seconds of a thousand bullet games."""

ENTRY_BYTES = 150
"""What an entry takes besides its text, while it waits."""

GATHER = 0.05
"""Seconds in which entries gather before they are written."""

AT_ONCE = 16 * 1024
"""Bytes between two writes: a third of a millisecond's work, in which the program waits."""

LINES_AT_ONCE = AT_ONCE // ENTRY_BYTES
"""Lines of one entry between two pauses: the same work."""

PAUSE = 0.001
"""Seconds after each of them. A thread that only writes in between has the interpreter back before
the program wakes up, and keeps it for the 5 ms after which Python takes it away."""

LONGEST_MASKED = 8 * 1024
"""Characters that are kept of a line which may hold secrets: to look for these holds up the program
for 4 ms at most. No line of a client is longer, by default."""

UNFINISHED = 64 * 1024
"""Bytes of a line without an end after which its beginning is written."""

LAST_WRITE = 5.0
"""Seconds that the disk has for what is left at the end."""

Note = Callable[..., None]
"""`WireLog.note` for one connection: the event, and what belongs to it."""


class WireLog:
    """Appends to a file, and to the next one when that is full.

    `on_end` gets the reason when nothing more can be written, once and from another thread; the
    program goes on without a log.

    Raises:
        WireLogError: the file cannot be opened.
    """

    def __init__(
        self,
        path: Path,
        *,
        size: int = SIZE,
        files: int = FILES,
        capacity: int = CAPACITY,
        program: str = "",
        on_end: Callable[[str], object],
    ) -> None:
        self._file = RotatingFile(path, size=size, files=files)
        self._on_end = on_end
        self._capacity = capacity
        self._connections = 0
        self._dropped = 0
        # Each is changed by one thread only.
        self._put = self._taken = 0
        self._over = False
        self._closing = threading.Event()
        self._queue = queue.SimpleQueue[tuple[float, Event, int, str | bytes, int] | None]()
        self.note("started", 0, program)
        # A daemon: a write may hang when the process ends.
        self._thread = threading.Thread(target=self._run, name="wire log", daemon=True)
        self._thread.start()

    def follow(self, peer: Peer, client: str = "") -> None:
        """Log the lines sent to this peer and received from it; call it before the first one.
        `client`: its name, where it is known."""
        listen(peer, self.open(peer.label, client))

    def open(self, label: str, client: str = "") -> Note:
        """A new connection; returns what notes its events."""
        self._connections += 1
        number = self._connections
        if client:
            self.note("client", number, client)
        self.note("opened", number, label)
        return partial(self._note_of, number)

    def note(self, event: Event, connection: int, text: str | bytes = "", game: int = 0) -> None:
        """It happened now. Never waits: what finds no room is dropped, and counted."""
        if self._over:
            return
        waiting = self._put - self._taken
        # Half of it must be free again, or each entry would come with a count of those before it.
        if waiting > (self._capacity // 2 if self._dropped else self._capacity):
            self._dropped += 1
            return
        if self._dropped:
            self._note_dropped()
        self._put += text.__sizeof__() + ENTRY_BYTES
        self._queue.put((time(), event, connection, text, game))

    def close(self) -> None:
        """Write what is left."""
        if self._dropped:
            self._note_dropped()
        self._over = True
        self._closing.set()
        self._queue.put(None)
        self._thread.join(LAST_WRITE)

    def _note_of(
        self, connection: int, event: Event, text: str | bytes = "", game: int = 0
    ) -> None:
        self.note(event, connection, text, game)

    def _note_dropped(self) -> None:
        dropped, self._dropped = self._dropped, 0
        self._put += "".__sizeof__() + ENTRY_BYTES
        self._queue.put((time(), "dropped", 0, "", dropped))

    # In the thread

    def _run(self) -> None:
        try:
            while self._write_some():
                pass
        except Exception as error:  # noqa: BLE001 (whatever it is ends the log, and nothing else)
            self._over = True
            while not self._queue.empty():
                self._queue.get()
            why = error.strerror if isinstance(error, OSError) else None
            self._on_end(why or repr(error))
        finally:
            self._file.close()

    def _write_some(self) -> bool:
        """Wait for entries, and write them. False: there will be no more. Raises `OSError`."""
        self._closing.wait(GATHER if self._queue.empty() else PAUSE)
        taken = self._queue.get()
        lines: list[bytes] = []
        size = 0
        while taken is not None:
            at, event, connection, text, number = taken
            lines += self._lines(at, event, connection, text, number)
            size += text.__sizeof__() + ENTRY_BYTES
            if size >= AT_ONCE or self._queue.empty():
                self._file.write(b"".join(lines))
                self._taken += size
                return True
            taken = self._queue.get()
        if lines:
            self._file.write(b"".join(lines))
        return False

    def _lines(
        self, at: float, event: Event, connection: int, text: str | bytes, number: int
    ) -> Iterator[bytes]:
        """As they stand in the file. One message may be many lines of the wire."""
        when = moment(at)
        if event == "dropped":
            yield encode(Entry(when, event, dropped=number)) + b"\n"
            return
        if isinstance(text, str):
            text = text.encode(errors="backslashreplace")
        lines = split_lines(text.decode(errors="backslashreplace"))
        for count, line in enumerate(lines, 1):
            yield (
                encode(Entry(when, event, connection, masked(line, LONGEST_MASKED), number)) + b"\n"
            )
            if not count % LINES_AT_ONCE:
                self._closing.wait(PAUSE)


def listen(peer: Peer, note: Note) -> None:
    """Call `note` with every line sent to this peer or received from it, and every event; call it
    before the first line."""
    peer.connection.codec = LoggedCodec(peer.connection.codec, note)
    peer.remark = note


def split_lines(text: str) -> list[str]:
    """Lines as the codec sees them: `str.splitlines` knows more ends than the protocol. Without
    blank ones, which would take seventy times their size in the file; of nothing else, one."""
    lines = text.replace("\r", "\n").replace("\f", "\n").split("\n")
    return [line for line in lines if line and not line.isspace()] or [""]


_ENDS = b"\n", b"\r", b"\f"


class LoggedCodec:
    """A codec that notes what goes through it."""

    def __init__(self, codec: Codec, note: Note) -> None:
        self.inner = codec
        self._note = note
        self._tail = b""  # of a line that has not ended yet
        self._is_text = isinstance(codec, TextCodec)
        if self._is_text:
            self.next_messages = codec.next_messages  # type: ignore[method-assign]

    @property
    def pending(self) -> bool:
        return self.inner.pending

    def receive_data(self, data: bytes) -> None:
        if self._is_text:
            self._heard(data)
        self.inner.receive_data(data)

    def receive_frame(self, data: str | bytes) -> None:
        if self._is_text:
            self._note("heard", data)
        self.inner.receive_frame(data)

    def next_messages(
        self, dialect: Dialect, reader: Role, most: int, *, defer: bool
    ) -> list[Message | Unread | Blank | Fault]:
        """Of msgpack: the received message is known now."""
        said = self.inner.next_messages(dialect, reader, most, defer=defer)
        for message in said:
            if isinstance(message, Fault):
                self._note("unreadable", message.text)
            elif not isinstance(message, Blank):
                self._note("heard", dialect.show(message))
        return said

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        data = self.inner.encode(message, dialect)
        self._said(data, message, dialect)
        return data

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str | bytes:
        data = self.inner.encode_frame(message, dialect)
        self._said(data, message, dialect)
        return data

    def announced(self, announcement: Announcement, dialect: Dialect) -> None:
        self._note("said", "\n".join(cast(list[str], announcement.written("log", dialect.show))))

    def _said(self, data: str | bytes, message: Message | Unread, dialect: Dialect) -> None:
        if data:
            self._note("said", data if self._is_text else dialect.show(message))

    def _heard(self, data: bytes) -> None:
        """Whole lines; the rest waits for its end, which the end of the stream is, too."""
        whole = not data or data.endswith(_ENDS)
        if self._tail:
            data, self._tail = self._tail + data, b""
        if not whole and len(data) <= UNFINISHED:
            end = max(map(data.rfind, _ENDS)) + 1
            data, self._tail = data[:end], data[end:]
        if data:
            self._note("heard", data)
