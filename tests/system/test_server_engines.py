"""Engines of the server itself: real ones, and those that misbehave."""

import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import chess
import pytest
import trio

from tests.support import processes
from tests.support.clients import Client
from tests.support.engines import SCRIPT
from tests.support.hosting import connection
from tests.support.servers import PATIENCE, Server, program, serving, until
from ulci.net import Address, dial
from ulci.protocol.messages import (
    BestMove,
    Challenge,
    Go,
    IsReady,
    Lobby,
    Position,
    ReadyOk,
    Resign,
    Seek,
    Terms,
)

pytestmark = pytest.mark.system

LISTEN = ("--listen", "tcp://127.0.0.1:0")


@asynccontextmanager
async def visiting(server: Server) -> AsyncIterator[Client]:
    address = Address.parse(f"tcp://127.0.0.1:{server.port()}")
    with trio.fail_after(PATIENCE):
        async with dial(address, connection) as peer:
            yield Client(peer)


def asked(**terms: Any) -> Seek:
    return Seek(Terms(against="engine", **terms))


class Person:
    """Plays any legal moves of chess."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.board = chess.Board()
        self._chance = random.Random(1)

    async def begin(self, said: Seek | Challenge) -> None:
        """Begin the game; a challenged engine may still be about to come."""
        self.client.say(said)
        while isinstance(heard := await self.client.hear((IsReady, Lobby)), Lobby):  # type: ignore[arg-type]
            if "no-such-player" in heard.words:
                await trio.sleep(0.05)
                self.client.say(said)
        self.client.say(ReadyOk())

    async def resign(self, result: str) -> None:
        """When it is its turn; `result` of the game."""
        await self.client.be_asked()
        self.client.say(Resign(), BestMove("0000"))
        await self.client.hear_line(f"game {result} reason resignation")

    async def move(self) -> None:
        while not isinstance(said := await self.client.hear((Position, Go)), Go):  # type: ignore[arg-type]
            self.board = chess.Board()
            for move in said.moves:  # type: ignore[attr-defined]
                self.board.push_uci(move)
        chosen = self._chance.choice([*self.board.legal_moves])
        self.client.say(BestMove(chosen.uci()))


def configured(folder: Path, *engines: str, time: str = "60+1") -> tuple[str, ...]:
    """The options of a server with a file, in which these are the engines' tables."""
    file = folder / "server.toml"
    tables = "".join(f"[[engine]]\n{engine}\n" for engine in engines)
    file.write_text(f'[[pool]]\nname = "chess"\ntime = "{time}"\n[shutdown]\ngrace = 0\n{tables}')
    return ("--config", str(file), *LISTEN)


def scripted(name: str, *switches: object, more: str = "") -> str:
    """The table of an engine that misbehaves as it is told."""
    command = [sys.executable, str(SCRIPT), *map(str, switches)]
    return f"name = {name!r}\ncommand = {command}\nquit_timeout = 0.3\n{more}"


async def introduced(mark: Path) -> None:
    """The server has asked the engine what it is; the next process misbehaves."""
    await until(mark.exists, "the engine was introduced", every=0.05)
    await trio.sleep(0.2)
    mark.unlink()  # noqa: ASYNC240 (brief)


async def test_who_comes_alone_to_a_server_without_a_file_finds_an_opponent(tmp_path: Path) -> None:
    with serving(tmp_path, *LISTEN, own_engine=True) as server:
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            await ada.begin(asked(color="white", time="60+1"))
            for _ in range(4):
                await ada.move()
            await ada.resign("1 over result 0-1")
        [game] = server.finished(1)
        assert (game["white"]["name"], game["black"]["name"]) == ("Ada", "House")
        assert len(game["moves"]) >= 7
        server.stop()
        assert not processes.children(server.process.pid)


async def test_people_who_leave_their_opponent_open_meet_each_other(tmp_path: Path) -> None:
    with serving(tmp_path, *LISTEN, own_engine=True) as server:
        async with visiting(server) as ada, visiting(server) as bob:
            for client, name in ((ada, "Ada"), (bob, "Bob")):
                await client.introduce_person(name)
                client.say(Seek())
            words = (await ada.hear_line("game 1 start")).split()
            assert {words[4], words[6]} == {"Ada", "Bob"}


ENGINES = ("stockfish", "glaurung", "toga2", "gnuchess --uci", "ethereal-chess")


@pytest.mark.parametrize("engine", ENGINES)
async def test_an_unmodified_engine_plays_people(tmp_path: Path, engine: str) -> None:
    name, *arguments = engine.split()
    command = " ".join([program(name), *arguments])
    with serving(tmp_path, *LISTEN, "--engine", command) as server:
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            for number in (1, 2):
                await ada.begin(asked(color="white", time="10+0.1"))
                for _ in range(3):
                    await ada.move()
                await ada.resign(f"{number} over result 0-1")
                await client.get_ready()
        for game in server.finished(2):
            assert len(game["moves"]) == 6
            assert game["black"]["kind"] == "engine"


