"""One request and its answer, as an ASGI 3 application sees them.

The answer is written by h11, which refuses what is no HTTP: a line break in a field, more bytes
than were announced.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

import h11
import trio

from ulci.net.http_head import Head

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI 3 application."""

_VERSIONS: Mapping[str, str] = {"version": "3.0", "spec_version": "2.4"}
"""By 2.4 ``send`` raises `OSError` after the peer left."""

_PHRASES: Mapping[int, bytes] = {status.value: status.phrase.encode() for status in HTTPStatus}

_WITHOUT_BODY = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}


PIECE = 64 * 1024
"""Bytes of an answer that are sent at once."""


class LeftError(OSError):
    """The peer has left, or does not read."""


def http_scope(
    head: Head, *, scheme: str, client: tuple[str, int], server: tuple[str, int]
) -> Scope:
    """The scope of a request."""
    return {
        "type": "http",
        "asgi": dict(_VERSIONS),
        "http_version": head.version,
        "method": head.method,
        "scheme": scheme,
        "path": head.path,
        "raw_path": head.raw_path,
        "query_string": head.query,
        "root_path": "",
        "headers": head.fields,
        "client": client,
        "server": server,
    }


class Exchange:
    """A request with its body, and the answer to it."""

    __slots__ = (
        "_asked",
        "_body",
        "_connection",
        "_has_body",
        "_held",
        "_over",
        "_started",
        "_take_turn",
        "_write",
        "finished",
        "on_bodiless",
        "sent",
    )

    def __init__(
        self,
        head: Head,
        connection: h11.Connection,
        body: bytes,
        write: Callable[[bytes], Awaitable[None]],
        take_turn: Callable[[], Awaitable[None]],
        on_bodiless: Callable[[], None],
    ) -> None:
        """`write` raises `LeftError`; `take_turn` is called between two pieces, `on_bodiless` after
        an answer that has no body, of which the application may not know."""
        self._connection = connection
        self._body = body
        self._asked = False
        self._write = write
        self._take_turn = take_turn
        self._has_body = head.method != "HEAD"
        self._started = False
        self._held = b""  # a head that waits for its body, to be sent with it
        self._over: trio.Event | None = None
        self.on_bodiless = on_bodiless
        self.sent = False
        """Whether the answer has begun, for the peer."""
        self.finished = False
        """Whether the answer is whole."""

    @property
    def goes_on(self) -> bool:
        """Whether another request may follow."""
        states = self._connection.states
        return states[h11.SERVER] is h11.DONE and states[h11.CLIENT] is h11.DONE

    def leave(self) -> None:
        """The peer has left: tell the application."""
        if self._over is None:
            self._over = trio.Event()
        self._over.set()

    async def receive(self) -> Event:
        """The body, then the end of the exchange, once it comes."""
        if not self._asked:
            await trio.lowlevel.checkpoint()
            self._asked = True
            body, self._body = self._body, b""
            return {"type": "http.request", "body": body, "more_body": False}
        if self._over is None:
            self._over = trio.Event()
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def send(self, event: Event) -> None:
        """The head or a part of the body, until the system has taken it.

        Raises:
            LeftError: the peer has left, or does not read.
            h11.LocalProtocolError, RuntimeError: the application may not send this, or not now.
        """
        kind = event["type"]
        if kind == "http.response.start":
            await self._start(event["status"], event.get("headers", ()))
        elif kind != "http.response.body":
            raise RuntimeError(f"an answer has no {kind}")
        elif not self._started:
            raise RuntimeError("an answer begins with http.response.start")
        elif self.finished:
            await trio.lowlevel.checkpoint()
        else:
            await self._continue(event.get("body", b""), last=not event.get("more_body", False))

    async def _start(self, status: int, fields: Iterable[tuple[bytes, bytes]]) -> None:
        if self._started:
            raise RuntimeError("the answer has begun already")
        fields = [(bytes(name).lower(), bytes(value)) for name, value in fields]
        names = {name for name, _ in fields}
        if b"date" not in names:  # RFC 9110 section 6.6.1
            fields.append((b"date", formatdate(time.time(), usegmt=True).encode()))
        response = h11.Response(
            status_code=status, headers=fields, reason=_PHRASES.get(status, b"")
        )
        data = self._connection.send(response)
        self._started = True
        if not self._has_body or status in _WITHOUT_BODY:
            self._finish()
            await self._out(data + self._connection.send(h11.EndOfMessage()))
            self.on_bodiless()
        elif b"content-length" in names:
            self._held = data
        else:  # a stream, whose first part may be long in coming
            await self._out(data)

    async def _continue(self, body: bytes | memoryview, *, last: bool) -> None:
        body = memoryview(body)
        while len(body) > PIECE:
            data = self._held + self._connection.send(h11.Data(data=bytes(body[:PIECE])))
            self._held, body = b"", body[PIECE:]
            await self._out(data)
            await self._take_turn()
        data = self._connection.send(h11.Data(data=bytes(body))) if body else b""
        if last:
            data += self._connection.send(h11.EndOfMessage())
        data, self._held = self._held + data, b""
        if last:
            self._finish()
        if data:
            await self._out(data)
        else:
            await trio.lowlevel.checkpoint()

    def _finish(self) -> None:
        self.finished = True
        if self._over is not None:
            self._over.set()

    async def _out(self, data: bytes) -> None:
        self.sent = True
        await self._write(data)
