"""Tournaments of a real server, by its commands, real engines and a bridge."""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.engines import STOCKFISH, needs_stockfish
from tests.support.servers import PATIENCE, Server, serving, until
from tests.system.test_server_engines import configured

pytestmark = [pytest.mark.system, needs_stockfish]

NAMES = "Ada", "Bob", "Cyd"


def fish(name: str) -> str:
    return f"name = {name!r}\ncommand = [{STOCKFISH!r}]\n"


def options(folder: Path, names: Sequence[str] = NAMES) -> tuple[str, ...]:
    return configured(folder, *map(fish, names), time="nodes=50")


def described(folder: Path, settings: str, *entrants: str) -> str:
    """The file of a description."""
    file = folder / "cup.toml"
    listed = "".join(f"[[entrant]]\n{entrant}\n" for entrant in entrants)
    file.write_text(f'name = "Cup"\npool = "chess"\n{settings}\n{listed}')
    return str(file)


def state(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(server.run("tournament", "status", "cup", "--json"))
    return found


def is_decided(server: Server, round_: int) -> bool:
    """Whether all pairings of a round are."""
    found = state(server)
    ended = {game["number"] for game in found["games"] if game["score"] is not None}
    rows = [row for row in found["pairings"] if row["round"] == round_]
    return bool(rows) and all(row["score"] or row["number"] in ended for row in rows)


async def ended(server: Server) -> dict[str, Any]:
    await until(lambda: state(server)["state"] == "finished", "it is over", every=0.3)
    return state(server)


@contextmanager
def bridged(server: Server, token: Path):
    """A bridge that plays in the tournament."""
    assert STOCKFISH is not None
    address = f"tcp://127.0.0.1:{server.port()}"
    command = [
        *(str(Path(sys.executable).with_name("ulci")), "bridge", "--server", address),
        *("--token-file", str(token), "--tournament", "cup", "--", STOCKFISH),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE)


async def test_a_swiss_that_is_killed_twice_is_played_to_its_end(tmp_path: Path) -> None:
    settings = 'format = "swiss"\nrounds = 3'
    entrants = [f'engine = "{name}"' for name in (*NAMES, "Dan")]
    with serving(tmp_path, *options(tmp_path, (*NAMES, "Dan"))) as server:
        file = described(tmp_path, settings, *entrants)
        server.run("tournament", "create", file, "--start")
        for games in (2, 6):
            await until(
                lambda games=games: len(server.games("--finished")) >= games,
                "games are over",
                every=0.1,
            )
            server.kill()
            server.start_again()
        found = await ended(server)
        pairings = found["pairings"]
        assert len(pairings) >= 12
        met = {frozenset((row["white"], row["black"])) for row in pairings}
        assert len(met) == 6, "in three rounds each of four meets all others"
        text = server.run("tournament", "status", "cup", "--crosstable")
        assert "12 games finished of 12" in text
        assert "agree" in server.run("verify")
        report = server.run("tournament", "export", "cup", "--format", "trf")
        assert report.count("\n001 ") == 4
        assert server.run("tournament", "export", "cup").count("[Event ") >= 12


async def test_a_bridge_enters_by_its_account_and_leaves_at_the_end(tmp_path: Path) -> None:
    with serving(tmp_path, *options(tmp_path, ("Ada",))) as server:
        token = tmp_path / "token"
        token.write_text(server.run("player", "add", "Eve", "--kind", "engine"))
        token.chmod(0o600)
        settings = 'format = "roundrobin"\nopen = true'
        file = described(tmp_path, settings, 'engine = "Ada"', 'account = "Eve"')
        server.run("tournament", "create", file, "--start")
        with bridged(server, token) as bridge:
            await ended(server)
            assert bridge.wait(PATIENCE) == 0
            assert bridge.stdout is not None
            said = bridge.stdout.read()
        assert "Eve plays in cup as Eve" in said
        assert "cup is over" in said
        games = server.finished(2)
        assert {game["white"]["name"] for game in games} == {"Ada", "Eve"}


async def test_what_is_wrong_with_a_description_is_told_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, *options(tmp_path, ("Ada",))) as server:
        settings = 'format = "roundrobin"\nschedule = "2020-01-01 10:00"'
        file = described(tmp_path, settings, 'engine = "Nobody"', 'account = "Eve"')
        config = ("--config", str(tmp_path / "server.toml"))
        done = server._done("tournament", "create", file, *config)
        assert done.exit_code == 1
        assert "2 errors" in done.stderr
        assert "2020-01-01 10:00 (UTC) has passed" in done.stderr
        assert "the server has no engine Nobody; it has: Ada" in done.stderr
        done = server._done("tournament", "status", "cup")
        assert "there is no tournament 'cup'" in done.stderr


async def test_a_director_decides(tmp_path: Path) -> None:
    with serving(tmp_path, *options(tmp_path)) as server:
        entrants = [f'engine = "{name}"' for name in NAMES]
        file = described(tmp_path, 'format = "roundrobin"\nby_hand = true\ngames = 1', *entrants)
        server.run("tournament", "create", file, "--start")
        await until(lambda: len(server.games("--finished")) == 1, "a game is over", every=0.1)
        server.run("tournament", "correct", "cup", "1", "1/2-1/2", "--why", "agreed", "--by", "Eve")
        server.run("tournament", "remove", "cup", "Cyd", "--why", "it cheats")
        for round_ in (2, 3):
            server.run("tournament", "next-round", "cup")
            await until(partial(is_decided, server, round_), "the round is decided", every=0.3)
        await ended(server)
        rows = {row["number"]: row for row in state(server)["pairings"]}
        assert (rows[1]["score"], rows[1]["why"], rows[1]["by"]) == ("1/2-1/2", "agreed", "Eve")
        assert any(row["why"] == "Cyd had left" for row in rows.values())
