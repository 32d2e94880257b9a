"""HTTP/1.1 for an ASGI application, on the port of the WebSocket.

Our own, because a server that dies would end every game: hypercorn 0.18 and anycorn 0.20 could be
ended by one request. HTTP/2 and compression are a reverse proxy's business.

A connection is two tasks: one reads requests and runs the application, the other reads the stream,
so that a peer that leaves ends what it asked for.
"""

from contextlib import suppress
from http import HTTPStatus

import trio

from ulci.net.asgi import Exchange, LeftError, Scope, http_scope
from ulci.net.errors import Failed, HandshakeError
from ulci.net.http_front import ForeignPageError, Front
from ulci.net.http_head import SHOWN, BadRequestError, Head, read_head
from ulci.net.http_reader import REQUEST_BYTES, RequestReader
from ulci.net.refuse import http_answer
from ulci.net.tcpstream import TcpStream
from ulci.net.turns import IS_KNOWN

SEND_TIMEOUT = 10.0
"""Seconds for a peer to take the next piece of an answer (`asgi.PIECE`): the slowest mobile network
needs five."""

KEEP_ALIVE = 10.0
"""Seconds between two requests on one connection. Browsers open six and reuse them within a page;
longer, idle ones would fill the places of a school behind one address."""


class HttpConnection:
    """The server side of a connection, from its first byte to its last."""

    __slots__ = (
        "_answering",
        "_bottom",
        "_exchange",
        "_first",
        "_front",
        "_label",
        "_peer",
        "_reader",
        "_server",
        "_stream",
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
        self._reader = RequestReader(stream, front.limits.opening)
        self._first: bytes | None = None  # the head that `begin` read
        self._exchange: Exchange | None = None
        self._answering: trio.CancelScope | None = None

    @property
    def read(self) -> bytes:
        """What was read and is not used yet."""
        return bytes(self._reader.read)

    async def begin(self, deadline: float) -> bool | None:
        """Read the first head. Whether it asks for a WebSocket, in which case it is still in
        `read`; None if nothing came, as from a browser that connects ahead. A client that
        asks for a WebSocket waits for no turn: it may be a player whose clock runs.

        Raises:
            HandshakeError: it was refused, and the peer told so.
        """
        try:
            raw = await self._reader.head(deadline)
            if raw is None and self._reader.read:
                raise HandshakeError("the peer left in the middle of a request", Failed.LEFT)
            if raw is None:
                await self._close()
                return None
            if _mentions_upgrade(raw) and (head := read_head(raw)[0]).upgrades:
                self._front.check_origin(self._peer[0], head)
                self._reader.read[:0] = raw
                return True
            self._first = raw
            return False
        except BadRequestError as error:
            await self._refuse(error)
            await self._close()
            raise _refused(error) from None

    async def run(self) -> None:
        """Answer requests, beginning with the one that `begin` read, until the connection ends."""
        self._reader.has_task = True
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_on)
            while await self._serve():
                pass
            nursery.cancel_scope.cancel()
        await self._close()

    async def _read_on(self) -> None:
        """The second task."""
        await self._reader.run()
        await self._front.site.turns.take()  # a crowd that leaves is let go in turns, too
        self._tell_left()

    def _tell_left(self) -> None:
        """The peer has left: tell the application, and end it, after a grace if the peer may still
        read."""
        if self._exchange is not None:
            self._exchange.leave()
        if self._reader.may_hear:
            self._end_after_grace()
        elif self._answering is not None:
            self._answering.cancel()

    def _end_after_grace(self) -> None:
        if self._answering is not None:
            self._front.grace.call(self._answering.cancel)

    # Answering

    async def _serve(self) -> bool:
        """Answer the next request; False if there is none after it."""
        self._bottom.unheard, self._bottom.most_unheard = 0, REQUEST_BYTES
        try:
            raw, self._first = self._first, None
            if raw is None:
                raw = await self._reader.head(trio.current_time() + KEEP_ALIVE)
            if raw is None:
                return False
            IS_KNOWN.set(self._front.is_known(self._peer[0], raw))
            if not self._front.is_prompt(raw):
                await self._front.site.turns.take()
            head, connection = read_head(raw)
            if head.upgrades:
                text = "A WebSocket can be opened by the first request of a connection only."
                raise BadRequestError(HTTPStatus.BAD_REQUEST, text)
            self._front.check_path(self._peer[0], head)
            with self._front.admitted(self._peer[0], head) as real:
                body = await self._reader.body(head, connection, self._write)
                if body is None:
                    return False
                exchange = Exchange(
                    head,
                    connection,
                    body,
                    self._write,
                    self._front.site.turns.take,
                    self._end_after_grace,
                )
                return await self._answer(exchange, self._scope(head, real))
        except BadRequestError as error:
            await self._refuse(error)
            self._front.report(self._label, _refused(error))
        except LeftError:
            pass  # when it was told to go on with its body
        return False

    def _scope(self, head: Head, real: str) -> Scope:
        scheme = self._front.scheme(head, real)
        client = (real, 0) if real else self._peer
        return http_scope(head, scheme=scheme, client=client, server=self._server)

    async def _answer(self, exchange: Exchange, scope: Scope) -> bool:
        """Run the application; whether the connection goes on."""
        failure: Exception | None = None
        with trio.CancelScope() as self._answering:
            self._exchange = exchange
            if self._reader.left:
                self._tell_left()
            try:
                await self._front.site.app(scope, exchange.receive, exchange.send)
            except* Exception as group:  # noqa: BLE001 (reported)
                failure = group
        self._front.grace.forget(self._answering.cancel)
        self._exchange = self._answering = None
        try:
            if failure is None and exchange.finished:
                return exchange.goes_on
            if failure is None and not self._reader.left:
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
        try:
            with trio.move_on_after(SEND_TIMEOUT) as scope:
                await self._stream.send_all(data)
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


def _refused(error: BadRequestError) -> HandshakeError:
    failed = Failed.PAGE if isinstance(error, ForeignPageError) else Failed.REQUEST
    return HandshakeError(f"refused: {error}", failed)


def _mentions_upgrade(raw: bytes) -> bool:
    return b"\r\nupgrade" in raw.lower()


def _is_leaving(error: BaseException | None) -> bool:
    """Whether an error only says that the peer has left, whatever the application made of it."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_leaving, error.exceptions))
    if error is None or isinstance(error, LeftError):
        return error is not None
    return _is_leaving(error.__cause__ or error.__context__)
