"""Engines of the server, as the file names them."""

import os
import sys
from pathlib import Path

import pytest

from ulci.engines.settings import EngineSettings
from ulci_server.config import Config, ConfigError, load
from ulci_server.config.engine_table import EngineTable
from ulci_server.engines import EngineOffer
from ulci_server.lobby import ServerProgram

PYTHON = sys.executable
FISH = {"command": [PYTHON, "fish.py"]}


def loaded(*engines: dict[str, object], **changes: object) -> Config:
    return load(None, {"engine": [*engines], **changes})


def faults(*engines: dict[str, object], **changes: object) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        loaded(*engines, **changes)
    return [str(fault) for fault in caught.value.faults]


def test_there_is_none_unless_the_file_names_one():
    assert load().engine == ()


def test_an_engine_needs_a_command_and_plays_people():
    [engine] = loaded(FISH).engine
    assert engine.offer() == EngineOffer(
        EngineSettings((PYTHON, "fish.py")), ServerProgram(("human",), levels=True)
    )
    assert faults({}) == ["engine[0].command: is missing"]


def test_all_that_can_be_said_of_an_engine(tmp_path: Path):
    [processor, *_] = sorted(os.sched_getaffinity(0))
    [engine] = loaded(
        {
            **FISH,
            "name": "Fish",
            "dialect": "ugi",
            "options": {"Hash": 64, "Ponder": False, "Style": "calm"},
            "cwd": str(tmp_path),
            "environment": {"A": "b"},
            "processors": [processor],
            "levels": False,
            "boards": 3,
            "idle": 5.0,
            "meets": "all",
            "pools": ["chess"],
            "games": ["chess"],
            "start_timeout": 1.0,
            "ping_timeout": 2.0,
            "quit_timeout": 3.0,
        }
    ).engine
    settings = EngineSettings(
        (PYTHON, "fish.py"),
        cwd=tmp_path,
        options=("Hash=64", "Ponder=false", "Style=calm"),
        start=1.0,
        ping=2.0,
        quit=3.0,
        dialect="ugi",
        environment=(("A", "b"),),
        processors=(processor,),
    )
    program = ServerProgram(("human", "engine"), ("chess",), ("chess",))
    assert engine.offer() == EngineOffer(settings, program, "Fish", 3, 5.0, "chess")


def test_a_program_beside_the_file_is_found(tmp_path: Path):
    program = tmp_path / "fish"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    file = tmp_path / "server.toml"
    file.write_text('[[engine]]\ncommand = ["./fish"]\n')
    assert load(file).engine == (EngineTable(command=(str(program),)),)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"command": "fish"}, 'command: expected a program and its arguments, ["…", "…"], found'),
        ({"command": ["no-such-fish"]}, "command: there is no program no-such-fish in PATH; write"),
        ({"command": ["/no/fish"]}, "command: there is no program /no/fish"),
        ({"name": "a\nb"}, 'name: must be one line, not "a\\nb"'),
        ({"dialect": "uxi"}, "dialect: there is no dialect 'uxi'; there are: uci"),
        ({"dialect": "ugi"}, "speaks UGI, which names no game"),
        ({"options": {"Hash": [1]}}, "options: Hash must be a text, a number, true or false, not"),
        ({"options": {"Hash": 1, "hash": 2}}, "options: hash is the same option as Hash"),
        ({"options": {"A": "b\nc"}}, "options: must be one line each, not"),
        ({"cwd": "/no/folder"}, "cwd: there is no folder /no/folder"),
        ({"environment": {"A": 1}}, "environment: A must be a text in quotes, not 1"),
        ({"environment": {"A=B": "c"}}, 'environment: there can be no variable "A=B" = "c"'),
        ({"processors": [9999]}, "processors[0]: there is no processor 9999 for this server;"),
        ({"boards": 0}, "boards: "),
        ({"boards": 257}, "boards: "),
        ({"idle": 0}, "idle: "),
        ({"meets": "nobody"}, "meets: "),
        ({"pools": ["chess", "blitz"]}, "pools[1]: there is no pool 'blitz'; "),
        ({"games": ["ches"]}, "games[0]: there is no game 'ches'; did you mean chess?"),
        ({"elo": 1500}, "elo: "),
    ],
)
def test_what_cannot_be(changes: dict[str, object], fault: str):
    [told] = faults({**FISH, **changes})
    assert told.startswith((f"engine[0].{fault}", f"engine[0]: {fault}"))


def test_all_faults_of_all_engines_are_told_at_once():
    told = faults({**FISH, "name": "Fish"}, {"name": "Fish", "boards": -1, "pools": ["x"]})
    assert [fault.partition(":")[0] for fault in told] == [
        "engine[1].command",
        "engine[1].boards",
        "engine[1].name",
        "engine[1].pools[0]",
    ]


def test_pools_and_games_of_the_file_are_known():
    pools = [{"name": "blitz"}]
    [engine] = loaded({**FISH, "pools": ["blitz"]}, pool=pools).engine
    assert engine.pools == ("blitz",)
