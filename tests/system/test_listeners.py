"""Engines of every dialect at a listener of their own, with nothing between them and the server."""

import sys
from itertools import combinations_with_replacement

import pytest

from tests.support.servers import program, running, serving, until
from ulci.rules import GAMES, Illegal

pytestmark = pytest.mark.system

DIALECTS = ("uci", "ugi", "uti")
HOUSE = f"{sys.executable} -m ulci_client.house_engine Depth=1"
CONFIG = """
listen = [
    { address = "tcp://127.0.0.1:0", dialect = "uci" },
    { address = "tcp://127.0.0.1:0", dialect = "ugi" },
    { address = "tcp://127.0.0.1:0", dialect = "uti" },
]

[[pool]]
name = "tictactoe"
game = "tictactoe"
time = "20+1"
"""


@pytest.mark.parametrize(("one", "other"), [*combinations_with_replacement(DIALECTS, 2)])
async def test_any_two_dialects_meet_at_the_listeners_of_one_server(tmp_path, one, other):
    socat = program("socat")
    config = tmp_path / "server.toml"
    config.write_text(CONFIG)
    with serving(tmp_path, "--config", str(config)) as server:
        ports = [address.rpartition(":")[2].partition("/")[0] for address in server.addresses]
        port = dict(zip(DIALECTS, ports, strict=True))

        connections = [
            (socat, f"TCP:127.0.0.1:{port[dialect]}", f"EXEC:{HOUSE} --dialect {dialect}")
            for dialect in (one, other)
        ]
        async with running(*connections):
            await until(lambda: len(server.games("--finished")) >= 2, "two games are over", every=1)
    for game in server.games("--finished")[-2:]:
        assert (game["rules"], game["reason"]) == ("tictactoe", "game-rule")
        position = GAMES["tictactoe"].new(game["start"])
        for move in game["moves"]:
            assert not isinstance(position.play_untrusted(move["move"]), Illegal)
        outcome = position.outcome()
        assert outcome is not None
        assert game["result"] == outcome.score
