"""What comes out of a TCP socket, when it was read, and how long it had lain there.

A server that is busy, stopped or starved of processor time reads late what came in time. The kernel
stamps what it receives (SO_TIMESTAMPNS), so the time that passed until we read it can be told from
the time that the player took. Measured on loopback: ``recv`` 5.0 µs, ``recvmsg`` with the stamp and
both clocks 7.0 µs.
"""

import math
import platform
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable

import trio

from ulci.net.allowance import Allowance
from ulci.net.looking import stall

SO_TIMESTAMPNS = 35
"""Python does not name it. The kernel answers with ancillary data of the same number."""

_OTHER_NUMBERS = ("alpha", "parisc", "sparc")  # where 35 is something else (asm/socket.h)

_TIMESPEC = struct.Struct("@ll")  # s and ns of CLOCK_REALTIME

_ANCILLARY = socket.CMSG_SPACE(_TIMESPEC.size)

Clocks = Callable[[], tuple[int, int]]
"""What the machine's clock and its monotonic one show, in ns."""


def clocks() -> tuple[int, int]:
    """The machine's. In this order a pause between the two readings only makes lateness smaller."""
    return time.time_ns(), time.monotonic_ns()


class Lateness:
    """How long bytes lay in the system's buffer, by stamps of a clock that may be set meanwhile.

    Never less than nothing, never more than the monotonic time since the buffer was last known to
    be empty; and if the machine's clock was put forward since then, that is taken off, because
    nobody knows whether it was before the bytes came or after. All times in ns.
    """

    __slots__ = ("_ahead", "_empty")

    def __init__(self, real: int, monotonic: int) -> None:
        self.emptied(real, monotonic)

    def emptied(self, real: int, monotonic: int) -> None:
        """Nothing is left in the buffer."""
        self._empty = monotonic
        self._ahead = real - monotonic

    def of(self, stamp: int, real: int, monotonic: int) -> float:
        """In s, of bytes that came at `stamp` by the machine's clock and are read now."""
        jumped = real - monotonic - self._ahead
        age = real - stamp - max(jumped, 0)
        return max(0, min(age, monotonic - self._empty)) / 1e9


class Intake:
    """Reads a connected, non-blocking socket.

    A read is as late as the last of its bytes; if there is more in it than one line, and we were
    stalled, it is as late as the stall. Where the system gives no stamps, only stalls count. What
    waited because its sender says more than it may is not late: for that it pays itself.
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
    )

    def __init__(self, sock: socket.socket, clocks: Clocks = clocks) -> None:
        self.at = 0.0
        """When bytes were last read (`trio.current_time`, s)."""
        self.late = 0.0
        """How long before that the system had the last of them, s."""
        self.allowance: Allowance | None = None
        """How much may come; None is any."""
        self._resumed = -math.inf  # when the last pause should have been over
        self._pausing = trio.CancelScope()
        self._stopped = False
        self._sock = sock
        self._clocks = clocks
        self._lateness = Lateness(*clocks())
        self._stamped = ask_for_stamps(sock)
        self._dated = False  # whether the last read was stamped

    async def turn(self) -> None:
        """Wait, if need be, until more may be read. Raises `trio.ClosedResourceError`."""
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
        """Nobody gets a turn any more; to be called wherever the system is told, too
        (`trio.lowlevel.notify_closing`)."""
        self._stopped = True
        self._pausing.cancel()

    def take(self, most: int) -> bytes:
        """What is there, none at the end of the stream. Raises `OSError`, as ``recv`` does."""
        data = self._stamped_read(most) if self._stamped else self._plain_read(most)
        if not self._dated or data.find(b"\n") != len(data) - 1:
            self.late = max(self.late, stall(self.at))
        if self.allowance is not None:
            self.allowance.read(len(data))
            self.late = max(0.0, min(self.late, self.at - self._resumed))
        return data

    def _plain_read(self, most: int) -> bytes:
        self.late = 0.0
        data = self._sock.recv(most)
        self.at = trio.current_time()
        return data

    def _stamped_read(self, most: int) -> bytes:
        try:
            data, ancillary, _, _ = self._sock.recvmsg(most, _ANCILLARY)
        except BlockingIOError:
            self._lateness.emptied(*self._clocks())
            raise
        real, monotonic = self._clocks()
        self.at = trio.current_time()  # in this order a pause makes nobody's arrival earlier
        stamp = _stamp(ancillary)
        # What came before the kernel began to stamp has none; it begins soon after it is asked.
        self._dated = stamp is not None
        self.late = 0.0 if stamp is None else self._lateness.of(stamp, real, monotonic)
        if len(data) < most:
            self._lateness.emptied(real, monotonic)
        return data


def ask_for_stamps(sock: socket.socket) -> bool:
    """Whether the system now says when bytes came. What a listening socket was asked holds for all
    that it accepts, and Linux begins to stamp a moment after the first socket was asked: until then
    it makes up the time of the reading."""
    if sys.platform != "linux" or platform.machine().startswith(_OTHER_NUMBERS):
        return False
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


def _stamp(ancillary: Iterable[tuple[int, int, bytes]]) -> int | None:
    """When the last byte came, in ns of the machine's clock."""
    for level, kind, data in ancillary:
        if (level, kind, len(data)) == (socket.SOL_SOCKET, SO_TIMESTAMPNS, _TIMESPEC.size):
            seconds, nanoseconds = _TIMESPEC.unpack(data)
            return int(seconds) * 1_000_000_000 + int(nanoseconds)
    return None
