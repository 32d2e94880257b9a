"""A pool whose games begin from a book: real servers, real engines."""

import sys
from pathlib import Path

import pytest

from tests.support import scripted_engine
from tests.support.bridges import bridged
from tests.support.databases import postgres_url
from tests.support.redis_servers import RedisServer, redis_server
from tests.support.server_clusters import serving_together
from tests.support.servers import Server, serving

__all__ = ["postgres_url", "redis_server"]

pytestmark = pytest.mark.system

ENGINE = ("--", sys.executable, scripted_engine.__file__)

BOOK = """[Result "*"]

1. d4 d5 2. c4 e6 3. Nc3 *

[Result "*"]

1. e4 c5 2. d3 d6 *
"""
FIRST, SECOND = ["d2d4", "d7d5", "c2c4", "e7e6"], ["e2e4", "c7c5", "d2d3", "d7d6"]

POOL = """
[[pool]]
name = "book"
time = "60+1"
openings = { file = "book.pgn", order = "sequential", plies = 4 }
"""


def options(server: Server, name: str, games: int) -> tuple[str, ...]:
    address = f"tcp://127.0.0.1:{server.port()}"
    return ("--server", address, "--name", name, "--games", str(games), *ENGINE)


async def test_two_engines_play_each_opening_with_both_colours(tmp_path: Path) -> None:
    (tmp_path / "book.pgn").write_text(BOOK)
    config = tmp_path / "server.toml"
    config.write_text(POOL)
    with serving(tmp_path, "--config", str(config), "--listen", "tcp://127.0.0.1:0") as server:
        with (
            bridged(tmp_path, "a", *options(server, "Ash", 4)) as a,
            bridged(tmp_path, "b", *options(server, "Birch", 4)) as b,
        ):
            assert (await a.ended(), await b.ended()) == (0, 0)
        games = server.finished(4)
        assert [game["opening"] for game in games] == [FIRST, FIRST, SECOND, SECOND]
        whites = [game["white"]["name"] for game in games]
        assert {*whites[:2]} == {*whites[2:]} == {"Ash", "Birch"}
        assert {game["reason"] for game in games} == {"repetition"}
        assert {game["moves"][0]["ply"] for game in games} == {5}
        assert "all agree" in server.run("verify")


async def test_in_a_cluster_the_games_begin_as_the_lobby_draws(
    tmp_path: Path, postgres_url: str, redis_server: RedisServer
) -> None:
    (tmp_path / "book.pgn").write_text(BOOK)
    pool = POOL.replace("book.pgn", str(tmp_path / "book.pgn"))
    with serving_together(tmp_path, postgres_url, redis_server.url, pool) as servers:
        _, b, c = servers
        with (
            bridged(tmp_path, "bridge_a", *options(b, "Ash", 2)) as one,
            bridged(tmp_path, "bridge_b", *options(c, "Birch", 2)) as other,
        ):
            assert (await one.ended(), await other.ended()) == (0, 0)
        assert [game["opening"] for game in b.finished(2)] == [FIRST, FIRST]


def test_a_server_whose_book_is_missing_does_not_start(tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text(POOL)
    server = Server(tmp_path, "--config", str(config), "--listen", "tcp://127.0.0.1:0")
    with pytest.raises(AssertionError, match=r"line 5: pool\[0\].openings: .*book.pgn"):
        server.start()
