"""A tournament is directed at servers that do not host it, and goes on when the one that does is
killed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.support.databases import postgres_url
from tests.support.redis_servers import redis_url
from tests.support.server_clusters import serving_together
from tests.support.servers import PATIENCE, Server, until
from tests.system.test_directing import post
from tests.system.test_pages_of_several_servers import url

__all__ = ["postgres_url", "redis_url"]

pytestmark = pytest.mark.system

CONFIG = """
[shutdown]
grace = 0
[tournaments]
directors = ["Ada"]
"""

CUP = 'name = "Cup"\nformat = "roundrobin"\npool = "chess"\ngames = 1\nby_hand = true\n'
CUP += "".join(f'[[entrant]]\naccount = "{name}"\n' for name in ("Ada", "Bob"))


@pytest.fixture
def servers(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[list[Server]]:
    with serving_together(tmp_path, postgres_url, redis_url, CONFIG) as together:
        yield together


def direct(server: Server, proof: dict[str, str], act: str = "", **said: str | int) -> str:
    """What that server answers to an act of the director, or to a new tournament."""
    path, body, kind = "/api/tournaments", CUP, "toml"
    if act:
        path, body, kind = f"{path}/cup/{act}", json.dumps(said), "json"
    status, text = post(server, path, body, kind, proof)
    assert status in (200, 201), text
    return str(json.loads(text)["text"])


def seen(server: Server, round_: int = 1) -> dict[str, Any]:
    """The tournament, with the pairings of that round, as that server shows it."""
    with urlopen(url(server, f"/api/tournaments/cup?round={round_}"), timeout=PATIENCE) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


async def test_it_is_directed_at_any_server_and_goes_on_at_the_next_host(
    servers: list[Server],
) -> None:
    a, b, c = servers
    token, *_ = [a.run("player", "add", name).strip() for name in ("Ada", "Bob", "Cyd")]
    proof = {"Authorization": f"Bearer Ada:{token}"}
    assert json.loads(a.run("cluster", "status", "--json"))["lobby_host"] == "a"
    direct(c, proof)
    assert direct(b, proof, "enter", account="Cyd") == "Cyd is entrant 3 of cup"
    direct(c, proof, "start")
    for server in servers:
        await until(lambda server=server: seen(server)["rounds"] == 1, "round 1 is paired")
    direct(b, proof, "correct", pairing=1, score="1-0", why="nobody came")
    for server in servers:
        await until(lambda server=server: seen(server)["pairings"][0]["score"], "1 is decided")
        [pairing] = seen(server)["pairings"]
        assert (pairing["score"], pairing["by"]) == ("1-0", "Ada")
    a.kill()
    direct(c, proof, "next-round")
    await until(lambda: seen(b, 2)["rounds"] == 2, "the next host pairs round 2")
    for name in ("Bob", "Cyd"):
        direct(c, proof, "remove", entrant=name, why="went home")
    await until(lambda: seen(b, 2)["pairings"][0]["score"], "2 is decided by leaving")
    assert "had left" in seen(b, 2)["pairings"][0]["why"]
    assert [entrant["note"] for entrant in seen(c)["standings"]["entrants"]].count("left") == 2
