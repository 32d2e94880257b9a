"""The server side of the WebSocket upgrade; the client side is in test_dial."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest
import trio

from tests.support.wires import (
    HANG,
    QUICK,
    BareWebSocket,
    call,
    client_tls,
    nothing_left,
    read_all,
    server_side,
    server_tls,
    upgrade_request,
)
from ulci.net import MSGPACK, TEXT, Address, HandshakeError, Peer, listen
from ulci.protocol import Connection

PATIENT = replace(QUICK, opening=1000.0)
"""Whoever ends before this was noticed, not waited for."""


class Host:
    """A listener that notes who came, what was chosen, and what failed."""

    def __init__(self) -> None:
        self.chosen: list[str] = []
        self.met_send, self.met = trio.open_memory_channel[Peer](10)
        self.failed_send, self.failed = trio.open_memory_channel[BaseException](10)
        self.address = Address("ws", "127.0.0.1", 0, "/ulci")

    def make(self, subprotocol: str) -> Connection:
        self.chosen.append(subprotocol)
        return server_side(subprotocol)

    async def meet(self, peer: Peer) -> None:
        await self.met_send.send(peer)
        await trio.sleep_forever()

    def report(self, who: str, error: BaseException) -> None:
        self.failed_send.send_nowait(error)

    async def failure(self) -> str:
        """What the next handshake failed of."""
        error = await self.failed.receive()
        assert isinstance(error, HandshakeError)
        return str(error)


@asynccontextmanager
async def host(scheme: str = "ws") -> AsyncIterator[Host]:
    with trio.fail_after(HANG), nothing_left():
        async with trio.open_nursery() as nursery:
            it = Host()
            it.address = await nursery.start(
                partial(
                    listen,
                    Address.parse(f"{scheme}://127.0.0.1:0"),
                    it.meet,
                    it.make,
                    limits=PATIENT,
                    ssl_context=server_tls(),
                    on_error=it.report,
                )
            )
            yield it
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("offered", "chosen", "answered"),
    [
        ((), TEXT, None),
        (("ulci",), TEXT, b"ulci"),
        (("ulci.msgpack",), MSGPACK, b"ulci.msgpack"),
        (("ulci", "ulci.msgpack"), MSGPACK, b"ulci.msgpack"),
        (("chat", "ulci"), TEXT, b"ulci"),
        (("chat",), TEXT, None),
    ],
)
async def test_the_server_chooses_its_preferred_subprotocol(
    offered: tuple[str, ...], chosen: str, answered: bytes | None
) -> None:
    async with host() as it, await call(it.address) as stream:
        headers = (f"Sec-WebSocket-Protocol: {', '.join(offered)}",) if offered else ()
        answer = await BareWebSocket(stream).upgrade(*headers)
        await it.met.receive()
        assert answer.startswith(b"HTTP/1.1 101 ")
        assert it.chosen == [chosen]
        if answered is None:
            assert b"sec-websocket-protocol" not in answer.lower()
        else:
            assert b"sec-websocket-protocol: " + answered in answer.lower()


async def test_headers_of_the_upgrade_are_kept() -> None:
    async with host() as it, await call(it.address) as stream:
        await BareWebSocket(stream).upgrade("Authorization: Bearer s3cret", "X-Name: \xe4")
        peer = await it.met.receive()
        assert peer.headers["authorization"] == "Bearer s3cret"
        assert peer.headers["x-name"] == "\xc3\xa4"
        assert peer.host == "127.0.0.1"
        assert peer.label.startswith("ws 127.0.0.1:")
        assert peer.round_trip() is not None


async def test_a_query_does_not_change_the_path() -> None:
    async with host() as it, await call(it.address) as stream:
        await stream.send_all(upgrade_request("/ulci?room=1"))
        assert (await it.met.receive()).why == ""


@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_another_path_is_answered_with_404_and_the_right_path(scheme: str) -> None:
    async with host(scheme) as it:
        stream: trio.abc.Stream = await call(it.address)
        if scheme == "wss":
            stream = trio.SSLStream(
                stream, client_tls(), server_hostname="127.0.0.1", https_compatible=True
            )
        async with stream:
            await stream.send_all(upgrade_request("/chess"))
            answer = await read_all(stream)
            assert answer.startswith(b"HTTP/1.1 404 ")
            assert b"\r\nContent-Type: text/plain" in answer
            assert answer.endswith(
                b"\r\n\r\nNothing exists at /chess. The relay is at /ulci, over WebSocket.\n"
            )
            assert await it.failure() == "asked for /chess, not /ulci"


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /ulci HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /ulci HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
        b"uci\r\nuciok\r\n\r\n",
        b"\x00\x01\x02\r\n\r\n",
        upgrade_request("/\xff"),
        upgrade_request().replace(b"Version: 13", b"Version: 7"),
        b"GET /ulci HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000,
    ],
)
async def test_a_request_without_an_upgrade_is_refused_at_once(request_: bytes) -> None:
    async with host() as it, await call(it.address) as stream:
        await stream.send_all(request_)
        answer = await read_all(stream)
        assert answer.split()[1] in (b"400", b"426")
        assert await it.failure() == "the peer left, or sent no WebSocket upgrade"


async def test_bytes_that_the_library_cannot_read_fail_only_this_handshake() -> None:
    async with host() as it, await call(it.address) as stream:
        await stream.send_all(
            upgrade_request().replace(b"Host: localhost", b"Host: " + b"\xff" * 70)
        )
        await read_all(stream)
        assert (await it.failure()).startswith("the WebSocket upgrade failed: Unicode")


@pytest.mark.parametrize("said", [b"", b"GET /ulci HT"])
async def test_a_peer_that_leaves_before_the_upgrade_ends_at_once(said: bytes) -> None:
    async with host() as it:
        async with await call(it.address) as stream:
            await stream.send_all(said)
        assert await it.failure() == "the peer left, or sent no WebSocket upgrade"


async def test_a_peer_that_leaves_during_the_upgrade_fails_only_its_handshake() -> None:
    async with host() as it:
        async with await call(it.address) as stream:
            await stream.send_all(upgrade_request())
            await stream.send_eof()
        with trio.move_on_after(0.05):
            peer = await it.met.receive()
            assert await peer.receive() is None
