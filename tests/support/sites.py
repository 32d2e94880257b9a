"""A listener with a site behind it, and a client that says over HTTP exactly what it is told to."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

import h11
import trio

from tests.support.wires import (
    HANG,
    QUICK,
    call,
    client_tls,
    nothing_left,
    server_side,
    server_tls,
)
from ulci.net import Address, HandshakeError, Peer, Site, listen
from ulci.net.asgi import Event, Receive, Scope, Send


class Answer(NamedTuple):
    status: int
    fields: Mapping[str, str]
    body: bytes


async def plain(send: Send, body: bytes, status: int = 200) -> None:
    fields = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def stream(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})


class App:
    """Does what its path says; ``/`` tells what it was asked."""

    def __init__(self) -> None:
        self.running = 0
        self.cancelled = 0
        self.heard: list[Event] = []
        self.raised: list[BaseException] = []
        self.scopes: list[Scope] = []
        self.changed = trio.Event()
        self.go_on = trio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.running += 1
        self.scopes.append(scope)
        try:
            name = scope["path"].strip("/").replace("-", "_")
            does = getattr(self, name, None) if name.isidentifier() else None
            await (does or self.tell)(scope, receive, send)
        except trio.Cancelled:
            self.cancelled += 1
            raise
        except Exception as error:
            self.raised.append(error)
            raise
        finally:
            self.running -= 1
            self.changed.set()
            self.changed = trio.Event()

    async def until(self, running: int) -> None:
        """Wait until so many requests are being answered."""
        while self.running != running:
            await trio.lowlevel.checkpoint()

    async def tell(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive())["body"]
        told = {"method": scope["method"], "path": scope["path"], "body": body.decode("latin-1")}
        await plain(send, json.dumps(told).encode())

    async def endless(self, scope: Scope, receive: Receive, send: Send) -> None:
        await stream(send)
        await trio.sleep_forever()

    async def waiting(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        self.heard.append(await receive())

    async def held(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.go_on.wait()
        await plain(send, b"held")

    async def flood(self, scope: Scope, receive: Receive, send: Send) -> None:
        await stream(send)
        while True:
            body = b"x" * 1_000_000
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def long(self, scope: Scope, receive: Receive, send: Send) -> None:
        await plain(send, b"x" * 3_000_000)

    async def fails(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise KeyError("a bug in the application")

    async def fails_late(self, scope: Scope, receive: Receive, send: Send) -> None:
        await stream(send)
        raise KeyError("a bug in the application")

    async def says_nothing(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()

    async def splits(self, scope: Scope, receive: Receive, send: Send) -> None:
        fields = [(b"location", b"/\r\nset-cookie: a=b")]
        await send({"type": "http.response.start", "status": 302, "headers": fields})

    async def nothing_new(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 304, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def body_first(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.body", "body": b"x"})


class Served:
    """A listener with a site, and what it reports."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.address = Address("ws", "127.0.0.1", 0, "/ulci")
        self.errors: list[tuple[str, BaseException]] = []

    def report(self, who: str, error: BaseException) -> None:
        self.errors.append((who, error))

    @property
    def bugs(self) -> list[BaseException]:
        """What was reported and is nobody else's fault."""
        return [error for _, error in self.errors if not isinstance(error, HandshakeError)]

    async def failure(self) -> str:
        """What the first refused peer was refused for."""
        while not self.errors:
            await trio.lowlevel.checkpoint()
        return str(self.errors[0][1])

    async def call(self) -> trio.abc.HalfCloseableStream:
        """A connection, with TLS where it is spoken."""
        sock = await call(self.address)
        if not self.address.tls:
            return sock
        return trio.SSLStream(
            sock, client_tls(), server_hostname="127.0.0.1", https_compatible=True
        )


async def echo(peer: Peer) -> None:
    while heard := await peer.receive():
        peer.put(heard.message)


@asynccontextmanager
async def site_at(
    url: str = "ws://127.0.0.1:0",
    origins: frozenset[str] = frozenset(),
    names: frozenset[str] = frozenset(),
    prompt: frozenset[str] = frozenset(),
    **more: object,
) -> AsyncIterator[Served]:
    served = Served(App())
    options = {
        "limits": QUICK,
        "ssl_context": server_tls(),
        "site": Site(served.app, origins, names, prompt=prompt),
        "on_error": served.report,
        **more,
    }
    with trio.fail_after(3 * HANG), nothing_left():
        async with trio.open_nursery() as nursery:
            served.address = await nursery.start(
                partial(listen, Address.parse(url), echo, server_side, **options)
            )
            yield served
            nursery.cancel_scope.cancel()


def get(
    path: str = "/", *fields: str, method: str = "GET", body: bytes = b"", host: str = "localhost"
) -> bytes:
    """A request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class Client:
    """Reads answers as a browser does."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self.stream = stream
        self._rest = b""

    async def ask(self, path: str = "/", *fields: str, **more: object) -> Answer:
        await self.stream.send_all(get(path, *fields, **more))  # type: ignore[arg-type]
        return await self.answer(str(more.get("method", "GET")))

    async def answer(self, method: str = "GET", *, whole: bool = True) -> Answer:
        """The next answer, or the beginning of it."""
        connection = h11.Connection(h11.CLIENT)
        connection.send(h11.Request(method=method, target="/", headers=[("Host", "localhost")]))
        connection.send(h11.EndOfMessage())
        if self._rest:
            connection.receive_data(self._rest)
        body = b""
        head: h11.Response | None = None
        with trio.fail_after(HANG):
            while True:
                event = connection.next_event()
                if event is h11.NEED_DATA:
                    connection.receive_data(await self.stream.receive_some())
                elif isinstance(event, h11.Response):
                    head = event
                elif isinstance(event, h11.Data):
                    body += event.data
                if isinstance(event, h11.EndOfMessage) or (body and not whole):
                    break
        assert head is not None
        self._rest = connection.trailing_data[0]
        fields = {name.decode(): value.decode() for name, value in head.headers}
        return Answer(head.status_code, fields, body)


@asynccontextmanager
async def client(served: Served) -> AsyncIterator[Client]:
    async with await served.call() as stream:
        yield Client(stream)
