"""WebSocket frames, counted before trio-websocket reads them.

trio-websocket reports whole messages only, so pings, pongs and fragments, each as much work, would
go uncounted. It also handles all control frames of one read in one step, 7 ms for a full read of
the smallest frames; so it gets at most `AT_ONCE` at a time.
"""

import trio

from ulci.net.limits import Allowance

# RFC 6455, 5.2: the second byte of a frame is a bit for the mask and seven for the length, of which
# two values say that the length follows in so many bytes.
_MASK = 0x80
_LENGTH = 0x7F
_LONGER = {126: 2, 127: 8}
_KEY = 4
"""Size of the mask in bytes."""


AT_ONCE = 16
"""Frames handled before other tasks run: about 1 ms of work."""


class Frames:
    """Frame boundaries in a stream of bytes."""

    __slots__ = ("_head", "_rest")

    def __init__(self) -> None:
        self._head = b""  # incomplete header of the next frame
        self._rest = 0  # bytes left of the current frame

    def cut(self, data: bytes, most: int) -> tuple[int, int]:
        """The number of frames that begin in these bytes, at most `most`, and the offset of the
        next frame."""
        number, at = 0, self._rest
        data = self._head + data
        before, self._head = len(self._head), b""
        while at < len(data):
            if number == most:
                self._rest = 0
                return number, at - before
            size = _size(data, at)
            if size is None:
                self._head, at = data[at:], len(data)
                break
            number += 1
            at += size
        self._rest = at - len(data)
        return number, len(data) - before


def _size(data: bytes, at: int) -> int | None:
    """Size in bytes of the frame at this offset; None if its header is incomplete."""
    if len(data) < at + 2:
        return None
    length = data[at + 1] & _LENGTH
    head = 2 + _LONGER.get(length, 0)
    if len(data) < at + head:
        return None
    if head > 2:
        length = int.from_bytes(data[at + 2 : at + head])
    return head + (_KEY if data[at + 1] & _MASK else 0) + length


class FrameStream(trio.abc.Stream):
    """The server's stream below trio-websocket. `already_read`: its first bytes, which somebody
    else had to see."""

    def __init__(
        self, below: trio.abc.Stream, *, encrypted: bool, already_read: bytes = b""
    ) -> None:
        self._below = below
        self._encrypted = encrypted
        self._allowance: Allowance | None = None
        self._upgraded = False
        self._frames = Frames()
        self._kept = already_read
        self._unpaid = 0

    def upgraded(self) -> None:
        """The upgrade is done: from now on bytes are frames."""
        self._upgraded = True

    def charge(self, allowance: Allowance | None) -> None:
        """Charge frames to this allowance."""
        self._allowance = allowance

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """At most `AT_ONCE` frames or pieces of them; ``b""`` at the end of the stream."""
        if self._kept:
            await trio.lowlevel.checkpoint()
            data, self._kept = self._kept, b""
        else:
            data = bytes(await self._below.receive_some(max_bytes))
            if self._encrypted and self._allowance is not None:
                self._allowance.record()
        if self._upgraded:
            number, end = self._frames.cut(data, AT_ONCE)
            data, self._kept = data[:end], data[end:]
            self._charge(number)
        return data

    def _charge(self, number: int) -> None:
        self._unpaid += number
        if self._allowance is not None:
            self._allowance.frames(self._unpaid)
            self._unpaid = 0

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._below.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._below.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._below.aclose()
