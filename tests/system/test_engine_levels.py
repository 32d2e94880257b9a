"""Engines of the server at levels of strength: what their processes are told, and what is kept."""

import io
import sys
from itertools import groupby
from pathlib import Path

import chess.pgn
import pytest

from tests.support import processes
from tests.support.clients import Client
from tests.support.engines import SCRIPT, lines_of
from tests.support.servers import program, serving, until
from tests.system.test_server_engines import Person, asked, configured, visiting
from ulci.protocol.messages import Challenge, Seek, Terms
from ulci.wire_log import conversation

pytestmark = pytest.mark.system

SKILL = "name Skill Level type spin default 20 min 0 max 20"


def fish(transcript: Path, *switches: object, more: str = "") -> str:
    """The table of an engine with a skill, which writes down what it reads."""
    arguments = ("--option", SKILL, "--transcript", transcript, *switches)
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return f"name = 'Fish'\ncommand = {command}\nquit_timeout = 0.3\n{more}"


def skills(transcript: Path) -> list[str]:
    """The skills that the engine was set to, and the starts of its games; what is said twice in
    succession, once."""
    wanted = ("setoption name Skill Level", "ucinewgame")
    said = (line for line in lines_of(transcript) if line.startswith(wanted))
    return [line for line, _ in groupby(said)]


def skill(value: int) -> str:
    return f"setoption name Skill Level value {value}"


def wanted(engine: str, number: int, level: int | None) -> Seek | Challenge:
    """The first game waits until the engine is here, a later one until it is free."""
    if number == 1:
        return Challenge(engine, Terms(time="10+0.1", color="white", level=level))
    return asked(time="10+0.1", color="white", level=level)


async def play(client: Client, number: int, level: int | None) -> None:
    """A game of a move each."""
    ada = Person(client)
    await ada.begin(wanted("Fish", number, level))
    await client.move("g1f3")
    await ada.resign(f"{number} over result 0-1")
    await client.get_ready()


async def test_an_engine_is_told_its_level_before_the_game_and_its_own_strength_after(
    tmp_path: Path,
) -> None:
    transcript = tmp_path / "transcript"
    with serving(tmp_path, *configured(tmp_path, fish(transcript))) as server:
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            for number, level in enumerate((1, 8, None, 3), 1):
                await play(client, number, level)
        assert skills(transcript) == [
            *(line for value in (0, 20, 20, 6) for line in (skill(value), "ucinewgame"))
        ]
        games = server.finished(4)
        levels = sorted((game["id"], game["black"]["level"]) for game in games)
        assert levels == [(1, 1), (2, 8), (3, None), (4, 3)]
        assert all(game["white"]["level"] is None for game in games)
        assert "Fish level 3" in server.run("games")
        assert "Ada against Fish level 3," in server.run("why", "4")
        text = server.run("export", "--format", "pgn", "--id", "4")
        read = chess.pgn.read_game(io.StringIO(text))
        assert read is not None
        assert read.headers["Black"] == "Fish level 3"
        assert server.run("verify") != ""


async def test_stockfish_is_told_an_elo_and_moves(tmp_path: Path) -> None:
    log = tmp_path / "wire.log"
    table = f"name = 'Cod'\ncommand = ['{program('stockfish')}']\n[wire_log]\nfile = '{log}'\n"
    with serving(tmp_path, *configured(tmp_path, table)) as server:
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            for number, level in ((1, 2), (2, None)):
                await ada.begin(wanted("Cod", number, level))
                for _ in range(2):
                    await ada.move()
                await ada.resign(f"{number} over result 0-1")
                await client.get_ready()
        for game in server.finished(2):
            assert len(game["moves"]) == 4
        server.stop()
    said = [
        [
            entry.text
            for who, entry in conversation(log, game=number)
            if who == "Cod" and ("LimitStrength" in entry.text or "UCI_Elo" in entry.text)
        ]
        for number in (1, 2)
    ]
    first, second = ([*dict.fromkeys(lines)] for lines in said)
    limit, elo = first
    assert limit == "setoption name UCI_LimitStrength value true"
    assert 1400 < int(elo.removeprefix("setoption name UCI_Elo value ")) < 1700
    assert second == ["setoption name UCI_LimitStrength value false"]


async def test_our_own_engine_has_levels(tmp_path: Path) -> None:
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", own_engine=True) as server:
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            await ada.begin(Challenge("House", Terms(color="white", level=1, time="60+1")))
            await ada.move()
            await ada.resign("1 over result 0-1")
        [game] = server.finished(1)
        assert (game["black"]["name"], game["black"]["level"]) == ("House", 1)


async def test_a_game_goes_on_at_its_level_after_the_server_was_killed(tmp_path: Path) -> None:
    transcript = tmp_path / "transcript"
    with serving(tmp_path, *configured(tmp_path, fish(transcript))) as server:
        async with visiting(server) as client:
            secret = await client.introduce_person("Ada")
            await Person(client).begin(Challenge("Fish", Terms(color="white", level=1)))
            await client.move("g1f3")
            await client.be_asked()
            [engine] = processes.children(server.process.pid)
            server.kill()
            await until(lambda: not processes.argv(engine), "the engine has ended with its server")
        transcript.unlink()
        server.start_again()
        async with visiting(server) as client:
            await client.come_back("Ada", secret)
            await client.get_ready()
            await client.move("f3g1")
            await Person(client).resign("1 over result 0-1")
        assert {line for line in skills(transcript) if line != "ucinewgame"} == {skill(0)}
        [game] = server.finished(1)
        assert game["black"]["level"] == 1
        assert [move["move"] for move in game["moves"]] == ["g1f3", "g8f6", "f3g1", "f6g8"]
        assert server.run("verify") != ""


async def test_an_engine_that_is_started_again_in_a_game_gets_its_level_again(
    tmp_path: Path,
) -> None:
    transcript = tmp_path / "transcript"
    table = fish(transcript, "--once", tmp_path / "mark", "--die-at-go", 2)
    options = configured(tmp_path, table)
    with (tmp_path / "server.toml").open("a") as file:
        file.write("[limits]\npatience = 0.5\n")
    with serving(tmp_path, *options) as server:
        await until((tmp_path / "mark").exists, "the engine was introduced", every=0.05)
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            (tmp_path / "mark").unlink()
            await ada.begin(Challenge("Fish", Terms(color="white", level=1)))
            for move in ("g1f3", "f3g1"):
                await client.move(move)
            await client.hear_line("game 1 opponent back")
            await ada.resign("1 over result 0-1")
        _, asked_first, *in_game = "\n".join(lines_of(transcript)).split("uci\n")
        assert "Skill Level" not in asked_first
        assert [skill(0) in process for process in in_game] == [True, True]
