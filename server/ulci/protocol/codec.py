"""Message boundaries in the bytes, as lines of text. `packing` does the same with msgpack.

A codec belongs to one connection: it holds incomplete messages, and errors already reported.
"""

import re
from dataclasses import dataclass
from typing import Protocol

from .announcement import Announcement
from .dialect import Dialect, Role
from .errors import Fault, RemoteProtocolError
from .info import Unread
from .messages import Info, Message, Position, Unknown
from .moves import MovesSoFar
from .text import control_in, quote, without_junk_behind

# Bytes of the longest accepted line: a game of a thousand plies and more.
MAX_LINE = 8 * 1024

# Some engines print lines of many kilobytes, which are dropped; a line of this many times the
# limit counts as endless.
ENDLESS = 64


@dataclass(frozen=True, slots=True)
class Blank:
    """An empty line: it took work to read, so the reader may yield."""


_BLANK = Blank()

PASSING = frozenset({Blank, Unread, Info, Unknown})
"""Messages that cannot change how the next one is read."""


class Codec(Protocol):
    """Bytes or WebSocket frames to messages and back. `dialect` may change between two calls."""

    @property
    def inner(self) -> "Codec":
        """Itself, or the codec that it wraps: all of one class encode a lobby line alike."""
        ...

    def announced(self, announcement: Announcement, dialect: Dialect) -> None:
        """`inner` has encoded these lines, perhaps for another connection; now they are sent."""

    def receive_data(self, data: bytes) -> None:
        """Feed bytes from the stream; ``b""`` is its end."""

    def receive_frame(self, data: str | bytes) -> None:
        """Feed one frame, which never holds a partial message."""

    @property
    def pending(self) -> bool:
        """Whether `next_messages` would return something."""
        ...

    def next_messages(
        self, dialect: Dialect, reader: Role, most: int, *, defer: bool
    ) -> list[Message | Unread | Blank | Fault]:
        """Up to `most` messages, with errors in their place. The list ends after any message that
        may change how the next one is read."""
        ...

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        """The message for a stream; empty if it is not sent. Raises LocalProtocolError."""

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str | bytes:
        """The message as one frame; empty if it is not sent. Raises LocalProtocolError."""


# Openings of other protocols, whose peers get one clear error.
_STRANGERS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(rb"\x16\x03"),
        "this is a TLS handshake, but this port speaks plain text: connect without TLS (tcp://), or"
        " to the tls:// port",
    ),
    (
        re.compile(rb"\x15\x03"),
        "this is a TLS alert, but this port speaks plain text: dial the port with tls://",
    ),
    (
        re.compile(rb"[A-Z]{3,10} [^ ]+ HTTP/[0-9]"),
        "this is an HTTP request, but this port speaks plain text: use the ws:// port for"
        " WebSocket, or a plain TCP connection",
    ),
    (
        re.compile(rb"[\x80-\x8f]\xa4verb"),
        "this is msgpack, but this port speaks plain text: send lines, or use WebSocket with the"
        " subprotocol ulci.msgpack",
    ),
    (
        re.compile(rb"HTTP/[0-9]"),
        "this is an HTTP answer, but this port speaks plain text: dial the port with ws://",
    ),
)

_BOM = b"\xef\xbb\xbf"


