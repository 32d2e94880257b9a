"""Two peers joined by every kind of wire there is, and a check that nothing of it stays behind."""

import os
import socket
import ssl
import struct
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache, partial
from pathlib import Path

import trio
import trio.testing
import trustme
import wsproto
import wsproto.connection
import wsproto.events

from tests.support.memory_peers import memory_peers
from ulci.net import (
    MSGPACK,
    TEXT,
    Address,
    HandshakeError,
    Heard,
    Limits,
    Peer,
    dial,
    listen,
    open_process,
)
from ulci.net.streams import StreamPeer, background_tasks
from ulci.protocol import Connection, MsgpackCodec, Role, TextCodec
from ulci.protocol.messages import Info

KINDS = ("tcp", "tls", "ws", "wss", "ws+msgpack", "wss+msgpack", "stream", "process", "memory")
"""Every kind of wire; those with a scheme are real sockets."""

HANG = 120.0
"""Seconds after which a test is taken to hang."""

QUICK = Limits(flush=0.5, linger=0.05)
"""Bounds for tests in which the other end does not close by itself."""

PUMP = """
import os, socket, sys, threading
sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def to_stdout():
    while data := sock.recv(65536):
        view = memoryview(data)
        while view:
            view = view[os.write(1, view):]
    os._exit(0)
threading.Thread(target=to_stdout).start()
while data := os.read(0, 65536):
    sock.sendall(data)
sock.shutdown(socket.SHUT_WR)
"""
"""A program that carries its stdio to a port, so that a process's other end can be a peer, too."""


def server_side(subprotocol: str = TEXT) -> Connection:
    """The server's end of a conversation that nobody has begun."""
    return Connection(Role.SERVER, MsgpackCodec() if subprotocol == MSGPACK else TextCodec())


def client_side(subprotocol: str = TEXT) -> Connection:
    """The client's end of the same."""
    return Connection(Role.CLIENT, MsgpackCodec() if subprotocol == MSGPACK else TextCodec())


def report_bug(who: str, error: BaseException) -> None:
    """For `listen`: a bug fails the test, as raising it here is logged as an ERROR. A peer that is
    at fault does not."""
    if not isinstance(error, HandshakeError):
        raise error


def text(words: str) -> Info:
    """Something that either side may say at any time."""
    return Info(string=words)


@cache
def authority() -> trustme.CA:
    """Who signs the certificates of these tests."""
    return trustme.CA()


@cache
def server_tls() -> ssl.SSLContext:
    """The context of a server that is called localhost and 127.0.0.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("localhost", "127.0.0.1").configure_cert(context)
    return context


@cache
def client_tls() -> ssl.SSLContext:
    """The context of a client that trusts it."""
    context = ssl.create_default_context()
    authority().configure_trust(context)
    return context


@asynccontextmanager
async def open_stream(
    stream: trio.abc.Stream, connection: Connection, *, limits: Limits
) -> AsyncIterator[Peer]:
    """The peer at the other end of `stream`, which is closed at the end of the block."""
    async with background_tasks() as nursery:
        peer = StreamPeer(stream, connection, label="stream", limits=limits)
        nursery.start_soon(peer.run)
        try:
            yield peer
        finally:
            await peer.aclose()


@asynccontextmanager
async def laid(
    kind: str, *, limits: Limits | None = None, their_limits: Limits | None = None
) -> AsyncIterator[tuple[Peer, Peer]]:
    """A wire of this kind: the server's peer and the client's."""
    limits = limits or QUICK
    their_limits = their_limits or limits
    if kind == "memory":
        ours, theirs = memory_peers(server_side(), client_side(), limits=limits)
        async with ours, theirs:
            yield ours, theirs
    elif kind == "stream":
        near, far = trio.testing.memory_stream_pair()
        async with (
            open_stream(near, server_side(), limits=limits) as ours,
            open_stream(far, client_side(), limits=their_limits) as theirs,
        ):
            yield ours, theirs
    elif kind == "process":
        async with _over_process(limits, their_limits) as (ours, theirs):
            yield ours, theirs
    else:
        async with _over_sockets(kind, limits, their_limits) as (ours, theirs):
            yield ours, theirs


@asynccontextmanager
async def _over_sockets(
    kind: str, limits: Limits, their_limits: Limits
) -> AsyncIterator[tuple[Peer, Peer]]:
    scheme, _, packed = kind.partition("+")
    async with serving(f"{scheme}://127.0.0.1:0", limits=limits) as (address, met):
        offered = (MSGPACK,) if packed else (TEXT,)
        async with dial(
            address,
            client_side,
            ssl_context=client_tls(),
            subprotocols=offered,
            limits=their_limits,
        ) as theirs:
            yield await met.receive(), theirs


@asynccontextmanager
async def _over_process(limits: Limits, their_limits: Limits) -> AsyncIterator[tuple[Peer, Peer]]:
    async with serving("tcp://127.0.0.1:0", limits=their_limits, ours=client_side) as (there, met):
        argv = [sys.executable, "-c", PUMP, str(there.port)]
        async with open_process(argv, server_side(), limits=limits, quit_grace=0.5) as ours:
            yield ours, await met.receive()


@asynccontextmanager
async def serving(
    url: str, *, limits: Limits | None = None, ours: object = server_side
) -> AsyncIterator[tuple[Address, trio.MemoryReceiveChannel[Peer]]]:
    """A listener; whoever comes is handed out, and stays until the block ends."""
    send, met = trio.open_memory_channel[Peer](100)

    async def meet(peer: Peer) -> None:
        await send.send(peer)
        await trio.sleep_forever()

    with nothing_left(), send, met:
        async with trio.open_nursery() as nursery:
            address: Address = await nursery.start(
                partial(
                    listen,
                    Address.parse(url),
                    meet,
                    ours,
                    on_error=report_bug,
                    limits=limits,
                    ssl_context=server_tls(),
                )
            )
            yield address, met
            nursery.cancel_scope.cancel()


async def call(address: Address) -> trio.SocketStream:
    """A bare connection to a listener, for whoever does not behave like a peer."""
    return await trio.open_tcp_stream(address.host, address.port)


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    """Two connected sockets, not blocking; unlike a `socket.socketpair` they know resets."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        near = socket.create_connection(listening.getsockname())
        far, _ = listening.accept()
    for sock in (near, far):
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return near, far