async def test_engines_of_the_server_play_each_other_and_visitors(tmp_path: Path) -> None:
    meets = 'meets = "engines"'
    one, other = (f'command = ["{program(name)}"]\n{meets}' for name in ("stockfish", "glaurung"))
    with serving(tmp_path, *configured(tmp_path, one, other, time="1+0.02")) as server:
        await until(lambda: len(server.games("--finished")) >= 2, "two games are over", every=0.5)
        games = server.games("--finished")
        server.stop()
        assert not processes.children(server.process.pid)
    for game in games[:2]:
        assert game["reason"] not in ("disconnect", "illegal-move")
        assert {game[side]["name"].split()[0] for side in ("white", "black")} == {
            "Stockfish",
            "Glaurung",
        }


async def test_a_game_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    with serving(tmp_path, *configured(tmp_path, scripted("Fish"))) as server:
        async with visiting(server) as client:
            secret = await client.introduce_person("Ada")
            ada = Person(client)
            await ada.begin(Challenge("Fish", Terms(color="white")))
            await client.move("g1f3")
            await client.be_asked()
            [engine] = processes.children(server.process.pid)
            server.kill()
            await until(lambda: not processes.argv(engine), "the engine has ended with its server")
        server.start_again()
        async with visiting(server) as client:
            await client.come_back("Ada", secret)
            await client.get_ready()
            await client.move("f3g1")
            await Person(client).resign("1 over result 0-1")
        [game] = server.finished(1)
        assert [move["move"] for move in game["moves"]] == ["g1f3", "g8f6", "f3g1", "f6g8"]
        assert server.run("verify") != ""


FAILURES = {
    "dies": ["--die-at-go", 2],
    "crashes": ["--crash-at-go", 2],
    "leaves a child behind": ["--die-at-go", 2, "--orphan"],
    "prints without end": ["--flood-at-go", 2],
}


@pytest.mark.parametrize("switches", FAILURES.values(), ids=FAILURES)
async def test_a_game_goes_on_whose_engine_fails_once_and_the_record_says_so(
    tmp_path: Path, switches: list[object]
) -> None:
    fish = scripted("Fish", "--once", tmp_path / "mark", *switches)
    options = configured(tmp_path, fish)
    with (tmp_path / "server.toml").open("a") as file:
        file.write("[limits]\npatience = 0.5\nrate = 65536.0\nburst = 65536\n")
    with serving(tmp_path, *options) as server:
        await introduced(tmp_path / "mark")
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            await ada.begin(Challenge("Fish", Terms(color="white")))
            for move in ("g1f3", "f3g1"):
                await client.move(move)
            await client.hear_line("game 1 opponent away")
            await client.hear_line("game 1 opponent back")
            await ada.resign("1 over result 0-1")
        [game] = server.finished(1)
        assert [move["move"] for move in game["moves"]] == ["g1f3", "g8f6", "f3g1", "f6g8"]
        assert [event["what"] for event in game["events"]][:2] == ["away", "back"]
        *_, report = game["reports"]
        assert report["side"] == "black"
        assert report["text"].startswith("its program ended: ")
        server.stop()
        assert not processes.children(server.process.pid)


async def test_an_engine_that_hangs_loses_on_time_and_the_next_game_has_another_process(
    tmp_path: Path,
) -> None:
    fish = scripted("Fish", "--once", tmp_path / "mark", "--hang-at-go", 2, more="ping_timeout = 2")
    with serving(tmp_path, *configured(tmp_path, fish, time="10")) as server:
        await introduced(tmp_path / "mark")
        async with visiting(server) as client:
            await client.introduce_person("Ada")
            ada = Person(client)
            await ada.begin(Challenge("Fish", Terms(color="white")))
            for move in ("g1f3", "f3g1"):
                await client.move(move)
            # Once the game is over, it is ended within three seconds.
            [first] = processes.children(server.process.pid)
            await client.hear_line("game 1 over result 1-0 reason time")
            await client.get_ready()
            await until(lambda: first not in processes.children(server.process.pid), "it was ended")
            await ada.begin(asked(color="white"))
            await client.move("g1f3")
            await client.be_asked()


async def test_others_do_not_notice_an_engine_that_prints_without_end(tmp_path: Path) -> None:
    """`serving` looks at how long the loop was held."""
    fish = scripted("Fish", "--flood-at-go", 1)
    with serving(tmp_path, *configured(tmp_path, fish, time="60")) as server:
        async with visiting(server) as ada, visiting(server) as bob, visiting(server) as eve:
            await eve.introduce_person("Eve")
            await Person(eve).begin(Challenge("Fish", Terms(color="white")))
            await eve.move("g1f3")
            players = []
            for client, name in ((ada, "Ada"), (bob, "Bob")):
                await client.introduce_person(name)
                client.say(Seek(Terms(color="white" if client is ada else "black")))
                players.append(Person(client))
            for client in (ada, bob):
                await client.get_ready()
            for _ in range(40):
                for player in players:
                    await player.move()
            [fish] = processes.children(server.process.pid)
            assert processes.argv(fish)
