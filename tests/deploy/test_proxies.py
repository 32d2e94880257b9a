"""The reverse proxies of deploy/, started before a server and spoken through."""

import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from tests.support.clients import Client
from tests.support.hosting import connection
from tests.support.proxies import CADDY, PROXIES, Proxy, Reading, Upstream, nginx_site
from tests.support.servers import PATIENCE, program, serving
from ulci.net import Address, dial
from ulci.protocol.messages import Seek, Terms

pytestmark = pytest.mark.system

HANG = 120.0
"""A hang guard: no test waits for it."""

UPGRADE = (
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ("Sec-WebSocket-Protocol", "ulci"),
)

STREAMS = ("/api/events", "/api/games/7/events", "/api/games/7/events.ndjson")

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
MATED = "game 1 over result 0-1 reason checkmate"

ONE_CONNECTION = """
[limits]
address_connections = 1
exempt = ["127.0.0.1"]
"""


@pytest.fixture(params=PROXIES)
def kind(request: pytest.FixtureRequest) -> str:
    program(request.param)
    return str(request.param)


@asynccontextmanager
async def before(kind: str, folder: Path, upstream: Upstream) -> AsyncIterator[Proxy]:
    """A proxy before a server of the test's."""
    with trio.fail_after(HANG):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(upstream.run)
            with PROXIES[kind](folder, port) as proxy:
                yield proxy
            nursery.cancel_scope.cancel()


async def say_hello(upstream: Upstream, stream: trio.SocketStream) -> None:
    await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")


async def say_half(heard: trio.Event, upstream: Upstream, stream: trio.SocketStream) -> None:
    """One event, and the next only when the first has been read."""
    kind = b"application/x-ndjson" if upstream.heads[-1][0].endswith("n") else b"text/event-stream"
    await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind)
    await stream.send_all(b"\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n")
    await heard.wait()
    await stream.send_all(b"4\r\ntwo\n\r\n0\r\n\r\n")


@pytest.mark.parametrize("path", STREAMS)
async def test_an_event_is_passed_on_before_the_next_one_exists(
    kind: str, tmp_path: Path, path: str
) -> None:
    heard = trio.Event()
    upstream = Upstream(partial(say_half, heard))
    async with before(kind, tmp_path, upstream) as proxy, await proxy.connect() as stream:
        reading = await Reading(stream).ask(path, ("Accept-Encoding", "gzip"))
        assert await reading.piece() == b"one\n"
        heard.set()
        assert await reading.text() == "two\n"


