"""HTTP/1.1 for an ASGI application, on the port of the WebSocket.

Our own, because a server that dies would end every game: hypercorn 0.18 and anycorn 0.20 could be
ended by one request. HTTP/2 and compression are a reverse proxy's business.

A connection is two tasks: one reads requests and runs the application, the other reads the stream,
so that a peer that leaves ends what it asked for.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus

import h11
import trio

from ulci.net.address import Address
from ulci.net.asgi import App, Exchange, LeftError, Scope, http_scope
from ulci.net.errors import HandshakeError
from ulci.net.gate import RETRY_AFTER, Gate, Refusal, network
from ulci.net.http_head import (
    BODY_BYTES,
    SHOWN,
    BadRequestError,
    Head,
    end_of_head,
    may_open,
    read_head,
    too_long,
    unreadable,
)
from ulci.net.limits import RECEIVE_BYTES, Limits
from ulci.net.refuse import http_answer, status_of
from ulci.net.tcpstream import TcpStream
from ulci.net.token_bucket import Buckets
from ulci.protocol.messages import Blame

SEND_TIMEOUT = 10.0
"""Seconds for a peer to take the next `PIECE` of an answer: the slowest mobile network needs
five."""

PIECE = 64 * 1024
"""Bytes of an answer that are sent at once."""

KEEP_ALIVE = 10.0
"""Seconds between two requests on one connection. Browsers open six and reuse them within a page;
longer, idle ones would fill the places of a school behind one address."""

GRACE = 1.0
"""Seconds in which an application may end by itself after the peer left, or after an answer without
a body. The former also lets a program that closes its sending side read its answer."""

AHEAD = 64 * 1024
"""Bytes that may come before they are asked for, such as pipelined requests. No browser sends any;
who sends more is cut off."""

REQUEST_BYTES = 256 * 1024
"""Bytes on the wire for one request: four times the longest, for chunks and small packets, each of
which counts as `MIN_READ_COST` at least."""

CHUNKS = 1024
"""Chunks of a body; each takes 20 µs, and 64 KiB could come as that many."""

CHUNKS_AT_ONCE = 64
"""Chunks read before other tasks run."""

PORTION = 4096
"""Bytes of a body that h11 reads at once: as fields after the last chunk they take 4 ms."""

BODIES_AT_ONCE = 64
"""Requests with a body on one listener, at most 4 MiB together. What people look at has none."""

REQUESTS_A_SECOND = 50.0
REQUESTS_AT_ONCE = 1000
"""Limits of requests of one address: a tenth of a core at 2 ms each, and a school whose pupils open
the page together, forty files each. Exempt addresses have none."""


@dataclass(frozen=True, slots=True)
class Site:
    """What a listener for WebSocket answers to all other requests."""

    app: App
    """Gets scopes of type ``http`` only, with bodies of at most `BODY_BYTES` in one piece. It is
    cancelled when its peer leaves."""

    origins: frozenset[str] = frozenset()
    """Other origins whose pages may open the WebSocket, like ``https://example.org``; ``*`` allows
    all. Pages of this server, by the ``Host`` that the browser names, always may, and so may
    programs, which send no ``Origin``."""


@dataclass
class Front:
    """What all HTTP connections of a listener share."""

    site: Site
    address: Address
    limits: Limits
    gate: Gate | None
    report: Callable[[str, Exception], None]
    bodies: int = 0
    """Requests with a body that are being read or answered."""
    requests: Buckets[str] = field(
        default_factory=lambda: Buckets(REQUESTS_A_SECOND, REQUESTS_AT_ONCE)
    )

    @contextmanager
    def admitted(self, host: str, head: Head) -> Iterator[str]:
        """Count a request of this peer while it is answered; the client behind a proxy, or empty.

        One connection of a proxy carries the requests of many clients, so each request counts as a
        connection of its client. Raises `BadRequestError`.
        """
        gate = self.gate
        real = gate.behind(host, head.readable()) if gate is not None else ""
        with_body = head.length != 0
        if (refusal := self._refusal(real, real or host, with_body=with_body)) is not None:
            raise BadRequestError(status_of(refusal), f"{refusal}", refusal.retry_after)
        self.bodies += with_body
        if gate is not None and real:
            gate.enter(real)
            gate.opened(real)
        try:
            yield real
        finally:
            self.bodies -= with_body
            if gate is not None and real:
                gate.leave(real)

    def _refusal(self, real: str, client: str, *, with_body: bool) -> Refusal | None:
        if with_body and self.bodies >= BODIES_AT_ONCE:
            return Refusal("too many requests with a body", retry_after=RETRY_AFTER)
        if self.gate is None or self.gate.exempts(client):
            return None
        if real and (refusal := self.gate.full(real)) is not None:
            return refusal
        if wait := self.requests.take(network(client), trio.current_time()):
            text = f"your address asks too often: the limit is {REQUESTS_A_SECOND:g} times a second"
            return Refusal(text, Blame.CLIENT, math.ceil(wait))
        return None


class HttpConnection:
    """The server side of a connection, from its first byte to its last."""

    __slots__ = (
        "_answering",
        "_bottom",
        "_exchange",
        "_first",
        "_front",
        "_label",
        "_left",
        "_peer",
        "_reading",
        "_server",
        "_stream",
        "_wake",
        "read",
    )

    def __init__(
        self,
        front: Front,
        stream: trio.abc.Stream,
        bottom: TcpStream,
        *,
        label: str,
        peer: tuple[str, int],
        server: tuple[str, int],
    ) -> None:
        self._front = front
        self._stream = stream
        self._bottom = bottom
        self._label = label
        self._peer = peer
        self._server = server
        self.read = bytearray()
        """What was read and is not used yet."""
        self._first: tuple[Head, h11.Connection] | None = None
        self._reading = False  # the second task runs
        self._wake = trio.lowlevel.ParkingLot()
        self._exchange: Exchange | None = None
        self._answering: trio.CancelScope | None = None
        self._left = False

    async def begin(self, deadline: float) -> bool | None:
        """Read the first head. Whether it asks for a WebSocket, in which case it is still in
        `read`; None if nothing came at all, as from a browser that connects ahead.

        Raises:
            HandshakeError: it was refused, and the peer told so.
        """
        try:
            raw = await self._next_head(deadline)
            if raw is None and self.read:
                raise HandshakeError("the peer left in the middle of a request")
            if raw is None:
                await self._close()
                return None
            head, connection = read_head(raw)
            if head.upgrades:
                self._check_origin(head)
                self.read[:0] = raw
                return True
            self._check_path(head)
            self._first = head, connection
            return False
        except BadRequestError as error:
            await self._refuse(error)
            await self._close()
            raise HandshakeError(f"refused: {error}") from None

    async def run(self) -> None:
        """Answer requests, beginning with the one that `begin` read, until the connection ends."""
        self._reading = True
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_on)
            while await self._serve():
                pass
            nursery.cancel_scope.cancel()
        await self._close()

    # Reading

    async def _read_on(self) -> None:
        """The second task."""
        while await self._fill():
            self._wake.unpark()

    async def _fill(self) -> bool:
        """Read once; False at the end."""
        try:
            data = await self._stream.receive_some(RECEIVE_BYTES)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._leave(0)
            return False
        self.read += data
        if len(self.read) > AHEAD:
            self._leave(0)
        elif not data:
            self._leave(GRACE)
        return not self._left

    def _leave(self, grace: float) -> None:
        """The peer has left: tell the application, and end it after `grace` (s)."""
        self._left = True
        self._wake.unpark()
        if self._exchange is not None:
            self._exchange.leave()
        self._end_answer(grace)

    def _end_answer(self, grace: float) -> None:
        if self._answering is not None:
            self._answering.deadline = min(self._answering.deadline, trio.current_time() + grace)

    async def _more(self) -> bool:
        """Wait for more bytes; False at the end."""
        if not self._reading:
            return await self._fill()
        before = len(self.read)
        while len(self.read) == before and not self._left:
            await self._wake.park()
        return len(self.read) > before

    async def _next_head(self, deadline: float) -> bytes | None:
        """A head; None if the peer left, or nothing came before the deadline
        (`trio.current_time`, s). Raises `BadRequestError`."""
        patience = self._front.limits.handshake
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
                if self.read and self._reading and not begun:
                    scope.deadline = trio.current_time() + patience
                begun = begun or bool(self.read)
                if not await self._more():
                    return None
        if not begun:
            return None
        text = f"No whole request came within {patience:g} s."
        raise BadRequestError(HTTPStatus.REQUEST_TIMEOUT, text)

    async def _read_body(self, head: Head, connection: h11.Connection) -> bytes | None:
        """The body; None if the peer left before its end. Raises `BadRequestError`."""
        if head.length == 0:
            connection.next_event()  # the end of the request
            return b""
        if connection.they_are_waiting_for_100_continue:
            go_on = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
            await self._write(connection.send(go_on))
        body, chunks = bytearray(), 0
        patience = self._front.limits.handshake
        with trio.move_on_after(patience):
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
                if event.chunk_start and not chunks % CHUNKS_AT_ONCE:
                    await trio.lowlevel.checkpoint()
        text = f"The body did not come within {patience:g} s."
        raise BadRequestError(HTTPStatus.REQUEST_TIMEOUT, text)

    # Answering

    async def _serve(self) -> bool:
        """Answer the next request; False if there is none after it."""
        self._bottom.unheard, self._bottom.most_unheard = 0, REQUEST_BYTES
        try:
            first, self._first = self._first, None
            if first is None:
                raw = await self._next_head(trio.current_time() + KEEP_ALIVE)
                if raw is None:
                    return False
                first = read_head(raw)
                if first[0].upgrades:
                    text = "A WebSocket can be opened by the first request of a connection only."
                    raise BadRequestError(HTTPStatus.BAD_REQUEST, text)
                self._check_path(first[0])
            head, connection = first
            with self._front.admitted(self._peer[0], head) as real:
                body = await self._read_body(head, connection)
                if body is None:
                    return False
                exchange = Exchange(
                    head, connection, body, self._write, lambda: self._end_answer(GRACE)
                )
                return await self._answer(exchange, self._scope(head, real))
        except BadRequestError as error:
            await self._refuse(error)
            self._front.report(self._label, HandshakeError(f"refused: {error}"))
        except LeftError:
            pass  # when it was told to go on with its body
        return False

    def _scope(self, head: Head, real: str) -> Scope:
        scheme = "https" if self._front.address.tls else "http"
        if real:  # only then the proxy is trusted
            named = head.readable().get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
            scheme = named if named in ("http", "https") else scheme
        client = (real, 0) if real else self._peer
        return http_scope(head, scheme=scheme, client=client, server=self._server)

    async def _answer(self, exchange: Exchange, scope: Scope) -> bool:
        """Run the application; whether the connection goes on."""
        failure: Exception | None = None
        with trio.CancelScope() as self._answering:
            self._exchange = exchange
            if self._left:
                self._leave(GRACE)
            try:
                await self._front.site.app(scope, exchange.receive, exchange.send)
            except* Exception as group:  # noqa: BLE001 (reported)
                failure = group
        self._exchange = self._answering = None
        try:
            if failure is None and exchange.finished:
                return exchange.goes_on
            if failure is None and not self._left:
                failure = RuntimeError("the application ended without a whole answer")
            if failure is not None and not _is_leaving(failure):
                path = scope["raw_path"].decode("ascii")[:SHOWN]
                self._front.report(f"{self._label} {scope['method'][:SHOWN]} {path}", failure)
                if not exchange.sent:
                    text = "Something went wrong here; the log of the server says what."
                    await self._refuse(BadRequestError(HTTPStatus.INTERNAL_SERVER_ERROR, text))
            return False
        finally:
            del failure  # avoids a reference cycle through its traceback

    async def _write(self, data: bytes) -> None:
        """Send, and wait for a peer that reads slowly. Raises `LeftError`."""
        view = memoryview(data)
        try:
            for begin in range(0, len(data), PIECE):
                with trio.move_on_after(SEND_TIMEOUT) as scope:
                    await self._stream.send_all(view[begin : begin + PIECE])
                if scope.cancelled_caught:
                    raise LeftError(f"the peer read nothing for {SEND_TIMEOUT:g} s")
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LeftError("the peer has left") from error

    async def _refuse(self, error: BadRequestError) -> None:
        with suppress(LeftError):
            await self._write(http_answer(error.status, error.text, error.retry_after))

    async def _close(self) -> None:
        with trio.move_on_after(self._front.limits.flush), suppress(trio.BrokenResourceError):
            await self._stream.aclose()

    def _check_path(self, head: Head) -> None:
        """The path of the WebSocket is not the application's, unless it is the only one."""
        path = self._front.address.path.partition("?")[0]
        if path not in ("", "/") and head.raw_path == path.encode():
            text = f"The relay is at {path}, over WebSocket."
            raise BadRequestError(HTTPStatus.UPGRADE_REQUIRED, text)

    def _check_origin(self, head: Head) -> None:
        if may_open(head.fields, self._front.site.origins):
            return
        origin = head.readable()["origin"][:SHOWN]
        text = f"A page of {origin} may not open this WebSocket: it is not one of this server."
        raise BadRequestError(HTTPStatus.FORBIDDEN, text)


def _is_leaving(error: BaseException | None) -> bool:
    """Whether an error only says that the peer has left, whatever the application made of it."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_leaving, error.exceptions))
    if error is None or isinstance(error, LeftError):
        return error is not None
    return _is_leaving(error.__cause__ or error.__context__)