class ShySocket(socket.socket):
    """Says first that it cannot, although it was said to be ready: a system may do that."""

    reads = 0
    writes = 0

    def recv(self, *args: int) -> bytes:
        """Read, the second time."""
        self.reads += 1
        if self.reads == 1:
            raise BlockingIOError
        return super().recv(*args)

    def recvmsg(self, *args: int) -> tuple[bytes, list[tuple[int, int, bytes]], int, object]:
        """Read, the second time."""
        self.reads += 1
        if self.reads == 1:
            raise BlockingIOError
        return super().recvmsg(*args)

    def send(self, *args: object) -> int:
        """Write, the second time."""
        self.writes += 1
        if self.writes <= 2:
            raise BlockingIOError
        return super().send(*args)  # type: ignore[call-overload, no-any-return]


def reset(stream: trio.SocketStream) -> None:
    """Close as a crashed machine does, with a reset."""
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()


async def read_all(stream: trio.abc.ReceiveStream) -> bytes:
    """Everything until the end of the stream."""
    data = b""
    with trio.fail_after(HANG):
        async for more in stream:
            data += more
    return data


def upgrade_request(path: str = "/ulci", *headers: str, host: str = "localhost") -> bytes:
    """What a WebSocket client says first."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


class BareWebSocket:
    """A WebSocket client that does only what it is told to: no pong, no close by itself."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.frames = wsproto.connection.Connection(wsproto.ConnectionType.CLIENT)
        self.heard: list[wsproto.events.Event] = []

    async def upgrade(self, *headers: str) -> bytes:
        """Do the handshake; the server's answer."""
        await self.stream.send_all(upgrade_request("/ulci", *headers))
        answer = bytearray()
        with trio.fail_after(HANG):
            while b"\r\n\r\n" not in answer:
                answer += await self.stream.receive_some()
        head, _, rest = bytes(answer).partition(b"\r\n\r\n")
        self.frames.receive_data(rest)
        return head

    async def say(self, *events: wsproto.events.Event) -> None:
        """Send these."""
        await self.stream.send_all(b"".join(map(self.frames.send, events)))

    async def hear(self, kind: type[wsproto.events.Event]) -> wsproto.events.Event:
        """The next event of this kind; others are skipped."""
        with trio.fail_after(HANG):
            while True:
                self.heard += self.frames.events()
                while self.heard:
                    if isinstance(event := self.heard.pop(0), kind):
                        return event
                self.frames.receive_data(await self.stream.receive_some() or None)


async def hear(peer: Peer) -> Heard:
    """The next message; it is a failure if there is none."""
    with trio.fail_after(HANG):
        heard = await peer.receive()
    assert heard is not None, peer.why
    return heard


async def ending(peer: Peer) -> str:
    """Read to the end; why it ended."""
    with trio.fail_after(HANG):
        while await peer.receive() is not None:
            pass
    return peer.why


@contextmanager
def nothing_left() -> Iterator[None]:
    """Fails if there are more open files, tasks or child processes after the block than before."""
    before = _count()
    yield
    after = _count()
    # Fewer is no fault: what an earlier test left to the garbage collector may go meanwhile.
    more = [name for name, number in after.items() if number > before[name]]
    assert not more, (before, after)


def _count() -> dict[str, int]:
    files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (counted, not used)
    children = Path("/proc/thread-self/children").read_text(encoding="ascii").split()
    tasks = trio.lowlevel.current_statistics().tasks_living
    return {"files": files, "tasks": tasks, "children": len(children)}
