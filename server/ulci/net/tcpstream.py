"""The TCP socket under TLS and WebSocket, as a Trio stream, and TLS over it."""

import math
import operator
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress

import trio

from ulci.net import sockets
from ulci.net.intake import Intake
from ulci.net.limits import RECEIVE_BYTES
from ulci.net.readiness import Readiness

MIN_READ_COST = 256
"""Bytes charged to `unheard` for a read, however small: it costs 40 µs."""


def nothing() -> None:
    """Default of `TcpStream.on_end`."""


class TcpStream(trio.abc.Stream):
    """Unlike `trio.SocketStream`: records read times, signals its end, and lingers on close."""

    def __init__(self, sock: socket.socket, *, host: str, linger: float) -> None:
        self.host = host
        self.intake = Intake(sock)
        """Reads the socket; holds time and lateness of the last read."""
        self.reading_since = math.inf
        """Since when (s) a task waits for bytes; infinite if none does."""
        self.unheard = 0
        """Bytes read since the last whole message; the reader of messages resets it to 0."""
        self.most_unheard = math.inf
        """Limit of `unheard`."""
        self.blocked = False
        """Whether a send waits for the system."""
        self.on_end: Callable[[], None] = nothing
        """Called when nothing more can be read: end, error, or closed on this side."""
        self.readiness: Readiness | None = None
        """Where to wait for bytes, rather than by oneself."""
        self._sock = sock
        self._linger = linger
        self._ended = False
        self._holding = False
        self._held = bytearray()

    def least_round_trip(self) -> float | None:
        """As `sockets.least_round_trip`, s."""
        return sockets.least_round_trip(self._sock)

    def hold(self, on: bool) -> None:
        """While on, sent data is buffered until the first `send_all` after it."""
        self._holding = on

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Bytes, or ``b""`` at the end of the stream. Always a checkpoint before it reads."""
        if max_bytes is not None and operator.index(max_bytes) < 1:
            raise ValueError("max_bytes must be at least 1")
        self._check_open()
        await self.intake.turn()
        self.reading_since = self.intake.now()
        try:
            while True:
                try:
                    await self._readable(self._sock)
                    data = self.intake.take(max_bytes or RECEIVE_BYTES)
                except BlockingIOError:
                    continue
                except OSError as error:
                    self._over()
                    raise trio.BrokenResourceError(sockets.error_text(error)) from error
                break
        finally:
            self.reading_since = math.inf
        self.unheard += max(len(data), MIN_READ_COST)
        if self.unheard > self.most_unheard:
            self._over()
            raise trio.BrokenResourceError("too many bytes without a whole message")
        if not data:
            self._over()
        return data

    def was_silent_since(self, at: float) -> bool:
        """Whether a task has waited for bytes since that time (s), and none came. Bytes that came
        while this process stood still are in the system's buffer, and count."""
        if self.reading_since > at or self.intake.at > at:
            return False
        try:
            self._sock.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass  # the task that reads learns of it
        return False

    async def _readable(self, sock: socket.socket) -> None:
        if self.readiness is None:
            await trio.lowlevel.wait_readable(sock)
        else:
            await self.readiness.wait(sock)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send everything. Cancelled in the middle, it resets the connection."""
        await trio.lowlevel.checkpoint()
        self._check_open()
        if self._holding:
            self._held += data
            return
        if self._held:
            data, self._held = self._held + data, bytearray()
        try:
            await self._send(memoryview(data))
        except trio.Cancelled:
            sockets.reset(self._sock)  # half a message was sent: nothing may follow it
            raise

    async def _send(self, rest: memoryview) -> None:
        while rest:
            try:
                rest = rest[self._sock.send(rest) :]
            except BlockingIOError:
                self.blocked = True
                try:
                    await trio.lowlevel.wait_writable(self._sock)
                finally:
                    self.blocked = False
            except OSError as error:
                raise trio.BrokenResourceError(sockets.error_text(error)) from error

    async def wait_send_all_might_not_block(self) -> None:
        self._check_open()
        await trio.lowlevel.wait_writable(self._sock)

    async def aclose(self) -> None:
        """Close and linger, so that the peer can read the last message; cancelled, close at
        once."""
        if self._sock.fileno() == -1:
            await trio.lowlevel.checkpoint()
            return
        self.intake.stop()
        trio.lowlevel.notify_closing(self._sock)
        if self.readiness is not None:
            self.readiness.forget(self._sock)
        try:
            if self._ended:
                await trio.lowlevel.checkpoint()
            else:
                await sockets.linger(self._sock, self._linger, self._readable)
        finally:
            sockets.close(self._sock)
            self._over()

    def _check_open(self) -> None:
        if self._sock.fileno() == -1:
            raise trio.ClosedResourceError("this stream is already closed")

    def _over(self) -> None:
        self._ended = True
        self.on_end()


def encrypted(
    bottom: TcpStream, context: ssl.SSLContext, *, websocket: bool, host: str | None = None
) -> "trio.SSLStream[TcpStream]":
    """TLS before its handshake: the client's side if `host` is given, else the server's. Changes an
    option of the context."""
    # Python 3.11.2, which is Debian's, would take a lost connection for an orderly end. The option
    # is one of OpenSSL 3.
    context.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
    return trio.SSLStream(
        bottom,
        context,
        server_hostname=host,
        server_side=host is None,
        https_compatible=websocket,
    )


def forget_handshake(stream: "trio.SSLStream[TcpStream]") -> None:
    """Break a reference cycle after the handshake. Trio 0.35 keeps a bound method of the stream in
    the stream, so the cycle would keep OpenSSL's 50 kB alive after the connection. Where another
    version of Trio renames the attribute, the cycle stays."""
    with suppress(AttributeError):
        del stream._handshook._afn
