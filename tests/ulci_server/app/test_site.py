"""The page and the API at the listeners of a server."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.support import nim
from tests.support.hosting import config, hosting
from ulci.protocol.messages import BestMove

LISTEN = [{"address": "tcp://127.0.0.1:0"}, {"address": "ws://127.0.0.1:0"}]


async def ask(port: int, path: str) -> tuple[bytes, bytes]:
    """The head and the body of the answer."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        await stream.send_all(request.encode())
        answer = b"".join([piece async for piece in stream])
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


async def test_a_game_over_tcp_is_seen_over_http() -> None:
    async with (
        hosting(config(listen=LISTEN, grace=0.0)) as server,
        server.game() as (white, black),
    ):
        white.say(BestMove("e2e4"))
        await black.be_asked()
        port = server.addresses[1].port
        head, body = await ask(port, "/api/games/1")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert [move["san"] for move in json.loads(body)["moves"]] == ["e4"]
        head, body = await ask(port, "/metrics")
        assert b'ulci_games_running{pool="chess"} 1.0' in body


async def test_people_play_over_the_same_port() -> None:
    async with hosting(config(listen=LISTEN, grace=0.0)) as server, server.game(1) as (white, _):
        white.say(BestMove("e2e4"))
        head, _ = await ask(server.addresses[1].port, "/api/server")
        assert head.startswith(b"HTTP/1.1 200 ")


async def test_a_stream_ends_with_the_server() -> None:
    async with hosting(config(listen=LISTEN, grace=0.0)) as server:
        port = server.addresses[1].port
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(b"GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 ")
            server.shutdown.ask()
            try:
                while await stream.receive_some():
                    pass
            except trio.BrokenResourceError:
                pass


@pytest.mark.parametrize("path", ["/", "/api/server", "/metrics"])
async def test_nothing_is_shown_where_the_page_is_off(path) -> None:
    async with hosting(config(listen=LISTEN, grace=0.0, web={"serve": "off"})) as server:
        head, _ = await ask(server.addresses[1].port, path)
        assert not head.startswith(b"HTTP/1.1 200 ")


async def test_of_a_refereed_game_the_words_are_shown_and_who_really_moved() -> None:
    referee = [sys.executable, str(Path(nim.__file__)), "--twice"]
    settings = config(
        listen=LISTEN,
        grace=0.0,
        game=[{"name": "nim", "referee": referee, "twice": True}],
        pool=[{"name": "nim", "game": "nim"}],
    )
    async with hosting(settings) as server, server.game() as (white, black):
        port = server.addresses[1].port
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(b"GET /api/games/1/events.ndjson HTTP/1.1\r\nHost: x\r\n\r\n")
            lines = Lines(stream)
            assert (await lines.event("game"))["board"]["ranks"] == []
            white.say(BestMove("c1"))  # who takes a single stone moves again
            assert (await lines.event("move"))["san"] == "c1"
            await white.move("c2")
            assert (await lines.event("move"))["side"] == "white"
            await black.move("b4")
            assert (await lines.event("move"))["side"] == "black"


class Lines:
    """The JSON lines of an answer in chunks."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._text = b""

    async def event(self, name: str) -> dict[str, Any]:
        """The next event of that name."""
        while True:
            while b"\n" not in self._text:
                self._text += await self._stream.receive_some()
            line, _, self._text = self._text.partition(b"\n")
            if line.startswith(b"{"):
                document: dict[str, Any] = json.loads(line)
                if document["event"] == name:
                    return document
