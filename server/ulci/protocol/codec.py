"""Where a message begins and ends in the bytes, as lines of text. `packing` does it with msgpack.

A codec belongs to one connection: it remembers half a message, and what it has complained about.
"""

import re
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from .dialect import Dialect, Role
from .errors import Fault, RemoteProtocolError
from .info import Unread
from .messages import Message
from .text import control_in, quote

# The longest line that is read: a game of a thousand plies, and then some.
MAX_LINE = 8 * 1024

# Some engines print lines of many kilobytes, which are dropped; one that goes on for this many
# times the limit will never end.
ENDLESS = 64


@dataclass(frozen=True, slots=True)
class Blank:
    """A line that says nothing: who reads it has worked, and may do something else now."""


_BLANK = Blank()


class Codec(Protocol):
    """Bytes or WebSocket frames to messages and back. `dialect` may change between two calls."""

    @property
    def shares(self) -> bool:
        """Whether all codecs of this class write the same for a line of the lobby."""
        ...

    def receive_data(self, data: bytes) -> None:
        """Take what the stream gave; ``b""`` is its end."""

    def receive_frame(self, data: str | bytes) -> None:
        """Take one frame, which never holds half a message."""

    def next_message(
        self, dialect: Dialect, reader: Role, *, defer: bool
    ) -> Message | Unread | Blank | None:
        """The next message; None if it takes more data. Raises RemoteProtocolError."""

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        """The message for a stream; empty if it is not said. Raises LocalProtocolError."""

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str | bytes:
        """The message as one frame; empty if it is not said. Raises LocalProtocolError."""


# Who begins like this speaks something else altogether, and would only be told nonsense.
_STRANGERS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(rb"\x16\x03"),
        "this is a TLS handshake, but here plain text is spoken: connect without TLS (tcp://), or"
        " to the tls:// port",
    ),
    (
        re.compile(rb"\x15\x03"),
        "this is a TLS alert, but here plain text is spoken: dial the port with tls://",
    ),
    (
        re.compile(rb"[A-Z]{3,10} [^ ]+ HTTP/[0-9]"),
        "this is an HTTP request, but here plain text is spoken: use the ws:// port for WebSocket,"
        " or a plain TCP connection",
    ),
    (
        re.compile(rb"[\x80-\x8f]\xa4verb"),
        "this is msgpack, but here plain text is spoken: send lines, or use WebSocket with the"
        " subprotocol ulci.msgpack",
    ),
    (
        re.compile(rb"HTTP/[0-9]"),
        "this is an HTTP answer, but here plain text is spoken: dial the port with ws://",
    ),
)

_BOM = b"\xef\xbb\xbf"


class TextCodec:
    """Lines that end with CR, LF, CRLF (or the form feed that UCI 2004 asks for), in UTF-8.

    What is in a line the dialect knows, which may find several messages there, or none.

    `max_line` is in bytes, without the line's end.
    """

    shares = True

    def __init__(self, *, max_line: int = MAX_LINE) -> None:
        self.max_line = max_line
        self._lines: deque[bytes | Fault] = deque()
        self._read: deque[Message] = deque()  # the rest of a line that said several things
        self._tail = b""
        self._dropped = 0  # bytes of the over-long line that we are in
        self._first = True  # nobody has said a whole line yet
        self._told_utf8 = False

    def receive_data(self, data: bytes) -> None:
        """Take what the stream gave; ``b""`` is its end, and a last line without newline counts."""
        if not data:
            data = b"\n"
        # "'\n' can be 0x0d or 0x0a0d or any combination" (UCI 2006); 2004 has 0x0c for 0x0d.
        lines = data.replace(b"\r", b"\n").replace(b"\f", b"\n").split(b"\n")
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
        if max(map(len, lines), default=0) > self.max_line:
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
        """Take one frame: a line, or several."""
        if isinstance(data, str):
            data = data.encode(errors="replace")
        self.receive_data(data + b"\n")

    def next_message(
        self, dialect: Dialect, reader: Role, *, defer: bool
    ) -> Message | Unread | Blank | None:
        """The next thing that a line says; None if it takes more data. Raises
        RemoteProtocolError."""
        if self._read:
            return self._read.popleft()
        if not self._lines:
            return None
        raw = self._lines.popleft()
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
        if not line.isprintable() and (junk := control_in(line)):
            raise RemoteProtocolError(
                f"{quote(line)}: it holds the control character {junk!r}; a line is text in"
                " UTF-8: send text only, and end each line with a newline"
            )
        if line.isspace():
            return _BLANK
        read = dialect.read_untrusted(line, reader, defer=defer)
        if not isinstance(read, tuple):
            return read
        self._read.extend(read[1:])
        return read[0] if read else _BLANK

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        """The line and its newline, or nothing at all."""
        line = dialect.write(message)
        return f"{line}\n".encode() if line else b""

    def encode_frame(self, message: Message | Unread, dialect: Dialect) -> str:
        """The line, without a newline."""
        return dialect.write(message)

    def _grow(self, piece: bytes) -> None:
        """More of a line that has not ended."""
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
        """A TLS handshake need not contain a newline: look before the line ends."""
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
        self._lines.appendleft(line.encode())
        raise RemoteProtocolError(
            f"{quote(line)}: this is not UTF-8; what could not be read was replaced and the rest"
            " is read, now and from here on: send UTF-8"
        )


def _stranger(head: bytes) -> Fault | None:
    for opening, text in _STRANGERS:
        if opening.match(head):
            return Fault(text, fatal=True)
    return None
