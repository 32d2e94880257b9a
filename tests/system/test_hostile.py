"""500 connections that do every bad thing at once, while two engines play."""

import random
import socket as std_socket
import struct

import pytest
import trio
import trio.lowlevel

from tests.support.quick import play
from tests.support.servers import Server, serving, until

pytestmark = pytest.mark.system

CONNECTIONS = 500
GREETING = b"id version 1\nid name bad\nuciok\n"


async def says_nothing(stream: trio.SocketStream) -> None:
    await trio.sleep_forever()


async def never_says_uciok(stream: trio.SocketStream) -> None:
    await stream.send_all(b"id name slow\n")
    await trio.sleep_forever()


async def floods_without_a_newline(stream: trio.SocketStream) -> None:
    for _ in range(160):
        await stream.send_all(b"x" * 65536)


async def floods_with_lines(stream: trio.SocketStream) -> None:
    for _ in range(200):
        await stream.send_all(b"what is this\n" * 1000)


async def sends_binary_junk(stream: trio.SocketStream) -> None:
    for seed in range(50):
        await stream.send_all(random.Random(seed).randbytes(4096))


async def never_gets_ready(stream: trio.SocketStream) -> None:
    await stream.send_all(GREETING)
    await trio.sleep_forever()


async def leaves_in_mid_word(stream: trio.SocketStream) -> None:
    await stream.send_all(b"id name X\nuci")


async def resets(stream: trio.SocketStream) -> None:
    await stream.send_all(GREETING)
    linger = struct.pack("ii", 1, 0)
    stream.socket.setsockopt(std_socket.SOL_SOCKET, std_socket.SO_LINGER, linger)
    stream.socket.close()


async def stops_reading(stream: trio.SocketStream) -> None:
    await stream.send_all(b"id username mute\nid feature lobby\nuciok\n")
    while True:
        await stream.send_all(b"who\ngames\nseeks\n" * 50)


async def moves_unasked(stream: trio.SocketStream) -> None:
    await stream.send_all(GREETING)
    for _ in range(100):
        await stream.send_all(b"bestmove e2e4\nbestmove e7e5\n")


async def speaks_another_protocol(stream: trio.SocketStream) -> None:
    await stream.send_all(b"GET /ulci HTTP/1.1\r\nHost: x\r\n\r\n")
    await trio.sleep_forever()


async def speaks_tls(stream: trio.SocketStream) -> None:
    await stream.send_all(b"\x16\x03\x01\x02\x00" + bytes(512))
    await trio.sleep_forever()


MISDEEDS = [
    says_nothing, never_says_uciok, floods_without_a_newline, floods_with_lines,
    sends_binary_junk, never_gets_ready, leaves_in_mid_word, resets, stops_reading, moves_unasked,
    speaks_another_protocol, speaks_tls,
]  # fmt: skip


async def misbehave(port: int, deed) -> None:
    """Until the server has had enough, or it has no more to say."""
    try:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        async with stream:
            with trio.move_on_after(30):
                await deed(stream)
    except (trio.BrokenResourceError, trio.ClosedResourceError, OSError):
        pass


@pytest.mark.slow
async def test_a_game_is_not_disturbed_and_memory_returns(tmp_path):
    config = tmp_path / "server.toml"
    config.write_text(
        """
        listen = [
            { address = "tcp://127.0.0.1:0", pool = "quiet" },
            { address = "tcp://127.0.0.1:0", pool = "loud" },
        ]
        [clients]
        handshake = 5
        [play]
        ready = 2
        [log]
        level = "warning"
        [[pool]]
        name = "quiet"
        time = "600"
        [[pool]]
        name = "loud"
        time = "10"
        """
    )
    with serving(tmp_path, "--config", str(config)) as server:
        quiet, loud = (int(address.rpartition(":")[2]) for address in server.addresses)
        told: list[tuple[str, ...]] = []
        async with trio.open_nursery() as players:
            for seed in (1, 2):
                players.start_soon(play, quiet, told, random.Random(seed))
            await until(lambda: len(told) > 100, "the game is on its way")
            for round_ in range(2):  # the first fills caches and arenas, the second may not grow
                await misbehave_together(loud)
                if round_ == 0:
                    settled = server.resident()
            after = server.resident()
            before = len(told)
            await until(lambda: len(told) > before + 20, "the players still play")
            players.cancel_scope.cancel()
        assert after < settled * 1.1 + 5_000, f"{settled} kB became {after} kB"
        undisturbed(server)


async def misbehave_together(port: int) -> None:
    async with trio.open_nursery() as nursery:
        for number in range(CONNECTIONS):
            nursery.start_soon(misbehave, port, MISDEEDS[number % len(MISDEEDS)])
            await trio.lowlevel.checkpoint()


def undisturbed(server: Server) -> None:
    """Nothing but what rules decide ended a game of the two, and no error was logged."""
    listed = [
        line for line in server.run("games", "--limit", "100000").splitlines() if " p0." in line
    ]
    assert listed
    for reason in ("time", "illegal-move", "server"):
        assert not any(f" {reason}" in line for line in listed), listed
    assert "error" not in server.log.read_text()
