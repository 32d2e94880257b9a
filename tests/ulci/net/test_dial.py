"""Client connections, and plain errors when they fail."""

import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio
import trustme

from tests.support.ports import closed_port
from tests.support.wires import (
    HANG,
    QUICK,
    client_side,
    client_tls,
    hear,
    nothing_left,
    serving,
    text,
)
from ulci.net import MSGPACK, TEXT, Address, DialError, dial
from ulci.protocol import Connection

Script = Callable[[trio.SocketStream], Awaitable[None]]


@asynccontextmanager
async def stranger(script: Script) -> AsyncIterator[int]:
    """A server of another kind; its port."""

    async def behave(stream: trio.SocketStream) -> None:
        with suppress(trio.BrokenResourceError):
            await script(stream)

    with nothing_left():
        async with trio.open_nursery() as nursery:
            serve = partial(trio.serve_tcp, behave, 0, host="127.0.0.1")
            listeners = await nursery.start(serve)
            yield listeners[0].socket.getsockname()[1]
            nursery.cancel_scope.cancel()


def answering(answer: bytes) -> Script:
    async def script(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(answer)

    return script


async def silence(stream: trio.SocketStream) -> None:
    await trio.sleep_forever()


async def hang_up(stream: trio.SocketStream) -> None:
    await stream.receive_some()


async def why_not(url: str, *, timeout: float = HANG, tls: ssl.SSLContext | None = None) -> str:
    """Dial in vain; what one is told."""
    with trio.fail_after(2 * HANG), pytest.raises(DialError) as caught:
        async with dial(
            Address.parse(url),
            client_side,
            timeout=timeout,
            ssl_context=tls or client_tls(),
            limits=QUICK,
        ):
            raise AssertionError("somebody answered")
    words = str(caught.value)
    assert words.startswith(f"cannot reach {Address.parse(url)}: ")
    return words.partition(f"{Address.parse(url)}: ")[2]


@pytest.mark.parametrize("scheme", ["tcp", "tls", "ws", "wss"])
async def test_a_port_without_a_listener(scheme: str) -> None:
    with closed_port() as port:
        why = await why_not(f"{scheme}://127.0.0.1:{port}")
    assert why == "connection refused: no server listens there"


async def test_an_unknown_host() -> None:
    why = await why_not("tcp://there-is-no-such-host.invalid")
    assert why.startswith("the host 'there-is-no-such-host.invalid' does not exist")


@pytest.mark.parametrize("url", ["tcp://*", "tcp://127.0.0.1:0"])
async def test_an_address_to_listen_at_cannot_be_dialed(url: str) -> None:
    assert "give a host and a port" in await why_not(url)


@pytest.mark.parametrize(
    ("scheme", "phase"), [("tls", "TLS handshake"), ("ws", "WebSocket upgrade")]
)
async def test_a_server_that_does_not_answer_in_time(scheme: str, phase: str) -> None:
    async with stranger(silence) as port:
        why = await why_not(f"{scheme}://127.0.0.1:{port}", timeout=1)
    assert why == f"no {phase} within 1 s"


async def test_a_connection_that_is_not_established_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def never(host: str, port: int) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(trio, "open_tcp_stream", never)
    assert await why_not("tcp://127.0.0.1", timeout=0.01) == "no answer within 0.01 s"


@pytest.mark.parametrize("scheme", ["tls", "wss"])
async def test_a_certificate_that_is_not_trusted(scheme: str) -> None:
    async with serving(f"{scheme}://127.0.0.1:0", limits=QUICK) as (address, _):
        why = await why_not(str(address), tls=ssl.create_default_context())
    assert "the certificate is not trusted: " in why
    assert "trust the certificate from its operator" in why


async def test_a_certificate_for_another_name() -> None:
    authority, context = trustme.CA(), ssl.create_default_context()
    authority.configure_trust(context)
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("other.example").configure_cert(other)

    async def script(stream: trio.SocketStream) -> None:
        await trio.SSLStream(stream, other, server_side=True).do_handshake()

    async with stranger(script) as port:
        why = await why_not(f"tls://127.0.0.1:{port}", tls=context)
    assert "IP address mismatch" in why
    assert "connect to the name in the certificate" in why


@pytest.mark.parametrize(("scheme", "better"), [("tls", "tcp://"), ("wss", "ws://")])
async def test_a_server_without_tls(scheme: str, better: str) -> None:
    async with stranger(answering(b"uci\nuci\nuci\n")) as port:
        why = await why_not(f"{scheme}://127.0.0.1:{port}")
    assert why.startswith("the server there does not speak TLS (")
    assert why.endswith(f"); try {better}")


@pytest.mark.parametrize("scheme", ["tls", "ws"])
async def test_a_server_that_hangs_up_in_the_handshake(scheme: str) -> None:
    async with stranger(hang_up) as port:
        why = await why_not(f"{scheme}://127.0.0.1:{port}")
    assert why in (
        "no TLS handshake: the connection ended without a TLS shutdown",
        "the server closed the connection during the WebSocket upgrade",
    )


@pytest.mark.parametrize("greeting", [b"uci\r\n\r\n", b"220 mail.example ESMTP\r\n" * 3 + b"\r\n"])
async def test_a_server_without_websocket(greeting: bytes) -> None:
    async with stranger(answering(greeting)) as port:
        why = await why_not(f"ws://127.0.0.1:{port}")
    assert why.startswith("the server there does not speak WebSocket")


async def test_a_wrong_path() -> None:
    async with serving("ws://127.0.0.1:0", limits=QUICK) as (address, _):
        why = await why_not(f"ws://127.0.0.1:{address.port}/chess")
    assert why == (
        "nothing exists at this path; a relay is usually at /ulci (HTTP 404); it answered:"
        " Nothing exists at /chess. The relay is at /ulci, over WebSocket."
    )


async def test_a_relays_own_reason_is_passed_on() -> None:
    answer = b"HTTP/1.1 429 No\r\nRetry-After: 9\r\nContent-Length: 5\r\n\r\nfull\n"
    async with stranger(answering(answer)) as port:
        assert await why_not(f"ws://127.0.0.1:{port}") == "full"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
            "the token is missing or wrong (HTTP 401)",
        ),
        (b"HTTP/1.1 503 No\r\nContent-Length: 5\r\n\r\nfull\n", "(HTTP 503); it answered: full"),
        (b"HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n", "upgrade was rejected (HTTP 418)"),
        (
            b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: wrong\r\n\r\n",
            "does not speak WebSocket",
        ),
    ],
)
async def test_what_a_web_server_says_is_put_into_words(answer: bytes, why: str) -> None:
    async with stranger(answering(answer)) as port:
        assert why in await why_not(f"ws://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        ([OSError(113, "no route"), ConnectionRefusedError(111, "no")], "connection refused"),
        ([OSError(101, "net"), OSError(113, "host")], "the network is unreachable"),
    ],
)
async def test_of_several_attempts_a_refused_connection_is_reported(
    monkeypatch: pytest.MonkeyPatch, errors: list[OSError], why: str
) -> None:
    async def fails(host: str, port: int) -> None:
        raise OSError("all attempts failed") from ExceptionGroup("all", errors)

    monkeypatch.setattr(trio, "open_tcp_stream", fails)
    assert (await why_not("tcp://127.0.0.1")).startswith(why)


