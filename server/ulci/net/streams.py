"""Peers over any stream that Trio knows: TLS, a process's stdio, a pipe.

Such a stream can only be written to by waiting, so one task owns it: it sends everything that is
queued in one piece, and closes the stream at the end.
"""

import math
from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import trio

from ulci.net import sockets
from ulci.net.limits import RECEIVE_BYTES, Limits
from ulci.net.peer import CLOSED_HERE, BytePeer, Peer
from ulci.net.tasks import servants
from ulci.net.tcpstream import TcpStream
from ulci.protocol import Connection


class QueuedPeer(Peer):
    """A peer whose `run` its maker must start: the task that writes and closes."""

    __slots__ = ("_bottom", "_hearing", "_queued", "_scope", "_wake")

    def __init__(
        self,
        connection: Connection,
        *,
        label: str,
        limits: Limits,
        bottom: TcpStream | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(connection, label=label, limits=limits)
        if headers is not None:
            self.headers = headers
        if bottom is not None:
            self.host = bottom.host
            bottom.intake.allowance = self._allowance
        self._bottom = bottom
        self._queued = 0
        self._scope = trio.CancelScope()
        self._hearing = trio.CancelScope()
        self._wake = trio.lowlevel.ParkingLot()

    def _least_measured(self) -> float | None:
        return self._bottom.least_round_trip() if self._bottom else None

    async def run(self) -> None:
        """Write what is put and close the stream at the end. Fails only by being cancelled."""
        try:
            with self._scope:
                while self._queued or not self._closing:
                    if self._queued:
                        await self._send_queued()
                    else:
                        await self._wake.park()
                await self._close()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer did not wait for our goodbye
        finally:
            self._deaf = self._mute = True
            self._closed.set()
            with suppress(trio.BrokenResourceError):
                await trio.aclose_forcefully(self._stream())

    def _waiting(self) -> int:
        return self._queued

    def _blocked(self) -> bool:
        return self._bottom is not None and self._bottom.blocked

    async def _feed(self) -> None:
        with trio.CancelScope() as self._hearing:
            await self._hear()

    def _finish(self) -> None:
        self._hearing.cancel()
        self._scope.deadline = trio.current_time() + self.limits.flush
        self._wake.unpark()

    def _abort(self) -> None:
        self._hearing.cancel()
        self._scope.cancel()

    def _lost(self, error: Exception) -> None:
        """Nothing more can be said. What the peer said before is still read, to its end."""
        self._mute = True
        self._queued = 0
        self._note(sockets.words(error))

    def _when(self) -> tuple[float, float]:
        """When the last bytes were read from the network, and how late: TLS and WebSocket may hold
        them back a while."""
        if self._bottom is None:
            return trio.current_time(), 0.0
        return self._bottom.intake.at, self._bottom.intake.late

    @abstractmethod
    async def _hear(self) -> None:
        """`_feed`; may be cancelled anywhere."""

    @abstractmethod
    def _stream(self) -> trio.abc.AsyncResource:
        """What is closed in the end."""

    @abstractmethod
    async def _send_queued(self) -> None:
        """Send all that is queued now."""

    @abstractmethod
    async def _close(self) -> None:
        """Close politely: everything is sent."""


class StreamPeer(QueuedPeer, BytePeer):
    """A peer over a stream of bytes."""

    __slots__ = ("_bytes", "_outbox")

    def __init__(
        self,
        stream: trio.abc.Stream,
        connection: Connection,
        *,
        label: str,
        limits: Limits,
        bottom: TcpStream | None = None,
    ) -> None:
        super().__init__(connection, label=label, limits=limits, bottom=bottom)
        if bottom is not None:
            bottom.most_unheard = math.inf  # the codec bounds what it keeps
        self._bytes = stream
        self._outbox = bytearray()

    async def _hear(self) -> None:
        try:
            data = await self._bytes.receive_some(RECEIVE_BYTES)
        except trio.ClosedResourceError:
            self._end(CLOSED_HERE)
        except trio.BrokenResourceError as error:
            # The last line may be half of one: it is not handed over
            self._end(sockets.words(error))
        else:
            if self._allowance is not None:
                self._allowance.record()
            self._read(bytes(data), *self._when())

    def _write(self, data: bytes) -> None:
        if self._fits(len(data)):
            self._outbox += data
            self._queued += len(data)
            self._wake.unpark()

    def _blocked(self) -> bool:
        # Of a stream that is none of ours nobody knows for what it waits
        return super()._blocked() or (self._bottom is None and self._queued > len(self._outbox))

    async def _send_queued(self) -> None:
        data, self._outbox = self._outbox, bytearray()
        try:
            await self._bytes.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self._lost(error)
        else:
            self._queued -= len(data)

    def _stream(self) -> trio.abc.AsyncResource:
        return self._bytes

    async def _close(self) -> None:
        await self._bytes.aclose()


@asynccontextmanager
async def open_stream(
    stream: trio.abc.Stream,
    connection: Connection,
    *,
    label: str = "stream",
    limits: Limits | None = None,
) -> AsyncIterator[Peer]:
    """The peer at the other end of `stream`, which is closed with the block."""
    async with servants() as nursery:
        peer = StreamPeer(stream, connection, label=label, limits=limits or Limits())
        nursery.start_soon(peer.run)
        try:
            yield peer
        finally:
            await peer.aclose()
