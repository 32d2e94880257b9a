"""Fifty hostile requests of each kind at a whole server, while a game is played there."""

import re
import socket

import pytest
import trio

from tests.support.long_games import chess_moves
from tests.support.servers import Server, serving, until
from tests.support.sites import get
from tests.support.wires import reset
from tests.ulci.net.test_hostile_http import HOSTILE, TIMES
from ulci.net import Address, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, Id, IsReady, Position, ReadyOk

pytestmark = pytest.mark.system

MOVES = chess_moves()[:40]

THINK = 0.02
"""s for a move: players who answer at once would need the processors for themselves."""

AGAIN = 5
"""Of each kind in the second round, after which memory is compared."""

PATIENCE = 120.0
"""s for an answer of a server that does nothing else."""

CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0" }, { address = "ws://127.0.0.1:0" }]
[play]
claims = true
[limits]
opening = 1.0
[log]
level = "warning"
[[pool]]
name = "chess"
time = "6000"
[shutdown]
grace = 0
"""

LONG = "x" * 14_000
WORDS = (
    "state=running",
    "player=%00",
    "rules=%ff%fe",
    "pool=%0d%0aX:%20y",
    "limit=200",
    "before=1",
)
NESTED = b"[" * 30_000 + b"]" * 30_000

OF_HTTP = {
    name: kind
    for name, kind in HOSTILE.items()
    if name not in ("an application that fails", "more requests than anybody sends")
}
"""What needs no application, or its stand-in: request and status."""

UNENDED = {name for name, (_, status) in OF_HTTP.items() if status == "408"}
"""For whose end the server waits."""

ASKED: dict[str, bytes] = {
    "more requests than anybody sends": get("/api/events") + get("/x") * 3000,
    "a long query": get(f"/api/games?player={LONG}"),
    "a query of one character": get(f"/api/games?{'&' * 14_000}"),
    "an unknown filter": get(f"/api/games?{LONG}=1"),
    "a filter many times": get(f"/api/games?{'&'.join(['limit=1'] * 1700)}"),
    "every filter": get(f"/api/games?{'&'.join(WORDS)}"),
    "encoded NULs in a filter": get(f"/api/games?player={'%00' * 200}"),
    "half an escape in a filter": get("/api/games?player=%&rules=%f&pool=%zz"),
    "SQL in a filter": get("/api/games?player='%20or%201=1;--&rules=%22%25"),
    "a day before all days": get("/api/games?since=0000-00-00&until=9999-12-31"),
    "the last of all days": get("/api/games?until=9999-12-31"),
    "a number beyond the database's": get(f"/api/games?before={'9' * 19}"),
    "a game beyond the database's": get(f"/api/games/{'9' * 19}"),
    "a game of many digits": get(f"/api/games/{'9' * 14_000}"),
    "a game below zero": get("/api/games/-1/events"),
    "a deep path": get(f"/api{'/a' * 7000}"),
    "a path of slashes": get("/" * 14_000),
    "a path that climbs": get(f"/static/{'../' * 4000}etc/passwd"),
    "an encoded path that climbs": get(f"/static/{'%2e%2e%2f' * 1000}etc/passwd"),
    "a move of anything": get("/api/games/1/parse?text=%F0%9F%98%80%E2%80%AE%00"),
    "a long move": get(f"/api/games/1/parse?text={LONG}"),
    "a range": get("/static/board.js", "Range: bytes=0-0"),
    "many ranges": get("/static/board.js", f"Range: bytes={','.join(['0-,-1'] * 1000)}"),
    "a range beyond the end": get("/api/games.pgn", f"Range: bytes={'9' * 30}-"),
    "many tags": get("/static/board.js", f"If-None-Match: {','.join(['x'] * 6000)}"),
    "any tag": get("/api/games/1", "If-None-Match: *"),
    "no date": get("/static/board.js", f"If-Modified-Since: {LONG}"),
    "an event of many digits": get("/api/events", f"Last-Event-ID: {'9' * 4000}"),
    "an event to come": get("/api/games/1/events", "Last-Event-ID: 9007199254740990"),
    "a long name of ours": get("/api/server", host=f"{'a.' * 3000}localhost"),
    "many clients behind a proxy": get(
        "/api/games", f"X-Forwarded-For: {','.join(['192.0.2.1'] * 1000)}, x"
    ),
    "a body of JSON": get("/api/games", "Content-Type: application/json", body=b'{"limit": 1}'),
    "a deep body of JSON": get("/api/games", method="POST", body=NESTED),
    **{f"{method} of an answer": get("/api/games", method=method) for method in (
        "HEAD", "OPTIONS", "PUT", "POST", "DELETE", "PATCH", "TRACE", "X" * 8000,
    )},
    "HEAD of a stream": get("/api/events", method="HEAD"),
    "HEAD of an export": get("/api/games.pgn?limit=200", method="HEAD"),
    "OPTIONS of everything": get("*", method="OPTIONS"),
    "PUT of a page": get("/", method="PUT", body=b"<script>"),
    "an export": get("/api/games.pgn?limit=200"),
}  # fmt: skip
"""Of the application; all of them are answered."""

STREAMS = ("/api/events", "/api/events.ndjson", "/api/games/2/events", "/api/games/2/events.ndjson")
LEFT = {f"the stream {path}, left as it begins": get(path) for path in STREAMS}
UNREAD = [get(path) for path in (*STREAMS, "/api/games.pgn?limit=200", "/static/board.js")]


async def play(port: int, name: str, told: list[int]) -> None:
    """Play the same moves game after game; `told` gets the plies of every position heard."""
    connection = Connection(Role.CLIENT, TextCodec(), ULCI)
    async with dial(Address.parse(f"tcp://127.0.0.1:{port}"), lambda _: connection) as peer:
        plies = 0
        while (heard := await peer.receive()) is not None:
            match heard.message:
                case Hello():
                    peer.put(Id("version", "1"), Id("name", name), HelloOk())
                case IsReady():
                    peer.put(ReadyOk())
                case Position(_, moves):
                    plies = len(moves)
                    told.append(plies)
                case Go():
                    await trio.sleep(THINK)
                    peer.put(BestMove(MOVES[plies] if plies < len(MOVES) else "0000"))


async def ask(port: int, request: bytes, *, ends: bool = True) -> bytes:
    """What is answered until the server hangs up. `ends`: this is all that we send."""
    answer = b""
    try:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(request)
            if ends:
                await stream.send_eof()
            while data := await stream.receive_some():
                answer += data
    except trio.BrokenResourceError:
        pass  # what is refused early is not read to its end
    return answer


async def leave(port: int, request: bytes) -> bytes:
    """The beginning of an answer, whose connection is then reset."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    try:
        await stream.send_all(request)
        return await stream.receive_some()
    finally:
        reset(stream)
        await trio.aclose_forcefully(stream)


