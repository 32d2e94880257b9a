"""A line between players and the server to which everything happens that happens to lines.

delay        a chunk waits
drip         it comes byte by byte
split        it comes in pieces, cut anywhere
cut          half of it comes, in the middle of a word, and both ends are closed
reset        the same, and both ends are reset
reset-here   the player's end is reset; the server hears nothing more, and nothing of that
reset-there  the server's end is reset, and the player hears nothing of that
half-close   the server hears that the player will say nothing more; what it says still arrives
black-hole   both ends stay open and everything is swallowed, until both are reset
"""

import random
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from math import inf
from socket import SHUT_WR, SO_LINGER, SOL_SOCKET

import trio

from ulci.net.timing import stall

from .record import Fault, Wire, now

RECEIVE = 1 << 16
LONGEST_DELAY = 0.3
"""s that a chunk waits, or drips."""

LONGEST_HOLE = 4.0
"""s for which a line that has gone dead seems to live: longer than players wait."""

DRIPPED = 80
"""Bytes that come one by one; the rest of a chunk comes at once."""

WEIGHTS: Mapping[str, int] = {
    "delay": 28, "drip": 15, "split": 30, "cut": 7, "reset": 5,
    "reset-here": 4, "reset-there": 4, "half-close": 4, "black-hole": 3,
}  # fmt: skip
"""How often each happens, of a hundred: most do not break the line."""


class Mischief:
    """What happens to which chunk: all by the chance of one seed, counted by kind."""

    def __init__(self, chance: random.Random, *, rate: float = 0.3) -> None:
        """`rate`: the share of chunks that something happens to while `hungry`."""
        self.chance = chance
        self.rate = rate
        self.hungry: Callable[[], bool] = lambda: True
        self.ledger: Counter[str] = Counter()

    def choose(self) -> str:
        """A kind of fault, or nothing."""
        if not self.hungry() or self.chance.random() >= self.rate:
            return ""
        [kind] = self.chance.choices([*WEIGHTS], [*WEIGHTS.values()])
        self.ledger[kind] += 1
        return kind


SO_TIMESTAMPNS = 35
"""Linux: the kernel says when it received the last byte of a read."""


class Dead(Exception):
    """This line is over."""


class Proxy:
    """Passes connections on to a port of this machine. `wires` is all that ever went over it."""

    def __init__(self, far: int, mischief: Mischief, server: str = "") -> None:
        """`far`: the port of the server; `server`: its name, if there are several."""
        self.port = 0
        self.server = server
        self.wires: list[Wire] = []
        self.far = far
        self.mischief = mischief

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=1024)
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._pass_on, [listener])

    async def _pass_on(self, near: trio.SocketStream) -> None:
        try:
            far = await trio.open_tcp_stream("127.0.0.1", self.far)
        except OSError:
            reset(near)  # nobody is there
            return
        far.socket.setsockopt(SOL_SOCKET, SO_TIMESTAMPNS, 1)
        wire = Wire(server=self.server)
        self.wires.append(wire)
        try:
            await _Passage(near, far, wire, self.mischief).run()
        finally:
            wire.closed = now()


