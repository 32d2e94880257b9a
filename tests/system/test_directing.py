"""A director at a real server, over a real connection; and what its front does with bodies."""

import json
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.servers import Server, serving, until

pytestmark = pytest.mark.system

CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0" }, { address = "ws://127.0.0.1:0" }]
[shutdown]
grace = 0
[tournaments]
directors = ["Ada"]
"""

CUP = 'name = "Cup"\nformat = "roundrobin"\npool = "chess"\n'
CUP += "".join(f'[[entrant]]\naccount = "{name}"\n' for name in ("Ada", "Bob"))

FRONT_READS = 64 * 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("server")
    (folder / "server.toml").write_text(CONFIG)
    with serving(folder, "--config", str(folder / "server.toml")) as running:
        yield running


@pytest.fixture(scope="module")
def tokens(server):
    return {name: server.run("player", "add", name).strip() for name in ("Ada", "Bob")}


def post(server: Server, path: str, body, kind: str, headers, **options):
    """Status and text of the answer."""
    connection = HTTPConnection("127.0.0.1", server.port("ws"), timeout=30)
    try:
        said = {"Content-Type": f"application/{kind}", **headers}
        connection.request("POST", path, body, said, **options)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


async def test_a_running_server_does_what_a_director_posts(server, tokens):
    proof = {"Authorization": f"Bearer Ada:{tokens['Ada']}"}
    status, text = post(server, "/api/tournaments?start=1", CUP, "toml", proof)
    assert (status, json.loads(text)["name"]) == (201, "cup")

    def pairings():
        return json.loads(server.run("tournament", "status", "cup", "--json"))["pairings"]

    await until(pairings, "the first round is paired", every=0.1)
    said = json.dumps({"pairing": 1, "score": "1-0", "why": "Bob has gone"})
    status, text = post(server, "/api/tournaments/cup/correct", said, "json", proof)
    assert status == 200, text
    assert (pairings()[0]["score"], pairings()[0]["by"]) == ("1-0", "Ada")
    await until(lambda: "tournament directed" in server.log.read_text(), "it is in the log")
    assert tokens["Ada"] not in server.log.read_text()


def test_bodies_that_are_too_long_or_have_no_length_change_nothing(server, tokens):
    proof = {"Authorization": f"Bearer Ada:{tokens['Ada']}"}
    kept = CUP.replace("Cup", "Kept")
    chunks = (kept.encode(), b"# more")
    status, text = post(server, "/api/tournaments", chunks, "toml", proof, encode_chunked=True)
    assert (status, json.loads(text)["error"]["code"]) == (411, "length-required")
    for longest in (FRONT_READS, 2 * FRONT_READS):
        text = kept + "#" * (longest - len(kept))
        assert post(server, "/api/tournaments", text, "toml", proof)[0] == 413
    assert "kept" not in server.run("tournament", "list", "--all")


def test_a_stranger_and_another_account_change_nothing(server, tokens):
    kept = CUP.replace("Cup", "Kept")
    for headers, status in (
        ({}, 401),
        ({"Authorization": f"Bearer Ada:{tokens['Bob']}"}, 401),
        ({"Authorization": f"Bearer Bob:{tokens['Bob']}"}, 403),
    ):
        assert post(server, "/api/tournaments", kept, "toml", headers)[0] == status
    assert "kept" not in server.run("tournament", "list", "--all")
