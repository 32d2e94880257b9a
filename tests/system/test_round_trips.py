"""What the clock gives back for the line: what the line took, however long players think.

Over every kind of connection, over the kernel's own TCP: on this machine, where a line takes
nothing, and on lines that are slow both ways (`tests.support.slow_line`).
"""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.bridges import bridged
from tests.support.servers import PATIENCE, program, serving, until
from tests.support.slow_line import FAR, NEAR, over_a_slow_line
from tests.support.thinkers import KINDS, PROXIED, SOCKETS, THINK, think_of
from ulci_server.game import MovePlayed
from ulci_server.storage import open_database

pytestmark = [pytest.mark.system, pytest.mark.slow]

Moves = Mapping[str, Sequence[MovePlayed]]
"""Those of each player, by its name."""


def thinkers(folder: Path, *options: object) -> list[str]:
    argv = (sys.executable, "-m", "tests.support.thinkers", folder, *options)
    return [str(word) for word in argv]


def played(folder: Path, command: Sequence[str]) -> Moves:
    """What the record has of all moves, once that command has run."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    database = open_database(f"sqlite:///{folder}/ulci.db", writing=False)
    moves = defaultdict[str, list[MovePlayed]](list)
    for game in database.games.find(running=False):
        for move in database.games.moves(game.id):
            moves[game.seats[move.side].name].append(move)
    database.close()
    return moves


def on_a_slow_line(folder: Path, **line: int) -> Moves:
    """Of players of every kind, with all of them on that line."""
    there = thinkers(folder, "--near", NEAR, "--far", FAR)
    moves = played(folder, over_a_slow_line(there, **line))
    assert len(moves) == 2 * len(KINDS) * len(THINK)
    return moves


def given(moves: Sequence[MovePlayed]) -> float:
    """ms a move, on the average."""
    return sum(move.lag for move in moves) / len(moves)


def taken(name: str, moves: Sequence[MovePlayed]) -> float:
    """ms that passed beside thinking, a move, on the average."""
    return sum(move.spent for move in moves) / len(moves) - think_of(name)


def assert_given(moves: Moves, least: float, most: float, *, spread: float = 0.0) -> None:
    """ms a move. A line, a proxy and players that compete for a processor may take more than they
    should: then nobody was given more than a tenth beyond that, and the `spread` by which the
    answers that measured the line may have taken longer than the moves."""
    wrong = {}
    for name, some in moves.items():
        if not least <= given(some) <= max(most, 1.1 * taken(name, some) + spread):
            wrong[name] = f"given {given(some):.1f}, taken {taken(name, some):.1f} ms a move"
    assert wrong == {}


def test_nothing_is_given_back_for_a_line_that_takes_nothing(tmp_path):
    kinds = [word for kind in SOCKETS for word in ("--kind", kind)]
    moves = played(tmp_path, thinkers(tmp_path, *kinds))
    assert len(moves) == 2 * len(SOCKETS) * len(THINK)
    assert {name: given(some) for name, some in moves.items() if given(some)} == {}


def test_nor_for_an_engine_behind_a_proxy_that_takes_its_time_to_get_ready(tmp_path):
    moves = played(tmp_path, thinkers(tmp_path, "--kind", PROXIED, "--ready", 300))
    assert len(moves) == 2 * len(THINK)
    # Of those 300 ms nothing; of what a busy processor adds to a way of no length, the least.
    assert_given(moves, 0, 60)


def test_behind_a_proxy_what_the_way_beyond_it_takes_is_given_back(tmp_path):
    moves = played(tmp_path, thinkers(tmp_path, "--kind", PROXIED, "--delay", 50))
    assert len(moves) == 2 * len(THINK)
    assert_given(moves, 90, 110)


def test_over_a_line_of_50_ms_each_way_100_ms_a_move_are_given_back(tmp_path):
    # The quota grows by as much a move, so that it lasts.
    assert_given(on_a_slow_line(tmp_path, delay=50), 90, 110)


def test_nothing_is_given_back_for_acknowledgements_that_are_held_back(tmp_path):
    # They would make it 250 ms a move until the quota is used up, 225 on the average. Instead the
    # few answers of a handshake measure the line, each of which a busy processor may delay.
    assert_given(on_a_slow_line(tmp_path, delay=50, hold=150), 90, 190)


def test_of_a_line_that_takes_now_more_and_now_less_the_least_is_given_back(tmp_path):
    assert_given(on_a_slow_line(tmp_path, delay=50, jitter=20), 99, 140, spread=2 * 20)


GAMES = 8
BASE, INCREMENT = 1000, 10


async def test_games_of_an_engine_with_itself_last_as_long_as_their_control_allows(tmp_path):
    control = ("--game", "chess", "--time", "1+0.01")
    # It keeps a tenth of its time if it is left to think that a move costs 10 ms beside thinking.
    engine = ("--option", "Hash=8", "--option", "Move Overhead=5", "--", program("stockfish"))
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", *control) as server:
        line = ("--server", f"tcp://127.0.0.1:{server.port()}", "--games", str(GAMES))
        with (
            bridged(tmp_path, "one", *line, "--name", "One", *engine) as one,
            bridged(tmp_path, "two", *line, "--name", "Two", *engine) as two,
        ):
            half = GAMES // 2
            await until(lambda: one.shown.count(" begins: ") > half, f"{half} games are over", 1)
            await until(lambda: one.process.poll() is not None, "all games are over", 1)
            assert (await one.ended(), await two.ended()) == (0, 0), one.shown + two.shown
        games = server.games()
        server.run("verify")
    moves = [move for game in games for move in game["moves"]]
    thought = sum(move["spent_ms"] for move in moves)
    allowed = GAMES * 2 * BASE + len(moves) * INCREMENT
    assert len(games) == GAMES
    assert sum(move["lag_ms"] for move in moves) <= thought * 2 / 100
    assert abs(thought - allowed) <= allowed / 10, f"{thought} of {allowed} ms"