async def unread(port: int, request: bytes) -> trio.SocketStream:
    """A connection that has asked and reads nothing."""
    sock = trio.socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await sock.connect(("127.0.0.1", port))
    stream = trio.SocketStream(sock)
    await stream.send_all(request)
    return stream


async def attack(port: int, times: int) -> dict[str, set[bytes]]:
    """All kinds, one after the other, but those that have no end together; the statuses that each
    was answered with."""
    found: dict[str, set[bytes]] = {}

    async def one(name: str, request: bytes) -> None:
        if name in LEFT:
            answer = await leave(port, request)
        else:
            answer = await ask(port, request, ends=name not in UNENDED)
        found.setdefault(name, set()).add(answer[9:12])

    of_http = {name: request for name, (request, _) in OF_HTTP.items()}
    requests = {**of_http, **ASKED, **LEFT}
    for names in (UNENDED, *([name] for name in requests if name not in UNENDED)):
        async with trio.open_nursery() as nursery:
            for name in times * [*names]:
                nursery.start_soon(one, name, requests[name])
    return found


async def attack_beside_those_who_do_not_read(port: int, times: int) -> dict[str, set[bytes]]:
    held = [await unread(port, request) for request in UNREAD for _ in range(times)]
    try:
        return await attack(port, times)
    finally:
        for stream in held:
            await trio.aclose_forcefully(stream)


async def streams(server: Server) -> int:
    """Open event streams, as the server counts them."""
    told = await ask(server.port("ws"), get("/metrics"))
    found = re.search(rb"^ulci_event_streams (\d+)", told, re.MULTILINE)
    assert found is not None, told
    return int(found[1])


async def until_all_are_gone(server: Server) -> None:
    with trio.fail_after(PATIENCE):
        while await streams(server):
            pass


@pytest.mark.slow
async def test_games_are_played_as_before_and_memory_returns(tmp_path):
    config = tmp_path / "server.toml"
    config.write_text(CONFIG)
    with serving(tmp_path, "--config", str(config)) as server:
        port = server.port("ws")
        told: list[int] = []
        async with trio.open_nursery() as players:
            for name in ("Ada", "Bob"):
                players.start_soon(play, server.port(), name, told)
            await until(lambda: told.count(len(MOVES)) >= 2, "a game was played to its end")
            before = len(told)
            found = await attack_beside_those_who_do_not_read(port, TIMES)
            await until_all_are_gone(server)
            settled = server.resident()
            await attack_beside_those_who_do_not_read(port, AGAIN)
            await until_all_are_gone(server)
            after = server.resident()
            assert len(told) > before, "it was played meanwhile"
            ended = told.count(len(MOVES))
            await until(lambda: told.count(len(MOVES)) >= ended + 2, "it is played to its end")
            assert (await ask(port, get("/readyz"))).startswith(b"HTTP/1.1 200 ")
            players.cancel_scope.cancel()
        log = server.log.read_text()
        games = server.games()
    assert after < settled * 1.1 + 5_000, f"{settled} kB became {after} kB"
    for name, statuses in found.items():
        assert b"500" not in statuses, name
        if name in OF_HTTP and (expected := OF_HTTP[name][1]) not in ("200", "408"):
            # On a busy machine a body may come too late before it is seen to be too long, and a
            # connection that says nothing for a second is closed without a word. On an idle one it
            # is answered as expected: that is tested beside the table, in ulci/net.
            assert statuses <= {expected.encode(), b"408", b""}, name
    *played, _ = sorted(games, key=lambda game: game["id"])  # the last one was left
    assert {tuple(move["move"] for move in game["moves"]) for game in played} == {tuple(MOVES)}
    assert len({(game["result"], game["reason"]) for game in played}) == 1
    assert "error" not in log, log
