"""Programs as Debian has them, unconfigured, play whole games at the server. A machine may be slow:
what they are charged is measured by the one command (`python -m tests.foreign`), not here."""

import chess
import chess.engine
import chess.pgn
import pytest
import trio

from tests.foreign.courses import GUIS, SHORT, Course, differences, play, play_in_gui, until_over
from tests.foreign.judge import judge
from tests.foreign.programs import ENGINES, PLAIN, VARIANTS, WAYS, engine
from tests.support.guis import opponent_command
from tests.support.servers import PATIENCE, running, serving

pytestmark = [pytest.mark.system, pytest.mark.slow]

PLIES = 16


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "stockfish"])
async def test_an_engine_of_debian_plays_by_a_plain_socat_line(tmp_path, name):
    verdict = await play(Course(name, ("stockfish", name)), SHORT, 2, tmp_path)
    assert verdict.complaints == []


@pytest.mark.parametrize("way", WAYS)
async def test_a_line_as_it_comes_carries_whole_games(tmp_path, way):
    course = Course(way, ("stockfish", "stockfish"), WAYS[way])
    verdict = await play(course, SHORT, 1, tmp_path)
    assert verdict.complaints == []


async def test_the_clocks_of_a_plain_line_add_up_in_the_record(tmp_path):
    course = Course("clocks", ("stockfish", "stockfish"))
    verdict = await play(course, "3+0.02", 1, tmp_path)
    assert verdict.complaints == []
    assert len(verdict.thought) == verdict.plies  # the stopwatch has seen every move


@pytest.mark.parametrize("game", VARIANTS)
async def test_fairy_stockfish_plays_every_variant_but_atomic_by_a_plain_socat_line(tmp_path, game):
    course = Course(game, ("fairy-stockfish", "fairy-stockfish"), game=game)
    verdict = await play(course, SHORT, 1, tmp_path)
    assert verdict.complaints == []


@pytest.mark.parametrize("game", ["crazyhouse", "kingofthehill"])
async def test_two_authors_of_a_variant_play_each_other(tmp_path, game):
    course = Course(game, ("fairy-stockfish", "sjaakii"), game=game)
    verdict = await play(course, SHORT, 1, tmp_path)
    assert verdict.complaints == []


@pytest.mark.parametrize("gui", GUIS)
async def test_a_gui_saves_the_game_that_the_server_has(tmp_path, gui):
    verdict = await play_in_gui(GUIS[gui], tmp_path)
    assert verdict.complaints == []


async def test_python_chess_plays_an_engine_at_the_server_as_its_own(tmp_path):
    """Up to a resignation: UCI has no word for the move that ends a game."""
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", SHORT) as server:
        argv = opponent_command(server, "--time", SHORT)

        def match() -> chess.pgn.Game:
            board, limit = chess.Board(), chess.engine.Limit(depth=2)
            popen = chess.engine.SimpleEngine.popen_uci
            with (
                popen(argv, timeout=PATIENCE) as remote,
                popen(engine("toga2"), timeout=PATIENCE) as local,
            ):
                for ply in range(PLIES):
                    mover = remote if ply % 2 else local
                    move = mover.play(board, limit, game=1).move
                    assert move is not None
                    board.push(move)
                remote.configure({"Resign": None})
                remote.ping()
            game = chess.pgn.Game.from_board(board)
            game.headers["Result"] = "0-1"
            return game

        async with running(PLAIN.call(server.port(), engine("stockfish"), tmp_path)):
            game = await trio.to_thread.run_sync(match)
            await until_over(server, 1)
            games = server.games("--finished")
        verdict = judge(games, server.run("export", "--finished"))
    assert verdict.complaints == ["game 1: it ended by resignation: White (GUI) resigned"]
    assert differences(games, [game]) == []
