"""Reads the requests of an HTTP connection: first as they are asked for, then in a task of its own,
so that a peer that leaves is noticed while it is answered."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

import h11
import trio

from ulci.net.http_head import BODY_BYTES, BadRequestError, Head, end_of_head, too_long, unreadable
from ulci.net.limits import RECEIVE_BYTES
from ulci.net.turns import Steps

AHEAD = 64 * 1024
"""Bytes that may come before they are asked for, such as pipelined requests. No browser sends any;
a client that sends more is cut off."""

REQUEST_BYTES = 256 * 1024
"""Bytes on the wire for one request: four times the longest, for chunks and small packets, each of
which counts as `MIN_READ_COST` at least."""

CHUNKS = 1024
"""Chunks of a body; each takes 20 µs, and 64 KiB could come as that many."""

CHUNKS_AT_ONCE = 64
"""Chunks read before other tasks run."""

PORTION = 4096
"""Bytes of a body that h11 reads at once: as fields after the last chunk they take 4 ms."""


class RequestReader:
    """patience: s for a head, and for a body."""

    __slots__ = ("_patience", "_stream", "_wake", "has_task", "left", "may_hear", "read")

    def __init__(self, stream: trio.abc.Stream, patience: float) -> None:
        self._stream = stream
        self._patience = patience
        self._wake = trio.lowlevel.ParkingLot()
        self.read = bytearray()
        """What was read and is not used yet."""
        self.has_task = False
        """`run` runs, or is about to: other readers wait for it."""
        self.left = False
        """The peer has left, or is to be cut off."""
        self.may_hear = False
        """It has left, but perhaps only closed its sending side."""

    async def run(self) -> None:
        """The task: read until the peer leaves."""
        while await self._fill():
            self._wake.unpark()

    async def _fill(self) -> bool:
        """Read once; False at the end."""
        try:
            data = await self._stream.receive_some(RECEIVE_BYTES)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._leave(may_hear=False)
            return False
        self.read += data
        if len(self.read) > AHEAD:
            self._leave(may_hear=False)
        elif not data:
            self._leave(may_hear=True)
        return not self.left

    def _leave(self, *, may_hear: bool) -> None:
        self.left, self.may_hear = True, may_hear
        self._wake.unpark()

    async def _more(self) -> bool:
        """Wait for more bytes; False at the end."""
        if not self.has_task:
            return await self._fill()
        before = len(self.read)
        while len(self.read) == before and not self.left:
            await self._wake.park()
        return len(self.read) > before

    async def head(self, deadline: float) -> bytes | None:
        """The next one; None if the peer left, or nothing came before the deadline
        (`trio.current_time`, s). Raises `BadRequestError`."""
        begun = skipped = False
        searched = 0
        with trio.CancelScope(deadline=deadline) as scope:
            while True:
                if not skipped and self.read.startswith(b"\r\n"):
                    skipped = True  # RFC 9112 section 2.2: one empty line before a request
                    del self.read[:2]
                if self.read and (skipped or self.read != b"\r"):
                    if end := end_of_head(self.read, searched):
                        raw = bytes(self.read[:end])
                        del self.read[:end]
                        return raw
                    searched = len(self.read)
                if self.read and self.has_task and not begun:
                    scope.deadline = trio.current_time() + self._patience
                begun = begun or bool(self.read)
                if not await self._more():
                    return None
        if not begun:
            return None
        text = f"No whole request came within {self._patience:g} s."
        raise BadRequestError(HTTPStatus.REQUEST_TIMEOUT, text)

    async def body(
        self, head: Head, connection: h11.Connection, write: Callable[[bytes], Awaitable[None]]
    ) -> bytes | None:
        """The body of the request with that head; None if the peer left before its end. `write`
        sends to the peer. Raises `BadRequestError`."""
        if head.length == 0:
            connection.next_event()  # the end of the request
            return b""
        if connection.they_are_waiting_for_100_continue:
            go_on = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
            await write(connection.send(go_on))
        body, chunks, steps = bytearray(), 0, Steps(CHUNKS_AT_ONCE)
        with trio.move_on_after(self._patience):
            while True:
                try:
                    event = connection.next_event()
                except h11.RemoteProtocolError as error:
                    raise unreadable(error) from None
                if isinstance(event, h11.EndOfMessage):
                    self.read[:0] = connection.trailing_data[0]
                    return bytes(body)
                if not isinstance(event, h11.Data):
                    if not (self.read or await self._more()):
                        return None
                    connection.receive_data(bytes(self.read[:PORTION]))
                    del self.read[:PORTION]
                    continue
                body += event.data
                chunks += event.chunk_start
                if len(body) > BODY_BYTES or chunks > CHUNKS:
                    raise too_long()
                if event.chunk_start:
                    await steps.done()
        text = f"The body did not come within {self._patience:g} s."
        raise BadRequestError(HTTPStatus.REQUEST_TIMEOUT, text)
