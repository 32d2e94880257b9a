"""Games that an engine judges, as the file names them."""

import sys
from pathlib import Path

import pytest

from tests.support import nim
from ulci.rules import GAMES
from ulci.rules.refereed import RefereedRules
from ulci_server.config import Config, ConfigError, load
from ulci_server.config.refereed import RefereedGame

PYTHON = sys.executable
NIM = {"name": "nim", "referee": [PYTHON, nim.__file__]}


def loaded(*games: dict[str, object], **changes: object) -> Config:
    return load(None, {"game": [*games], **changes})


def faults(*games: dict[str, object], **changes: object) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        loaded(*games, **changes)
    return [str(fault) for fault in caught.value.faults]


def test_a_game_needs_a_name_and_a_referee():
    [game] = loaded(NIM).game
    assert game == RefereedGame(name="nim", referee=(PYTHON, nim.__file__))
    assert (game.options, game.start, game.answer, game.twice) == ((), 10.0, 5.0, False)
    assert faults({}) == ["game[0].name: is missing", "game[0].referee: is missing"]


def test_it_is_a_game_like_those_that_the_server_knows():
    config = loaded(NIM, pool=[{"name": "p", "game": "nim", "starts": ["startpos", "1,2  1"]}])
    games = config.games()
    assert set(games) == {*GAMES, "nim"}
    [pool] = config.pools(games)
    assert pool.game is games["nim"]
    assert list(pool.starts) == [None, "1,2 1"]


def test_its_referee_is_to_be_asked_about_every_start_of_its_pools():
    pools = [
        {"name": "a", "game": "nim"},
        {"name": "b", "game": "nim", "start": "9 1"},
        {"name": "c", "game": "chess"},
    ]
    rules = loaded(NIM, pool=pools).games()["nim"]
    assert isinstance(rules, RefereedRules)
    assert rules.starts == (None, "9 1")


def test_a_game_in_no_pool_may_be_sought_from_its_usual_start():
    assert loaded(NIM).games()["nim"].starts == (None,)


def test_a_referee_beside_the_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "referee"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = tmp_path / "server.toml"
    path.write_text('[[game]]\nname = "nim"\nreferee = ["./referee", "--ugi"]\n')
    assert load(path).game[0].referee == (str(program), "--ugi")
    monkeypatch.chdir(tmp_path)
    assert load(Path("server.toml")).game[0].referee == (str(program), "--ugi")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"name": "chess"}, "name: chess needs no referee: the server knows its rules"),
        ({"name": "two words"}, "name: expected one word"),
        ({"options": {"a\nb": "1"}}, "options: must be one line each"),
        ({"options": {"a": "1\nquit"}}, "options: must be one line each"),
        ({"referee": []}, "referee: expected a program and its arguments"),
        ({"referee": "nim"}, "referee: expected a program and its arguments"),
        ({"referee": [PYTHON, 3]}, "referee: expected every argument as a text in quotes"),
        ({"referee": ["/nowhere/nim"]}, "referee: there is no program /nowhere/nim"),
        ({"referee": ["nowhere-nim"]}, "referee: there is no program nowhere-nim in PATH"),
        ({"options": ["Hash"]}, "options: expected a table of values"),
        ({"answer": 0}, "answer: expected a number above 0"),
        ({"twice": "yes"}, "twice: expected true or false"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(changes: dict[str, object], fault: str):
    [found] = faults({**NIM, **changes})
    assert found.startswith(f"game[0].{fault}")


def test_a_name_is_taken_once():
    assert faults(NIM, NIM) == ["game[1].name: 'nim' is taken by game[0]"]


def test_a_pool_of_a_game_that_is_nowhere_is_a_fault():
    [found] = faults(NIM, pool=[{"name": "p", "game": "nimm"}])
    assert found == "pool[0].game: there is no game 'nimm'; did you mean nim?"


def test_a_listener_speaks_uci_unless_it_says_otherwise():
    at = {"address": "tcp://127.0.0.1:1"}
    assert [listener.dialect for listener in loaded(listen=[at]).listen] == ["uci"]
    assert loaded(listen=[{**at, "dialect": "ugi"}]).listen[0].dialect == "ugi"
    assert faults(listen=[{**at, "dialect": "xboard"}]) == [
        'listen[0].dialect: expected one of "uci", "ugi" or "uti", found "xboard"'
    ]
    over_ws = {"address": "ws://127.0.0.1:1", "dialect": "uti"}
    assert faults(listen=[over_ws]) == [
        "listen[0].dialect: UTI is spoken over tcp:// and tls:// only"
    ]