async def test_the_server_is_told_the_address_that_the_proxy_saw(kind: str, tmp_path: Path) -> None:
    upstream = Upstream(say_hello)
    forged = (("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "gopher"))
    async with before(kind, tmp_path, upstream) as proxy:
        for headers in ((), UPGRADE):
            path = "/ulci" if headers else "/"
            async with await proxy.connect("127.0.0.2") as stream:
                await Reading(stream).ask(path, *forged, *headers)
    for _, headers in upstream.heads:
        assert headers["x-forwarded-for"].rpartition(",")[2].strip() == "127.0.0.2"
        assert headers["x-forwarded-proto"] == ("http" if kind == "caddy" else "https")
        assert headers["host"] == "localhost"


async def test_nothing_but_a_websocket_is_ever_switched_to(kind: str, tmp_path: Path) -> None:
    upstream = Upstream(say_hello)
    other = (("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"), ("HTTP2-Settings", ""))
    async with before(kind, tmp_path, upstream) as proxy:
        for path in ("/", "/ulci", "/api/events"):
            async with await proxy.connect() as stream:
                assert await (await Reading(stream).ask(path, *other)).text() == "hello"
        async with await proxy.connect() as stream:
            await Reading(stream).ask("/ulci", *UPGRADE)
    *others, (_, websocket) = upstream.heads
    assert websocket["upgrade"] == "websocket"
    assert websocket["connection"].lower() == "upgrade"
    if kind == "nginx":  # Caddy passes every upgrade on, and the server refuses it
        for _, headers in others:
            assert "upgrade" not in headers
            assert headers["connection"] == "close"


@pytest.mark.parametrize("path", ["/metrics", "//metrics", "/x/../metrics", "/%6detrics"])
async def test_the_metrics_are_not_for_the_world(kind: str, tmp_path: Path, path: str) -> None:
    upstream = Upstream(say_hello)
    async with before(kind, tmp_path, upstream) as proxy, await proxy.connect() as stream:
        reading = await Reading(stream).ask(path)
    assert reading.status == 404
    assert upstream.heads == []


async def test_nginx_sends_those_who_come_without_encryption_to_the_encrypted_port(
    tmp_path: Path,
) -> None:
    program("nginx")
    async with (
        before("nginx", tmp_path, Upstream(say_hello)) as proxy,
        await trio.open_tcp_stream("127.0.0.1", proxy.plain_port) as stream,
    ):
        reading = await Reading(stream).ask("/games/7?ply=3")
    assert (reading.status, reading.headers["location"]) == (
        301, "https://localhost/games/7?ply=3",
    )  # fmt: skip


async def test_two_people_play_through_it(kind: str, tmp_path: Path) -> None:
    with (
        serving(tmp_path, "--listen", "ws://127.0.0.1:0", "--time", "60+1") as server,
        PROXIES[kind](tmp_path, server.port("ws")) as proxy,
        trio.fail_after(HANG),
    ):
        address = Address.parse(proxy.url("/ulci"))
        async with (
            dial(address, connection, ssl_context=proxy.tls) as one,
            dial(address, connection, ssl_context=proxy.tls) as other,
        ):
            white, black = Client(one), Client(other)
            for client, name, color in ((white, "Ada", "white"), (black, "Bob", "black")):
                await client.introduce_person(name)
                client.say(Seek(Terms(color=color)))
            for client in (white, black):
                await client.get_ready()
            for client, move in zip((white, black) * 2, FOOLS_MATE, strict=True):
                await client.move(move)
            for client in (white, black):
                assert await client.hear_line("game 1 over") == MATED


async def test_the_api_is_read_through_it_and_only_own_pages_may_play(
    kind: str, tmp_path: Path
) -> None:
    asked = (
        "/",
        "/play",
        "/static/board.js",
        "/livez",
        "/readyz",
        "/api/server",
        "/api/games",
        "/metrics",
    )
    found = {}
    with (
        serving(tmp_path, "--listen", "ws://127.0.0.1:0") as server,
        PROXIES[kind](tmp_path, server.port("ws")) as proxy,
        trio.fail_after(HANG),
    ):
        for path in asked:
            async with await proxy.connect() as stream:
                found[path] = (await Reading(stream).ask(path)).status
        async with await proxy.connect() as stream:
            origin = ("Origin", proxy.url("").replace("ws", "http", 1))
            host = ("Host", f"localhost:{proxy.port}")
            foreign = await Reading(stream).ask("/ulci", *UPGRADE, ("Origin", "https://evil.test"))
        async with await proxy.connect() as stream:
            own = await Reading(stream).ask("/ulci", *UPGRADE, host, origin)
    assert found == dict.fromkeys(asked, 200) | {"/metrics": 404}
    assert (foreign.status, own.status) == (403, 101)


async def test_an_event_stream_tells_of_games_through_it(kind: str, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text("[shutdown]\ngrace = 0\n")  # the game is not played to its end
    with (
        serving(tmp_path, "--config", str(config), "--listen", "ws://127.0.0.1:0") as server,
        PROXIES[kind](tmp_path, server.port("ws")) as proxy,
        trio.fail_after(HANG),
    ):
        address = Address.parse(proxy.url("/ulci"))
        async with (
            await proxy.connect() as stream,
            dial(address, connection, ssl_context=proxy.tls) as one,
            dial(address, connection, ssl_context=proxy.tls) as other,
        ):
            events = await Reading(stream).ask("/api/events")
            for client, color in ((Client(one), "white"), (Client(other), "black")):
                await client.introduce_person(f"Ada-{color}")
                client.say(Seek(Terms(color=color)))
            told = b""
            while b"event: started" not in told:
                piece = await events.piece()
                assert piece, told
                told += piece


async def test_its_clients_are_counted_one_by_one(kind: str, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text(ONE_CONNECTION)
    statuses = []
    with (
        serving(tmp_path, "--config", str(config), "--listen", "ws://127.0.0.1:0") as server,
        PROXIES[kind](tmp_path, server.port("ws")) as proxy,
        trio.fail_after(HANG),
    ):
        async with AsyncExitStack() as held:
            for source, forged in (
                ("127.0.0.2", "198.51.100.1"),
                ("127.0.0.2", "198.51.100.2"),
                ("127.0.0.3", "198.51.100.1"),
            ):
                stream = await held.enter_async_context(await proxy.connect(source))
                reading = await Reading(stream).ask("/ulci", *UPGRADE, ("X-Forwarded-For", forged))
                statuses.append((source, reading.status))
    assert statuses == [("127.0.0.2", 101), ("127.0.0.2", 429), ("127.0.0.3", 101)]


def test_nginx_finds_no_fault_with_its_file(tmp_path: Path) -> None:
    path = program("nginx")
    config = nginx_site(tmp_path, 25566, 0x8443, 0x8080)
    done = subprocess.run(
        [path, "-t", "-p", str(tmp_path), "-e", "stderr", "-c", str(config)],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [["validate", "--config"], ["fmt"]], ids=lambda c: c[0])
def test_caddy_finds_no_fault_with_its_file(tmp_path: Path, command: list[str]) -> None:
    path = program("caddy")
    adapter = ["--adapter", "caddyfile"] if command[0] == "validate" else []
    done = subprocess.run(
        [path, *command, str(CADDY), *adapter],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if command == ["fmt"]:
        assert done.stdout == CADDY.read_text(encoding="utf-8")
