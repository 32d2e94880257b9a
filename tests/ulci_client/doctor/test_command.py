import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ulci_client.doctor.command import command

BROKEN = str(Path(__file__).parents[2] / "support" / "broken_engine.py")

pytestmark = pytest.mark.system


def run(*words: str, way: str = "") -> Result:
    engine = [sys.executable, BROKEN, *([way] if way else [])]
    asked = ["--timeout", "30", "--only", "isready", "--only", "stdout"]
    return CliRunner().invoke(command, [*asked, *words, "--", *engine])


def test_a_good_engine_ends_with_0():
    done = run()
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[0] == "  ok     introduces itself"
    assert done.output.splitlines()[-2:] == ["Broken by Nobody, examined in UCI", "5 steps, 5 ok"]


def test_a_fault_ends_with_1_and_says_what_to_do():
    done = run(way="has no author")
    assert done.exit_code == 1
    assert "advice: Say `id author …` after uci, before uciok." in done.output


def test_a_warning_fails_only_with_strict():
    assert run(way="chats").exit_code == 0
    assert run("--strict", way="chats").exit_code == 1


def test_json_is_one_object():
    done = run("--json", way="has no author")
    said = json.loads(done.output)
    assert (done.exit_code, said["exit"], said["faults"]) == (1, 1, 1)
    assert said["steps"][0]["findings"][0]["clause"] == "UCI 2004, uci"


def test_what_cannot_be_started_ends_with_2():
    done = CliRunner().invoke(command, ["--", "/nowhere/engine"])
    assert done.exit_code == 2
    assert "cannot start '/nowhere/engine'" in done.output
    assert CliRunner().invoke(command, ["--dialect", "usi", "--", "x"]).exit_code == 2
    assert CliRunner().invoke(command, []).exit_code == 2
