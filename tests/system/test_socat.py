"""Unmodified engines over the net: no bridge, no account, game after game."""

import io

import chess.pgn
import pytest

from tests.support.servers import program, running, serving, until

pytestmark = pytest.mark.system


@pytest.mark.parametrize(
    ("one", "other"),
    [("stockfish", "glaurung"), ("toga2", "ethereal-chess"), ("gnuchess --uci", "stockfish")],
)
async def test_two_engines_behind_socat_play_game_after_game(tmp_path, one, other):
    socat = program("socat")
    engines = [" ".join([program(name.split()[0]), *name.split()[1:]]) for name in (one, other)]
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "1+0.02") as server:
        connections = [(socat, f"TCP:127.0.0.1:{server.port()}", f"EXEC:{e}") for e in engines]
        async with running(*connections):
            await until(
                lambda: len(server.games("--finished")) >= 3, "three games are over", every=1
            )
    games = []
    pgn = io.StringIO(server.run("export", "--finished"))
    while (game := chess.pgn.read_game(pgn)) is not None:
        games.append(game)
    assert len(games) >= 3
    for game in games:
        assert game.errors == []
        assert game.headers["Result"] in ("1-0", "0-1", "1/2-1/2", "*")
        outcome = game.end().board().outcome()
        if outcome is not None and outcome.termination is chess.Termination.CHECKMATE:
            assert outcome.result() == game.headers["Result"]
    assert len({game.headers["White"] for game in games}) == 2  # colours alternate
