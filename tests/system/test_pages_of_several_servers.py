"""Three servers that act as one, as separate processes: a visitor of one of them sees the games of
all, even of one that dies."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import trio

from tests.support.clients import Client
from tests.support.databases import postgres_url
from tests.support.hosting import connection
from tests.support.redis_servers import redis_url
from tests.support.server_clusters import serving_together
from tests.support.servers import PATIENCE, Server
from ulci.net import Address, dial
from ulci.protocol.messages import BestMove, Resign, Seek, Terms

__all__ = ["postgres_url", "redis_url"]

pytestmark = pytest.mark.system

GAME = "/api/games/1"


@pytest.fixture
def servers(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[list[Server]]:
    with serving_together(tmp_path, postgres_url, redis_url) as together:
        yield together


class Events:
    """The events of a stream at one server."""

    def __init__(self, server: Server, path: str) -> None:
        self._answer = urlopen(url(server, f"{path}.ndjson"), timeout=PATIENCE)
        self.told: list[dict[str, Any]] = []

    async def until(self, name: str) -> dict[str, Any]:
        while True:
            line = await trio.to_thread.run_sync(self._answer.readline)
            assert line, f"it ended before {name}"
            if line.strip():
                self.told.append(json.loads(line))
                if self.told[-1]["event"] == name:
                    return self.told[-1]

    def close(self) -> None:
        self._answer.close()


def url(server: Server, path: str) -> str:
    return f"http://127.0.0.1:{server.port('ws')}{path}"


async def ask(server: Server, path: str) -> Any:
    def read() -> Any:
        with urlopen(url(server, path), timeout=PATIENCE) as answer:
            return json.load(answer)

    return await trio.to_thread.run_sync(read)


async def test_a_visitor_sees_at_each_server_what_another_one_plays(servers: list[Server]) -> None:
    a, b, c = servers
    here, there = (Address.parse(f"tcp://127.0.0.1:{server.port()}") for server in (a, b))
    with closing(Events(c, "/api/events")) as every, trio.fail_after(2 * PATIENCE):
        async with dial(here, connection) as one, dial(there, connection) as other:
            ada, bob = Client(one), Client(other)
            await ada.introduce_person("Ada")
            ada.say(Seek(Terms(color="white", time="600")))
            await bob.introduce_person("Bob")
            bob.say(Seek(Terms(color="black", time="600")))
            for player in (ada, bob):
                await player.get_ready()
            await ada.be_asked()
            assert (await every.until("started"))["white"]["name"] == "Ada"
            for server in servers:
                game = await ask(server, GAME)
                assert game["players"] == {"white": "here", "black": "here"}
                assert game["clocks"]["running"] == "white"
                assert "e2e4" in (await ask(server, f"{GAME}/legal"))["moves"]
                names = {
                    player["name"] for player in (await ask(server, "/api/players"))["players"]
                }
                assert names == {"Ada", "Bob"}
            with closing(Events(c, f"{GAME}/events")) as stream:
                await stream.until("game")
                ada.say(BestMove("e2e4"))
                assert (await stream.until("move"))["san"] == "e4"
                await bob.be_asked()
                a.kill()
                assert (await stream.until("player"))["state"] == "away"
                bob.say(BestMove("e7e5"))
                assert (await stream.until("move"))["san"] == "e5"
                bob.say(Resign())
                over = await stream.until("over")
                assert (over["result"], over["detail"]) == ("1-0", "Black (Bob) resigned")
        assert (await every.until("over"))["reason"] == "resignation"
        assert [one["event"] for one in every.told if one["event"] != "move"] == ["started", "over"]
