"""kill -9 of the server at random moments: what anybody was told of is in the database."""

import random
import socket
import sqlite3

import pytest
import trio

from tests.support.quick import play
from tests.support.servers import Server

pytestmark = pytest.mark.system

MOMENTS = 8
PAIRS = 4
SEED = 20


def stored(path: str) -> set[tuple[str, ...]]:
    """The move list of every game in the file."""
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT game_id, move FROM moves ORDER BY game_id, ply").fetchall()
    database.close()
    games: dict[int, list[str]] = {}
    for game, move in rows:
        games.setdefault(game, []).append(move)
    return {tuple(moves) for moves in games.values()}


@pytest.mark.slow
@pytest.mark.parametrize("durability", ["power", "process"])
async def test_no_move_that_anybody_was_told_of_is_lost(tmp_path, durability):
    chance = random.Random(SEED)
    told: list[tuple[str, ...]] = []
    moves_seen = 0
    for _ in range(MOMENTS):
        server = Server(
            tmp_path, "--listen", "tcp://127.0.0.1:0", "--durability", durability,
            "--log-level", "warning",
        )  # fmt: skip
        server.start()
        told.clear()
        async with trio.open_nursery() as nursery:
            for _ in range(2 * PAIRS):
                nursery.start_soon(play, server.port(), told, chance)
            # The moment: after so many positions were told, and a random little while.
            target = chance.randrange(20, 400)
            while len(told) < target:  # noqa: ASYNC110 (nothing tells us)
                await trio.sleep(0.001)
            await trio.sleep(chance.random() * 0.02)
            server.kill()  # every line breaks, so every player ends
        kept = stored(str(tmp_path / "ulci.db"))
        prefixes = {moves[:ply] for moves in kept for ply in range(len(moves) + 1)}
        assert [moves for moves in told if moves and moves not in prefixes] == []
        moves_seen += sum(1 for moves in told if moves)
    assert moves_seen > MOMENTS * 10


async def test_games_of_a_killed_server_end_without_a_result_at_the_next_start(tmp_path):
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0")
    server.start()
    told: list[tuple[str, ...]] = []
    async with trio.open_nursery() as nursery:
        for seed in range(2):
            nursery.start_soon(play, server.port(), told, random.Random(seed))
        while len(told) < 10:  # noqa: ASYNC110 (nothing tells us)
            await trio.sleep(0.01)
        server.kill()
    server.start()
    assert server.stop() == 0
    listed = server.run("games")
    assert "server" in listed
    assert " * " in listed


async def test_nobody_else_gets_the_port_of_a_killed_server_that_is_started_again(tmp_path):
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0")
    server.start()
    port = server.port()
    server.kill()
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    server.start_again()
    assert (server.port(), server.stop()) == (port, 0)
