"""A game whose rules are nowhere in the server, judged by a program that may be killed."""

import sys
from pathlib import Path
from signal import SIGKILL

import pytest

from tests.support import nim
from tests.support.processes import argv, children, send
from tests.support.servers import program, running, serving, until
from ulci.rules import GAMES

pytestmark = pytest.mark.system

NIM = f"{sys.executable} {nim.__file__}"
CONFIG = """
listen = [{{ address = "tcp://127.0.0.1:0", dialect = "ugi" }}]

[[game]]
name = "nim"
referee = ["{python}", "{nim}", "--illegal", "{illegal}", "--log", "{log}"]

[[pool]]
name = "nim"
game = "nim"
time = "20+1"
start = "{start}"
"""


@pytest.fixture
def configured(tmp_path: Path):
    def write(start: str, illegal: str = "ignore") -> Path:
        path = tmp_path / "server.toml"
        names = {"python": sys.executable, "nim": nim.__file__, "log": tmp_path / "referee.log"}
        path.write_text(CONFIG.format(start=start, illegal=illegal, **names))
        return path

    return write


async def test_two_ugi_engines_play_a_game_that_only_a_third_one_knows(tmp_path, configured):
    assert "nim" not in GAMES
    config = configured("3,4,5,6 1")
    with serving(tmp_path, "--config", str(config)) as server:
        engine = (program("socat"), f"TCP:127.0.0.1:{server.port()}", f"EXEC:{NIM}")
        async with running(engine, engine):
            await until(lambda: len(server.games("--finished")) >= 3, "three games are over")
    played = server.games("--finished")[-3:]  # the newest ended when the engines were killed
    for game in played:
        assert (game["rules"], game["reason"]) == ("nim", "game-rule")
        assert game["result"] in ("1-0", "0-1")
        stones = nim.Nim("3,4,5,6 1", twice=False)
        for move in game["moves"]:
            stones.move(move["move"])
        assert stones.over()
        assert game["result"] == ("1-0" if stones.player == 2 else "0-1")


async def test_killing_the_referee_in_mid_game_costs_nobody_time_or_the_game(tmp_path, configured):
    config = configured(",".join(["9"] * 9) + " 1")
    log = tmp_path / "referee.log"
    with serving(tmp_path, "--config", str(config)) as server:
        engine = (program("socat"), f"TCP:127.0.0.1:{server.port()}", f"EXEC:{NIM}")
        killed: set[int] = set()
        async with running(engine, engine):
            for moves in (2, 5, 8):
                await until(lambda n=moves: log.exists() and f"{n} moves" in plies(log), "moves")
                await until(lambda: referees(server.process.pid) - killed, "a referee runs")
                found = referees(server.process.pid) - killed
                assert send(SIGKILL, *found) >= 1
                killed.update(found)
            await until(lambda: server.games("--finished"), "the game is over")
    [*_, game] = server.games("--finished")
    assert game["reason"] == "game-rule"
    assert all(move["spent_ms"] < 5000 for move in game["moves"])
    assert "referee is down" in server.log.read_text()


def referees(server: int) -> set[int]:
    """The main one and, after a death, the one for suspects."""
    return {pid for pid in children(server) if nim.__file__ in argv(pid)}


def plies(log: Path) -> set[str]:
    """How many moves the positions had that the referee was shown."""
    lines = [line.split() for line in log.read_text().splitlines() if " moves " in line]
    return {f"{len(words) - words.index('moves') - 1} moves" for words in lines}
