"""Reads of a TCP socket: the bytes, the time of the read, and how long they waited for it.

A busy, stopped or starved server reads late what arrived in time. The kernel stamps what it
receives (SO_TIMESTAMPNS), so the wait in the buffer can be separated from the player's own time.
Measured on loopback: ``recv`` 5.0 µs, ``recvmsg`` with the stamp and both clocks 7.0 µs.
"""

import contextlib
import math
import platform
import socket
import struct
import time
from collections.abc import Callable, Iterable

import trio

from ulci.net.limits import Allowance
from ulci.net.timing import stall
from ulci.system import RECEIVE_STAMPED, ancillary_size

SO_TIMESTAMPNS = 35
"""Missing in Python's socket module. The ancillary data has the same number."""

TCP_QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)
"""Linux only (tcp(7)); other systems acknowledge as they like."""

_OTHER_NUMBERS = ("alpha", "parisc", "sparc")  # where 35 has another meaning (asm/socket.h)

_SOL_SOCKET = int(socket.SOL_SOCKET)  # an enumeration compares slowly

_TIMESPEC = struct.Struct("@ll")  # s and ns of CLOCK_REALTIME

_ANCILLARY = ancillary_size(_TIMESPEC.size)

Clocks = Callable[[], tuple[int, int]]
"""Returns the real-time and the monotonic clock, in ns."""


def clocks() -> tuple[int, int]:
    """The machine's clocks. In this order a pause between the two reads can only reduce
    lateness."""
    return time.time_ns(), time.monotonic_ns()


class Lateness:
    """How long bytes waited in the system's buffer, by stamps of a clock that may be set in
    between.

    At least 0, at most the monotonic time since the buffer was last known to be empty. If the
    real-time clock was put forward since then, the difference is subtracted, because it may have
    happened after the bytes came. All times in ns.
    """

    __slots__ = ("_ahead", "_empty")

    def __init__(self, real: int, monotonic: int) -> None:
        self.emptied(real, monotonic)

    def emptied(self, real: int, monotonic: int) -> None:
        """The buffer is empty."""
        self._empty = monotonic
        self._ahead = real - monotonic

    def of(self, stamp: int | None, real: int, monotonic: int, *, emptied: bool = False) -> float:
        """Lateness in s of bytes stamped `stamp` and read now; 0 without a stamp. `emptied`: the
        buffer is empty after this read."""
        late = 0.0
        ahead = real - monotonic
        if stamp is not None:
            age = real - stamp
            if ahead > self._ahead:
                age -= ahead - self._ahead
            if age > 0:
                late = min(age, monotonic - self._empty) / 1e9
        if emptied:
            self._empty = monotonic
            self._ahead = ahead
        return late


class Intake:
    """Reads a connected, non-blocking socket.

    A read is as late as its last byte; if it holds more than one line and this process stalled, as
    late as the stall. Where the system gives no stamps, only stalls count. Bytes that waited
    because the peer exceeded its rate limit are not late.
    """

    __slots__ = (
        "_clocks",
        "_dated",
        "_lateness",
        "_pausing",
        "_resumed",
        "_sock",
        "_stamped",
        "_stopped",
        "allowance",
        "at",
        "late",
        "now",
        "stalled_since",
    )

    def __init__(self, sock: socket.socket, clocks: Clocks = clocks) -> None:
        self.at = 0.0
        """Time of the last read (`trio.current_time`, s)."""
        self.late = 0.0
        """How long before `at` the system had received the last byte, s."""
        self.allowance: Allowance | None = None
        """What the peer may send; None means any amount."""
        self.stalled_since = math.inf
        """When this process stalled (s), if the next read was due then; infinite if not."""
        self._resumed = -math.inf  # planned end of the last pause
        self._pausing = trio.CancelScope()
        self._stopped = False
        self._sock = sock
        self._clocks = clocks
        self.now = trio.lowlevel.current_clock().current_time
        """`trio.current_time` in one step instead of three."""
        self._lateness = Lateness(*clocks())
        self._stamped = ask_for_stamps(sock)
        self._dated = False  # whether the last read was stamped

    async def turn(self) -> None:
        """Wait until the peer may be read. Raises `trio.ClosedResourceError`."""
        while not self._stopped:
            now = trio.current_time()
            pause = self.allowance.pause(now) if self.allowance is not None else 0.0
            if not pause:
                return
            self._resumed = now + pause
            with trio.CancelScope(deadline=self._resumed) as self._pausing:
                await trio.sleep_forever()
        raise trio.ClosedResourceError("this socket is being closed")

    def stop(self) -> None:
        """End all waiting; call together with `trio.lowlevel.notify_closing`."""
        self._stopped = True
        self._pausing.cancel()

    def pause(self, until: float) -> None:
        """Nothing is read before `until` (s); waiting until then is not lateness."""
        self._resumed = until

    def take(self, most: int) -> bytes:
        """Available bytes; ``b""`` at the end of the stream. Raises `OSError` like ``recv``."""
        stalled_since, self.stalled_since = self.stalled_since, math.inf
        if RECEIVE_STAMPED is None or not self._stamped:
            data = self._plain_read(most)
        else:
            try:
                data, ancillary, _, _ = RECEIVE_STAMPED(self._sock, most, _ANCILLARY)
            except BlockingIOError:
                self._lateness.emptied(*self._clocks())
                raise
            real, monotonic = self._clocks()
            self.at = self.now()  # in this order a pause makes no arrival earlier
            # Bytes from before the kernel began to stamp have none.
            stamp = _stamp(ancillary)
            self._dated = stamp is not None
            self.late = self._lateness.of(stamp, real, monotonic, emptied=len(data) < most)
        if len(data) == most:  # the rest has waited as long
            self.stalled_since = stalled_since
        if not self._dated or data.find(b"\n") != len(data) - 1:
            self.late = max(self.late, stall(self.at), self.at - stalled_since)
        if self.allowance is not None:
            self.allowance.read(len(data), self.at)
            if self.late:
                self.late = max(0.0, min(self.late, self.at - self._resumed))
        return data

    def acknowledge(self) -> None:
        """Acknowledge at once what was read.

        A sender with Nagle's algorithm (RFC 9293 section 3.7.4), such as socat without ``nodelay``,
        holds a small write back until its last one is acknowledged, and the system delays that by
        40 ms to send it with an answer. So a ``bestmove`` after an ``info`` would come 40 ms late.
        The option lasts for one acknowledgement, so it is set again after each read. Measured: 0.6
        µs, and 5 µs for the packet on loopback.
        """
        if TCP_QUICKACK is not None:
            with contextlib.suppress(OSError):  # the peer has left: the next read reports it
                self._sock.setsockopt(socket.IPPROTO_TCP, TCP_QUICKACK, 1)

    def _plain_read(self, most: int) -> bytes:
        self.late = 0.0
        data = self._sock.recv(most)
        self.at = trio.current_time()
        return data


def ask_for_stamps(sock: socket.socket) -> bool:
    """Enable arrival stamps; returns whether the system supports them. Accepted sockets inherit the
    option from the listening one. Linux starts to stamp a moment after the first socket asks; until
    then stamps show the time of the read."""
    if RECEIVE_STAMPED is None or platform.machine().startswith(_OTHER_NUMBERS):
        return False
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


def _stamp(ancillary: Iterable[tuple[int, int, bytes]]) -> int | None:
    """Arrival time of the last byte, in ns of the real-time clock."""
    for level, kind, data in ancillary:
        if kind == SO_TIMESTAMPNS and level == _SOL_SOCKET and len(data) == _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(data)
            return int(seconds * 1_000_000_000 + nanoseconds)
    return None