async def test_an_error_without_a_group_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(host: str, port: int) -> None:
        raise OSError(24, "too many")

    monkeypatch.setattr(trio, "open_tcp_stream", fails)
    assert await why_not("tcp://127.0.0.1") == "this process has too many files open"


# When somebody answers


@pytest.mark.parametrize(
    ("offered", "chosen"), [((TEXT, MSGPACK), MSGPACK), ((TEXT,), TEXT), ((MSGPACK,), MSGPACK)]
)
async def test_a_function_is_given_what_the_server_chose(
    offered: tuple[str, ...], chosen: str
) -> None:
    made: list[str] = []

    def make(subprotocol: str) -> Connection:
        made.append(subprotocol)
        return client_side(subprotocol)

    async with (
        serving("ws://127.0.0.1:0", limits=QUICK) as (address, met),
        dial(address, make, subprotocols=offered, limits=QUICK) as peer,
    ):
        assert made == [chosen]
        assert (await met.receive()).why == ""
        assert peer.why == ""


async def test_headers_go_into_the_upgrade_and_the_answer_comes_back() -> None:
    headers = {"Authorization": "Bearer s3cret"}
    async with (
        serving("ws://127.0.0.1:0", limits=QUICK) as (address, met),
        dial(address, client_side, headers=headers, limits=QUICK) as peer,
    ):
        assert (await met.receive()).headers["authorization"] == "Bearer s3cret"
        assert peer.label == str(address)
        assert peer.host == "127.0.0.1"


@pytest.mark.parametrize("scheme", ["tcp", "tls", "ws", "wss"])
async def test_errors_of_the_block_are_raised_unwrapped(scheme: str) -> None:
    with trio.fail_after(HANG), nothing_left():
        async with serving(f"{scheme}://127.0.0.1:0", limits=QUICK) as (address, _):
            with pytest.raises(KeyError):
                async with dial(address, client_side, ssl_context=client_tls(), limits=QUICK):
                    raise KeyError


@pytest.mark.parametrize("scheme", ["tcp", "tls", "ws", "wss"])
@pytest.mark.parametrize("steps", range(0, 40, 3))
async def test_a_cancelled_dial_leaves_nothing_open(scheme: str, steps: int) -> None:
    with trio.fail_after(HANG), nothing_left():
        async with (
            serving(f"{scheme}://127.0.0.1:0", limits=QUICK) as (address, _),
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(_stay, address)
            for _ in range(steps):
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()


async def _stay(address: Address) -> None:
    async with dial(address, client_side, ssl_context=client_tls(), limits=QUICK) as peer:
        peer.put(text("x" * 100_000))
        await trio.sleep_forever()


async def test_without_a_context_the_systems_certificates_are_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssl, "create_default_context", client_tls)
    async with (
        serving("tls://127.0.0.1:0", limits=QUICK) as (address, met),
        dial(address, client_side, limits=QUICK) as peer,
    ):
        peer.put(text("hello"))
        assert (await hear(await met.receive())).message == text("hello")


async def test_a_connection_that_is_reset_early_is_a_dial_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def connected(_: Address) -> socket.socket:
        await trio.lowlevel.checkpoint()
        return socket.socket()  # as one that was reset: it has no other end

    monkeypatch.setattr(sys.modules["ulci.net.dial"], "_connected", connected)
    with trio.fail_after(HANG), nothing_left(), pytest.raises(DialError, match="cannot reach"):
        async with dial(Address("tcp", "127.0.0.1", 9), client_side):
            pass
