"""A peer over plain TCP: the shortest way from a socket to a message and back.

Delivered to a plain call, it needs no task: the listener's shared reader reads it. Writes go to the
socket first, and only the rest to a writer task: measured 60,000 to 95,000 lines a second on one
core, against 21,000 through a queue and a writer.
"""

import socket
from collections.abc import Awaitable, Callable

import trio

from ulci.net import sockets
from ulci.net.intake import Intake
from ulci.net.limits import RECEIVE_BYTES, Allowance, Limits
from ulci.net.peer import BytePeer, Ended, Hear, Heard, Misheard
from ulci.net.reader import SharedReader
from ulci.protocol import Connection

Spawn = Callable[[Callable[[], Awaitable[None]]], object]
"""Starts a task that never fails: a nursery's ``start_soon``."""


def _hear_nothing(_: Heard | Misheard) -> bool:
    return False


class TcpPeer(BytePeer):
    """Owns a connected, non-blocking socket; `spawn` starts the writer on demand."""

    __slots__ = (
        "_drained",
        "_hear",
        "_intake",
        "_more",
        "_outbox",
        "_reader",
        "_sock",
        "_spawn",
        "_waits",
        "_writing",
        "ended",
    )

    def __init__(
        self,
        sock: socket.socket,
        connection: Connection,
        *,
        spawn: Spawn,
        label: str,
        limits: Limits,
        host: str = "",
        reader: "SharedReader[TcpPeer] | None" = None,
    ) -> None:
        super().__init__(connection, label=label, limits=limits, host=host)
        self._reader = reader
        self._hear: Hear = _hear_nothing
        self._more = False  # parsed, but not delivered yet
        self.ended: Ended | None = None
        """Called when a `delivered` peer is no longer read."""
        self._sock = sock
        self._intake = Intake(sock)
        self._intake.allowance = self._allowance
        self._spawn = spawn
        self._outbox = bytearray()
        self._writing = False
        self._waits = False  # the writer waits for the system
        self._drained: trio.Event | None = None  # only in _shut_down

    def _least_measured(self) -> float | None:
        return sockets.least_round_trip(self._sock)

    async def deliver(self, hear: Hear, ended: Ended) -> None:
        """`Peer.deliver`; with a shared reader it returns early, once it has caught up."""
        if self._reader is None:
            await super().deliver(hear, ended)
            return
        self.introduced = True
        try:
            while self._deliver_batch(hear):
                await trio.lowlevel.checkpoint()
        except BaseException:
            self._deaf = True
            await ended()
            raise
        if self._is_over():
            await ended()
            return
        self._hear, self.ended = hear, ended
        self._reader.add(self._sock.fileno(), self)
        self.delivered = True
        if self._allowance is not None:
            self._pause_reading(self._allowance)

    def turn(self) -> bool:
        """Read once, and deliver for a fair share of time. Returns whether more is left."""
        if not self._more:
            intake = self._intake
            try:
                data = intake.take(RECEIVE_BYTES)
            except BlockingIOError:
                return False  # spurious wake-up
            except OSError as error:
                self._end(sockets.error_text(error))
            else:
                self._read(data, intake.at, intake.late)
        self._more = self._deliver_batch(self._hear)
        if not self._more:
            if self._deaf or self._ended:
                self._deaf = True
                self._leave_reader()
                return False
            self._hasten_answer()
            if (allowance := self._allowance) is not None and (
                allowance.left < 0 or allowance.since is not None
            ):
                self._pause_reading(allowance)
        return self._more

    def _acknowledge(self) -> None:
        self._intake.acknowledge()

    def found_after_stall(self, began: float) -> None:
        """What will be read next has waited since this process stalled (s), or may have."""
        self._intake.stalled_since = min(self._intake.stalled_since, began)

    def _pause_reading(self, allowance: Allowance) -> None:
        """Pause reading until the allowance is positive again."""
        pause = allowance.pause(now := self._now())
        if self._end_flood(self._hear):
            self._leave_reader()
        elif pause:
            assert self._reader is not None
            self._intake.pause(now + pause)
            self._reader.pause(self._sock.fileno(), now + pause)

    def _now(self) -> float:
        return self._intake.now()

    def _leave_reader(self) -> None:
        if self._reader is not None and (fd := self._sock.fileno()) != -1:
            self._reader.forget(fd)
            self._hear = _hear_nothing  # avoids a reference cycle

    async def _feed(self) -> None:
        intake = self._intake
        try:
            await intake.turn()
            if self._reader is None:
                await trio.lowlevel.wait_readable(self._sock)
            else:
                await self._reader.wait(self._sock.fileno(), self)
            data = intake.take(RECEIVE_BYTES)
        except BlockingIOError:
            return  # spurious wake-up
        except trio.ClosedResourceError:
            return  # cut or closed in the meantime: receive() checks
        except OSError as error:
            # The last line may be incomplete: drop it
            self._end(sockets.error_text(error))
            return
        self._read(data, intake.at, intake.late)

    def _write(self, data: bytes) -> None:
        sent = 0
        if not self._outbox:
            try:
                sent = self._sock.send(data)
            except BlockingIOError:
                pass
            except OSError as error:
                self._lost(error)
                return
            if sent == len(data):
                return
        if not self._fits(len(data) - sent):
            return
        self._outbox += data[sent:]
        if not self._writing:
            self._writing = True
            self._spawn(self._drain)

    async def _drain(self) -> None:
        """The writer task: runs while bytes wait."""
        try:
            while self._outbox:
                try:
                    self._waits = True
                    await trio.lowlevel.wait_writable(self._sock)
                    self._waits = False
                    del self._outbox[: self._sock.send(self._outbox)]
                except BlockingIOError:
                    pass
                except trio.ClosedResourceError:
                    pass  # woken by dismiss(); after cut() the outbox is empty
        except OSError as error:
            self._lost(error)
        finally:
            self._writing = self._waits = False
            if self._outbox:
                self.cut("the writer was cancelled in the middle of a message")
            if self._drained is not None:
                self._drained.set()

    def _lost(self, error: OSError) -> None:
        """Writing failed. What the peer sent before is still read, to its end."""
        self._mute = True
        self._outbox.clear()
        self._note(sockets.error_text(error))

    def _waiting(self) -> int:
        return len(self._outbox)

    def _blocked(self) -> bool:
        return self._waits

    def _finish(self) -> None:
        self._intake.stop()
        if self._sock.fileno() == -1:
            self._closed.set()
            return
        self._leave_reader()
        trio.lowlevel.notify_closing(self._sock)  # a waiting receive() returns None
        self._spawn(self._shut_down)

    async def _shut_down(self) -> None:
        try:
            with trio.move_on_after(self.limits.flush):
                if self._writing:
                    self._drained = trio.Event()
                    await self._drained.wait()
                if not self._ended:
                    await sockets.linger(self._sock, self.limits.linger)
        finally:
            self._abort()
            self._closed.set()

    def _abort(self) -> None:
        self._intake.stop()
        self._leave_reader()
        if self._outbox:
            self._outbox.clear()
            sockets.reset(self._sock)
        else:
            sockets.close(self._sock)
