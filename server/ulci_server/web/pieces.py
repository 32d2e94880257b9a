"""Long answers in pieces: most of the pieces are shared by all clients and not copied."""

from collections.abc import Mapping
from typing import NamedTuple

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .documents import after_now, encode

Piece = bytes | memoryview

COPIED = 64 * 1024
"""Bytes of the longest answer that is joined into one piece: a copy takes 5 µs, one more piece to
send takes 30 µs."""


def _joined(*pieces: Piece) -> tuple[Piece, ...]:
    return pieces if sum(map(len, pieces)) > COPIED else (b"".join(pieces),)


def timed(body: bytes, **more: object) -> tuple[bytes, memoryview]:
    """The JSON object `body` with the server's time and `more` in front, as two pieces. `body` is
    not copied."""
    return after_now(body, **more), memoryview(body)[1:]


class WholeGame(NamedTuple):
    """The first event of a stream: the game so far. number: the event's. begin, rest: the two
    pieces from `timed`."""

    number: int
    begin: bytes
    rest: memoryview

    def pieces(self, *, ndjson: bool) -> tuple[Piece, ...]:
        """The event as pieces of a stream."""
        if ndjson:
            head = encode({"event": "game", "event_id": self.number})
            return _joined(head[:-1], b",", self.begin[1:], self.rest, b"\n")
        head = b"event: game\nid: %d\ndata: " % self.number
        return _joined(head, self.begin, self.rest, b"\n\n")


class PiecesResponse(Response):
    """An answer in pieces, with its length in the head."""

    def __init__(
        self, pieces: tuple[Piece, ...], headers: Mapping[str, str], media_type: str
    ) -> None:
        length = {"Content-Length": str(sum(map(len, pieces)))}
        super().__init__(None, 200, {**headers, **length}, media_type)
        self._pieces = _joined(*pieces)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        *pieces, last = self._pieces
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": last, "more_body": False})
