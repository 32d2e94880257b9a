"""The frames of a WebSocket, counted on their way to trio-websocket.

It shows whole messages only: of pings, pongs and pieces of messages, each of which is as much work,
nobody would know. And it deals with all frames of a read in one step unless they are messages,
which of a whole read of the smallest takes 7 ms; so it is given some at a time.
"""

import trio

from ulci.net.allowance import Allowance

# RFC 6455, 5.2: the second byte of a frame is a bit for the mask and seven for the length, of which
# two values say that the length follows in so many bytes.
_MASK = 0x80
_LENGTH = 0x7F
_LONGER = {126: 2, 127: 8}
_KEY = 4
"""Bytes of the mask."""


AT_ONCE = 16
"""Frames that are dealt with before others have a turn: a millisecond's work."""


class Frames:
    """Where frames begin and end in the bytes of a stream."""

    __slots__ = ("_head", "_rest")

    def __init__(self) -> None:
        self._head = b""  # of a frame whose length is not known yet
        self._rest = 0  # bytes of the frame that we are in

    def cut(self, data: bytes, most: int) -> tuple[int, int]:
        """How many frames begin in these bytes, up to `most`, and where the next one would."""
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
    """Of the frame that begins there, in bytes; None: that is not known yet."""
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
    """The stream on which a server's side of a WebSocket is spoken."""

    def __init__(self, below: trio.abc.Stream, *, encrypted: bool) -> None:
        self._below = below
        self._encrypted = encrypted
        self._allowance: Allowance | None = None
        self._upgraded = False
        self._frames = Frames()
        self._kept = b""
        self._unpaid = 0

    def upgraded(self) -> None:
        """What trio-websocket is given from now on it takes for frames."""
        self._upgraded = True

    def charge(self, allowance: Allowance | None) -> None:
        """Who pays for them."""
        self._allowance = allowance

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Some frames or pieces of them, none at the end of the stream."""
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
        """As the stream below."""
        await self._below.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As the stream below."""
        await self._below.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """As the stream below."""
        await self._below.aclose()