class TextCodec:
    """Lines in UTF-8 that end with CR, LF, CRLF (or the form feed of UCI 2004).

    The dialect parses a line, into several messages or none. `max_line` is in bytes, without the
    line's end.
    """

    __slots__ = (
        "_dropped",
        "_first",
        "_lines",
        "_next",
        "_read",
        "_tail",
        "_told_utf8",
        "max_line",
        "pending",
    )

    def __init__(self, *, max_line: int = MAX_LINE) -> None:
        self.max_line = max_line
        self._lines: list[bytes | Fault] = []
        self._next = 0  # index of the first unread line
        self._read: list[Message] = []  # further messages of the last line
        self.pending = False
        """Whether a line is left, or a part of one."""
        self._tail = b""
        self._dropped = 0  # bytes of the current over-long line
        self._first = True  # no complete line yet
        self._told_utf8 = False

    @property
    def inner(self) -> Codec:
        return self

    def announced(self, announcement: Announcement, dialect: Dialect) -> None:
        """Nothing is to be done."""

    def receive_data(self, data: bytes) -> None:
        """Feed bytes from the stream; ``b""`` is its end, and a last line without a newline
        counts."""
        if not data:
            data = b"\n"
        # "'\n' can be 0x0d or 0x0a0d or any combination" (UCI 2006); 2004 has 0x0c for 0x0d.
        if self._next:
            del self._lines[: self._next]
            self._next = 0
        self.pending = True  # the usual case
        if b"\r" in data or b"\f" in data:
            data = data.replace(b"\r", b"\n").replace(b"\f", b"\n")
        lines = data.split(b"\n")
        tail = lines.pop()
        if not lines:
            self._grow(tail)
            return
        if self._dropped:
            self._drop(lines[0])
            self._dropped = 0
            del lines[0]
        elif self._tail:
            lines[0] = self._tail + lines[0]
        self._tail = b""
        if len(data) > self.max_line or (lines and len(lines[0]) > self.max_line):
            for line in lines:
                if len(line) > self.max_line:
                    self._grow(line)
                    self._dropped = 0
                else:
                    self._lines.append(line)
        else:
            self._lines += lines
        if tail:
            self._grow(tail)

    def receive_frame(self, data: str | bytes) -> None:
        """Feed one frame: a line, or several."""
        if isinstance(data, str):
            data = data.encode(errors="replace")
        self.receive_data(data + b"\n")

    def next_messages(
        self, dialect: Dialect, reader: Role, most: int, *, defer: bool
    ) -> list[Message | Unread | Blank | Fault]:
        said: list[Message | Unread | Blank | Fault] = []
        while len(said) < most and (self._next < len(self._lines) or self._read):
            try:
                message = self.next_message(dialect, reader, defer=defer)
            except RemoteProtocolError as error:
                said.append(Fault.of(error))
                if error.fatal or dialect.replies:
                    break
                continue
            assert message is not None
            said.append(message)
            if type(message) not in PASSING or dialect.replies:
                break
        if self._next == len(self._lines):
            self._lines.clear()
            self._next = 0
            self.pending = bool(self._read)
        return said

    def next_message(
        self, dialect: Dialect, reader: Role, *, defer: bool
    ) -> Message | Unread | Blank | None:
        """The next message of a line; None if more data is needed. Raises RemoteProtocolError."""
        if self._read:
            return self._read.pop(0)
        if self._next == len(self._lines):
            return None
        raw = self._lines[self._next]
        self._next += 1
        if isinstance(raw, Fault):
            raise raw.error()
        if self._first and raw:
            raw = self._welcome(raw)
        if not raw:
            return _BLANK
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            line = self._repaired(raw)
        if not line.isprintable() and control_in(line):
            line = without_junk_behind(line)
        if not line.isprintable() and (junk := control_in(line)):
            raise RemoteProtocolError(
                f"{quote(line)}: it holds the control character {junk!r}; a line is text in"
                " UTF-8: send text only, and end each line with a newline"
            )
        if not line or line.isspace():
            return _BLANK
        read = dialect.read_untrusted(line, reader, defer=defer)
        if not isinstance(read, tuple):
            return read
        self._read += read[1:]
        return read[0] if read else _BLANK

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        """The line and its newline, or ``b""``."""
        if type(message) is Position and type(message.moves) is MovesSoFar and dialect.appends:
            return b"%b\n" % _grown(message.start, message.moves, dialect)
        line = dialect.write(message)
        return f"{line}\n".encode() if line else b""

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str:
        """The line, without a newline."""
        if type(message) is Position and type(message.moves) is MovesSoFar and dialect.appends:
            return _grown(message.start, message.moves, dialect).decode()
        return dialect.write(message)

    def _grow(self, piece: bytes) -> None:
        """Add to the unfinished line."""
        if self._dropped:
            self._drop(piece)
            return
        self._tail += piece
        if len(self._tail) > self.max_line:
            head, self._tail = self._tail, b""
            self._check_opening(head)
            self._lines.append(
                Fault(
                    f"{quote(head[:64].decode(errors='replace'))}: this line is longer than"
                    f" {self.max_line} bytes and was dropped; split it, or leave something out"
                )
            )
            self._drop(head)
        elif self._first:
            self._check_opening(self._tail)

    def _drop(self, piece: bytes) -> None:
        before, self._dropped = self._dropped, self._dropped + len(piece)
        endless = ENDLESS * self.max_line
        if before <= endless < self._dropped:
            self._lines.append(
                Fault(
                    f"a line of more than {endless} bytes will never end; end each line with a"
                    f" newline after at most {self.max_line} bytes",
                    fatal=True,
                )
            )

    def _check_opening(self, head: bytes) -> None:
        """A TLS handshake need not contain a newline, so check before the line ends."""
        if self._first and (stranger := _stranger(head)):
            self._first = False
            self._lines.append(stranger)

    def _welcome(self, raw: bytes) -> bytes:
        self._first = False
        if stranger := _stranger(raw):
            raise stranger.error()
        return raw.removeprefix(_BOM)  # Windows PowerShell writes one to a pipe

    def _repaired(self, raw: bytes) -> str:
        line = raw.decode(errors="replace")
        if self._told_utf8:
            return line
        self._told_utf8 = True
        self._next -= 1
        self._lines[self._next] = line.encode()
        raise RemoteProtocolError(
            f"{quote(line)}: this is not UTF-8; unreadable bytes were replaced and the rest"
            " is read, now and from here on: send UTF-8"
        )


def _grown(start: str | None, moves: MovesSoFar, dialect: Dialect) -> bytes:
    """The line of a position; only its start is encoded again."""
    head = b"position startpos" if start is None else dialect.write(Position(start)).encode()
    return b"%b moves%b" % (head, moves.game.text(moves.plies)) if moves.plies else head


def _stranger(head: bytes) -> Fault | None:
    for opening, text in _STRANGERS:
        if opening.match(head):
            return Fault(text, fatal=True)
    return None
