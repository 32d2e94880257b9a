"""The TCP socket under TLS and WebSocket, as a stream of Trio's kind."""

import math
import operator
import socket
from collections.abc import Callable

import trio

from ulci.net import sockets
from ulci.net.intake import Intake
from ulci.net.limits import RECEIVE_BYTES

LEAST = 256
"""Bytes that count as unheard for a read, however few it brings: it costs 40 µs."""


def nothing() -> None:
    """Nobody needs to know."""


class TcpStream(trio.abc.Stream):
    """Unlike `trio.SocketStream` it knows when it last read, tells of its end, and lingers."""

    def __init__(self, sock: socket.socket, *, host: str, linger: float) -> None:
        self.host = host
        self.intake = Intake(sock)
        """What was last read: when, and how late."""
        self.reading = False
        """Does somebody wait for bytes right now?"""
        self.unheard = 0
        """Bytes read since whoever reads last set this to 0, because a message was among them."""
        self.most_unheard = math.inf
        """How many may be read until then."""
        self.blocked = False
        """Does what is sent wait for the system?"""
        self.on_end: Callable[[], None] = nothing
        """Called when nothing more can be read: end, error, or closed by ourselves."""
        self._sock = sock
        self._linger = linger
        self._ended = False
        self._holding = False
        self._held = bytearray()

    def least_round_trip(self) -> float | None:
        """As `sockets.least_round_trip`, s."""
        return sockets.least_round_trip(self._sock)

    def hold(self, on: bool) -> None:
        """While it is on, what is sent waits for the first `send_all` after it."""
        self._holding = on

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Bytes, or none at the end of the stream. Always lets other tasks run before it reads."""
        if max_bytes is not None and operator.index(max_bytes) < 1:
            raise ValueError("max_bytes must be at least 1")
        self._check_open()
        await self.intake.turn()
        self.reading = True
        try:
            while True:
                try:
                    await trio.lowlevel.wait_readable(self._sock)
                    data = self.intake.take(max_bytes or RECEIVE_BYTES)
                except BlockingIOError:
                    continue
                except OSError as error:
                    self._over()
                    raise trio.BrokenResourceError(sockets.words(error)) from error
                break
        finally:
            self.reading = False
        self.unheard += max(len(data), LEAST)
        if self.unheard > self.most_unheard:
            self._over()
            raise trio.BrokenResourceError("it says much, but no message is among it")
        if not data:
            self._over()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send everything; cancelled in the middle, it closes."""
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
            sockets.reset(self._sock)  # half a message is on the wire: nothing may follow it
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
                raise trio.BrokenResourceError(sockets.words(error)) from error

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the system would take something."""
        self._check_open()
        await trio.lowlevel.wait_writable(self._sock)

    async def aclose(self) -> None:
        """Close so that the peer can read our last word; cancelled, at once."""
        if self._sock.fileno() == -1:
            await trio.lowlevel.checkpoint()
            return
        self.intake.stop()
        trio.lowlevel.notify_closing(self._sock)
        try:
            if self._ended:
                await trio.lowlevel.checkpoint()
            else:
                await sockets.linger(self._sock, self._linger)
        finally:
            sockets.close(self._sock)
            self._over()

    def _check_open(self) -> None:
        if self._sock.fileno() == -1:
            raise trio.ClosedResourceError("this stream was closed already")

    def _over(self) -> None:
        self._ended = True
        self.on_end()
