"""Engines play to the tables, and real tables end their games."""

import io
import os

import chess
import chess.pgn
import pytest

from tests.support.servers import program, running, serving, until

pytestmark = pytest.mark.system

CONFIG = """
listen = [{{ address = "tcp://127.0.0.1:0" }}]
[tablebases]
paths = ["{tables}"]
[[pool]]
name = "endings"
game = "chess"
time = "5+0.1"
starts = ["8/5k1p/8/8/8/1P4P1/5K2/8 w - - 0 1", "4k3/8/8/3r4/8/8/2RP4/3K4 b - - 0 1"]
tablebases = true
"""


async def test_games_end_where_the_tables_know_the_result(tmp_path):
    tables = os.environ.get("ULCI_TEST_SYZYGY")
    if not tables:
        pytest.skip("ULCI_TEST_SYZYGY names no folder with Syzygy tables of 3 and 4 men")
    config = tmp_path / "server.toml"
    config.write_text(CONFIG.format(tables=tables))
    socat = program("socat")
    with serving(tmp_path, "--config", str(config)) as server:
        address = f"TCP:127.0.0.1:{server.port()}"
        engines = [(socat, address, f"EXEC:{program(name)}") for name in ("stockfish", "glaurung")]
        async with running(*engines):
            await until(
                lambda: len(server.games("--finished")) >= 4, "four games are over", every=1
            )
        pgn = io.StringIO(server.run("export", "--finished"))
    reasons = [game["reason"] for game in server.games("--finished")]
    assert "adjudication" in reasons
    while (game := chess.pgn.read_game(pgn)) is not None:
        board = game.end().board()
        few = [b for b in boards(game) if b.occupied.bit_count() <= 4 and not b.halfmove_clock]
        if game.headers["Termination"] == "adjudication":
            assert [b.fen() for b in few] == [board.fen()]  # the first such position was the last
        else:
            assert not few


def boards(game: chess.pgn.Game) -> list[chess.Board]:
    """After each move."""
    return [node.board() for node in game.mainline()]
