"""Peers over any Trio stream: TLS, a process's stdio, a pipe.

Writing to such a stream blocks, so one task owns it: it sends everything that is queued in one
piece, and closes the stream at the end.
"""

import math
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import trio

from ulci.net import sockets
from ulci.net.limits import RECEIVE_BYTES, Allowance, Limits
from ulci.net.peer import CLOSED_HERE, NO_HEADERS, BytePeer, Hear, Peer
from ulci.net.tcpstream import TcpStream
from ulci.protocol import Connection


class QueuedPeer(Peer):
    """A peer with a task that writes and closes: its creator must start `run`."""

    __slots__ = ("_bottom", "_hearing", "_queued", "_scope", "_wake")

    def __init__(
        self,
        connection: Connection,
        *,
        label: str,
        limits: Limits,
        bottom: TcpStream | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        host = "" if bottom is None else bottom.host
        super().__init__(connection, label=label, limits=limits, host=host, headers=headers)
        if bottom is not None:
            bottom.intake.allowance = self._allowance
        self._bottom = bottom
        self._queued = 0
        self._scope = trio.CancelScope()
        self._hearing = trio.CancelScope()
        self._wake = trio.lowlevel.ParkingLot()

    def _least_measured(self) -> float | None:
        return self._bottom.least_round_trip() if self._bottom else None

    async def run(self) -> None:
        """Write what is put, and close the stream at the end. Ends early only by being
        cancelled."""
        try:
            with self._scope:
                while self._queued or not self._closing:
                    if self._queued:
                        await self._send_queued()
                    else:
                        await self._wake.park()
                await self._close()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer left before our last message
        finally:
            self._deaf = self._mute = True
            self._closed.set()
            with suppress(trio.BrokenResourceError):
                await trio.aclose_forcefully(self._stream())

    def _waiting(self) -> int:
        return self._queued

    def _acknowledge(self) -> None:
        if self._bottom is not None:
            self._bottom.intake.acknowledge()

    def _blocked(self) -> bool:
        return self._bottom is not None and self._bottom.blocked

    async def _feed(self) -> None:
        with trio.CancelScope() as self._hearing:
            await self._hear()

    async def _deliver_all(self, hear: Hear, feed: Callable[[], Awaitable[None]]) -> None:  # noqa: ARG002
        # One scope for all reads: one for each would take a tenth of their time.
        with trio.CancelScope() as self._hearing:
            await super()._deliver_all(hear, self._hear)

    def _finish(self) -> None:
        self._hearing.cancel()
        self._scope.deadline = trio.current_time() + self.limits.flush
        self._wake.unpark()

    def _abort(self) -> None:
        self._hearing.cancel()
        self._scope.cancel()

    def _lost(self, error: Exception) -> None:
        """Writing failed. What the peer sent before is still read, to its end."""
        self._mute = True
        self._queued = 0
        self._note(sockets.error_text(error))

    def _read_time(self) -> tuple[float, float]:
        """Time and lateness of the last network read: TLS and WebSocket may hold bytes back for a
        while."""
        if self._bottom is None:
            return trio.current_time(), 0.0
        return self._bottom.intake.at, self._bottom.intake.late

    @abstractmethod
    async def _hear(self) -> None:
        """`_feed`, cancellable anywhere."""

    @abstractmethod
    def _stream(self) -> trio.abc.AsyncResource:
        """What to close at the end."""

    @abstractmethod
    async def _send_queued(self) -> None:
        """Send all that is queued now."""

    @abstractmethod
    async def _close(self) -> None:
        """Close politely after everything was sent."""


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
        if self._bottom is None:
            await self._wait_to_read()
        try:
            data = await self._bytes.receive_some(RECEIVE_BYTES)
        except trio.ClosedResourceError:
            self._end(CLOSED_HERE)
        except trio.BrokenResourceError as error:
            # The last line may be incomplete: drop it
            self._end(sockets.error_text(error))
        else:
            if self._allowance is not None:
                self._charge(self._allowance, len(data))
            self._read(bytes(data), *self._read_time())

    async def _wait_to_read(self) -> None:
        """Until the peer may be read. Where there is a socket below, its intake waits."""
        if self._allowance is not None and (pause := self._allowance.pause(self._now())):
            await trio.sleep(pause)

    def _charge(self, allowance: Allowance, size: int) -> None:
        if self._bottom is None:
            allowance.read(size, self._now())
        else:
            allowance.record()

    def _write(self, data: bytes) -> None:
        if self._fits(len(data)):
            self._outbox += data
            self._queued += len(data)
            self._wake.unpark()

    def _blocked(self) -> bool:
        # A foreign stream does not tell why it waits
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
async def background_tasks() -> AsyncIterator[trio.Nursery]:
    """A nursery for tasks that never fail: they end with the block, whose own error is raised
    unwrapped.

    A plain nursery would wrap it in an exception group, and ``except DialError`` around ``async
    with dial(…)`` would miss errors of the caller's own block.
    """
    caught: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except BaseException as error:  # noqa: BLE001 (raised again below)
                caught = error
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup:
        if caught is None:
            raise
    if caught is not None:
        try:
            raise caught
        finally:
            del caught  # no reference cycle through the traceback