class _Passage:
    """One connection, there and back."""

    def __init__(
        self, near: trio.SocketStream, far: trio.SocketStream, wire: Wire, mischief: Mischief
    ) -> None:
        self._near, self._far = near, far
        self._wire = wire
        self._mischief = mischief
        self._chance = mischief.chance
        self._swallowing = False
        self._mute = False
        self._player_left = False

    async def run(self) -> None:
        try:
            async with trio.open_nursery() as nursery:
                for source, sink in ((self._far, self._near), (self._near, self._far)):
                    there = sink is self._far
                    given, taken = trio.open_memory_channel[bytes](inf)
                    nursery.start_soon(partial(self._read, source, given, there=there))
                    nursery.start_soon(partial(self._write, taken, sink, there=there))
        except* (Dead, trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            reset(self._near)
            reset(self._far)

    async def _read(
        self, source: trio.SocketStream, chunks: trio.MemorySendChannel[bytes], *, there: bool
    ) -> None:
        """Take what comes at once, so that the moment at which it was said is known."""
        with chunks:
            try:
                while data := await self._receive(source, there=there):
                    chunks.send_nowait(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                if not self._swallowing:  # or else one end is reset, and the other must not notice
                    raise

    async def _receive(self, source: trio.SocketStream, *, there: bool) -> bytes:
        """What comes next; what the server says is dated by the kernel, since we may be late."""
        try:
            data, ancillary, _, _ = await source.socket.recvmsg(1 << 16, 64)
        except OSError as error:
            self._end_of(there=there)
            raise trio.BrokenResourceError from error
        if not data:
            self._end_of(there=there)
        if not there and data:
            [stamp] = [struct.unpack("@ll", said) for _, _, said in ancillary] or [None]
            late = 0.0 if stamp is None else time.time() - stamp[0] - stamp[1] / 1e9
            # The stamp is that of the last line: what came before may have lain here all along.
            self._wire.server_said(data, max(0.0, late, stall(trio.current_time())))
        return data

    def _end_of(self, *, there: bool) -> None:
        """One end says no more."""
        if there:
            self._player_left = True
        elif not (self._player_left or self._mute or self._swallowing):
            self._wire.hung_up = now()

    async def _write(
        self, chunks: trio.MemoryReceiveChannel[bytes], sink: trio.SocketStream, *, there: bool
    ) -> None:
        async for data in chunks:
            if self._swallowing or (there and self._mute):
                continue
            kind = self._mischief.choose()
            if not kind:
                await self._send(sink, data)
                continue
            since = now()
            place = len(self._wire.faults)
            self._wire.faults.append(Fault(kind, since, since + LONGEST_HOLE))
            try:
                await _DO[kind](self, sink, data)
            finally:
                self._wire.faults[place] = Fault(kind, since, now())
        if not self._swallowing and not (there and self._mute):
            _say_the_end(sink)

    async def _send(self, sink: trio.SocketStream, data: bytes) -> None:
        # Written down before the server can have answered it.
        lines = self._wire.player_said(data) if sink is self._far else []
        await sink.send_all(data)
        for line in lines:
            line.until = now()

    # What can happen

    async def _delay(self, sink: trio.SocketStream, data: bytes) -> None:
        await trio.sleep(self._chance.random() * LONGEST_DELAY)
        await self._send(sink, data)

    async def _drip(self, sink: trio.SocketStream, data: bytes) -> None:
        until, sent = now() + LONGEST_DELAY, 0
        while sent < min(DRIPPED, len(data)) and now() < until:  # busy: every byte takes long
            await self._send(sink, data[sent : sent + 1])
            sent += 1
            await trio.sleep(0.0005)
        await self._send(sink, data[sent:])

    async def _split(self, sink: trio.SocketStream, data: bytes) -> None:
        cuts = sorted(self._chance.randrange(len(data) + 1) for _ in range(3))
        for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            await self._send(sink, data[begin:end])
            await trio.sleep(self._chance.random() * 0.005)

    async def _half(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._send(sink, data[: self._chance.randrange(len(data))])

    async def _cut(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._half(sink, data)
        self._wire.player_said(b"\n")  # as in a half-close
        self._mute = True
        for stream in (self._far, self._near):
            _say_the_end(stream)
        await trio.sleep(0.01)
        raise Dead

    async def _reset(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._half(sink, data)
        raise Dead

    async def _reset_here(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._half(sink, data)
        self._swallowing = True
        reset(self._near)
        await self._linger()

    async def _reset_there(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._half(sink, data)
        self._swallowing = True
        reset(self._far)
        await self._linger()

    async def _half_close(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._send(sink, data)
        self._wire.player_said(b"\n")  # the end of what is said may end a line, too
        self._mute = True
        _say_the_end(self._far)

    async def _black_hole(self, sink: trio.SocketStream, data: bytes) -> None:
        await self._linger()

    async def _linger(self) -> None:
        self._swallowing = True
        await trio.sleep((0.1 + 0.9 * self._chance.random()) * LONGEST_HOLE)
        raise Dead


_DO = {
    "delay": _Passage._delay,
    "drip": _Passage._drip,
    "split": _Passage._split,
    "cut": _Passage._cut,
    "reset": _Passage._reset,
    "reset-here": _Passage._reset_here,
    "reset-there": _Passage._reset_there,
    "half-close": _Passage._half_close,
    "black-hole": _Passage._black_hole,
}


def _say_the_end(stream: trio.SocketStream) -> None:
    """Even while the other direction is in the middle of a drip, which Trio's own would refuse."""
    with suppress(OSError):
        stream.socket.shutdown(SHUT_WR)


def reset(stream: trio.SocketStream) -> None:
    """Close it so that the other end gets a RST."""
    if stream.socket.fileno() != -1:
        stream.socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        stream.socket.close()
