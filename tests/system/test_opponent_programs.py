"""``ulci opponent`` in other people's GUIs, by both protocols: whole matches, and what a remote
player, its line and the server do in them."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import chess.engine
import pytest
import trio

from tests.support import scripted_engine
from tests.support.actors import Actor, Deed
from tests.support.bridges import bridged
from tests.support.guis import match_command, saved_games, xboard_command
from tests.support.screens import screen
from tests.support.servers import PATIENCE, Server, hosting, program, running, until

pytestmark = [pytest.mark.system, pytest.mark.slow]

PROTOCOLS = ["uci", "xboard"]

DEEDS = (Deed.RESIGN, Deed.RESTART, Deed.LEAVE, Deed.LOSE_ON_TIME)
"""After the restart, the rest of the match is asked for anew."""

LONG = "300+1"
"""The time control of matches in which nobody may lose on time."""

HOUSE = (sys.executable, "-m", "ulci_client.house_engine", "Depth=1")


@contextmanager
def hosted_engine(folder: Path) -> Iterator[Server]:
    """A server at which Fish, which is stockfish behind the bridge, plays at ``LONG``. It takes a
    node searched for a millisecond, so a game is short though both sides have all the time that
    a busy machine takes."""
    with hosting(folder, LONG) as server:
        ours = ("--server", f"tcp://127.0.0.1:{server.port()}", "--name", "Fish")
        engine = ("--option", "Hash=8", "--option", "nodestime=1", "--", program("stockfish"))
        with bridged(folder, "fish", *ours, *engine):
            yield server


@dataclass(frozen=True)
class Seen:
    """A game as the GUI has it. `result`: empty if it heard none."""

    moves: list[str]
    result: str


async def xboard_match(
    server: Server, folder: Path, protocol: str, games: int, *options: str, local=HOUSE, more=()
) -> list[Seen]:
    """The games of a match, as xboard saves them."""
    saved = folder / "xboard.pgn"
    ours = match_command(server, protocol, games, *options)
    with screen(folder) as shown:
        argv = xboard_command(shown, ours, local, protocol, games, saved)
        async with running([*argv, "-sUCI", *more], folder=folder):
            await until(lambda: len(saved_games(saved)) == games, f"xboard has saved {games} games")
    return [
        Seen([move.uci() for move in game.mainline_moves()], game.headers["Result"])
        for game in saved_games(saved)
    ]


def test_a_screen_leaves_nothing_outside_the_folder_of_its_test(tmp_path: Path) -> None:
    """But for what the next screen of that number, which may come at once, has made."""
    with screen(tmp_path) as (_, display, _):
        number = display.partition(":")[2]
        socket = Path(f"/tmp/.X11-unix/X{number}")
        made = socket.stat().st_ctime_ns
    with suppress(FileNotFoundError):
        assert socket.stat().st_ctime_ns > made
    with suppress(FileNotFoundError):
        assert Path(f"/tmp/.X{number}-lock").stat().st_ctime_ns > made


def play_match(engine: chess.engine.SimpleEngine, games: int) -> list[Seen]:
    """The GUI's side makes moves at random, and has White in the first game."""
    chance, seen = random.Random(7), []
    clocks = chess.engine.Limit(white_clock=60, black_clock=60, white_inc=1, black_inc=1)
    for number in range(games):
        board, result = chess.Board(), ""
        while not result:
            if board.turn == (number % 2 == 0):
                board.push(chance.choice([*board.legal_moves]))
            else:
                answer = engine.play(board, clocks, game=number)
                if answer.move is None:
                    result = "0-1" if board.turn else "1-0"
                else:
                    board.push(answer.move)
            if board.is_game_over(claim_draw=True):
                result = board.result(claim_draw=True)
        seen.append(Seen([move.uci() for move in board.move_stack], result))
    return seen


async def python_chess_match(
    server: Server, protocol: str, games: int, *options: str
) -> list[Seen]:
    kind = chess.engine.SimpleEngine
    popen = kind.popen_uci if protocol == "uci" else kind.popen_xboard
    ours = match_command(server, protocol, games, *options)

    def play() -> list[Seen]:
        with popen(ours, timeout=PATIENCE) as engine:
            return play_match(engine, games)

    return await trio.to_thread.run_sync(play)


def recorded(server: Server, count: int) -> list[Seen]:
    """The games as the server has them."""
    return [
        Seen([move["move"] for move in game["moves"]], game["result"])
        for game in server.finished(count)
    ]


# Whole matches against an engine


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_python_chess_plays_a_match_against_an_engine_at_the_server(tmp_path, protocol):
    with hosted_engine(tmp_path) as server:
        options = ("--opponent", "Fish", "--time", LONG)
        seen = await python_chess_match(server, protocol, 2, *options)
        assert seen == recorded(server, 2)
        whites = [game["white"]["name"] for game in server.finished(2)]
    assert whites == ["GUI", "Fish"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_xboard_plays_a_match_against_an_engine_at_the_server(tmp_path, protocol):
    with hosted_engine(tmp_path) as server:
        options = ("--opponent", "Fish", "--time", LONG)
        seen = await xboard_match(server, tmp_path, protocol, 2, *options)
        assert seen == recorded(server, 2)
        whites = [game["white"]["name"] for game in server.finished(2)]
    assert whites[0] == "Fish"
    assert whites[1] != "Fish"


# What a remote player does in a match


@pytest.mark.parametrize("program", ["xboard", "python-chess"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_gui_and_the_server_agree_on_a_match_in_which_much_happens(
    tmp_path, protocol, program
):
    games = len(DEEDS)
    options = ("--opponent", "Bob", "--time", "8s+1s")
    with hosting(tmp_path, "8+1") as server:
        async with trio.open_nursery() as nursery:
            bob = Actor(server, DEEDS)
            await nursery.start(bob.play)
            if program == "xboard":
                seen = await xboard_match(server, tmp_path, protocol, games, *options)
            else:
                seen = await python_chess_match(server, protocol, games, *options)
        assert [over.reason for over in bob.ends] == [*["resignation"] * 3, "time"]
        assert seen == recorded(server, games)


# What only XBoard's protocol has words for, and what xboard believes


@pytest.mark.parametrize(
    ("options", "believed"), [(("-testClaims", "false"), True), ((), False)], ids=["off", "on"]
)
async def test_xboard_believes_that_its_side_has_lost_on_time_if_it_tests_no_claims(
    tmp_path, options, believed
):
    hangs = (sys.executable, scripted_engine.__file__, "--hang-at-go", "3")
    with hosting(tmp_path, "10") as server:
        async with trio.open_nursery() as nursery:
            bob = Actor(server, (Deed.PLAY,))
            await nursery.start(bob.play)
            [seen] = await xboard_match(
                *(server, tmp_path, "xboard", 1, "--opponent", "Bob", "--time", "10s"),
                local=hangs,
                more=options,
            )
        [game] = recorded(server, 1)
    assert game.result == "1-0"
    assert seen == Seen(game.moves, "1-0" if believed else "0-1")


async def test_a_draw_by_the_last_move_of_the_gui_is_the_same_at_the_server(tmp_path):
    shuffles = (sys.executable, scripted_engine.__file__)
    with hosting(tmp_path, "10") as server:
        async with trio.open_nursery() as nursery:
            bob = Actor(server, (Deed.REPEAT, Deed.REPEAT))
            await nursery.start(bob.play)
            seen = await xboard_match(
                *(server, tmp_path, "xboard", 2, "--opponent", "Bob"), local=shuffles
            )
        assert seen == recorded(server, 2)
    assert [game.result for game in seen] == ["1/2-1/2"] * 2
