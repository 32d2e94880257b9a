"""The command ``ulci``, and that its commands are imported no sooner than they are needed."""

import os
import select
import subprocess
import sys

import pytest
from click.testing import CliRunner

from ulci_client.cli import COMMANDS, main
from ulci_client.opponent import greeting


def test_the_help_lists_every_command_with_what_it_is_for():
    done = CliRunner().invoke(main, ["--help"])
    assert done.exit_code == 0
    for name, place in COMMANDS.items():
        assert f"  {name}  " in done.output
        assert place.help in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_it_is_said_to_be(name):
    done = CliRunner().invoke(main, [name, "--help"])
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: main {name} [OPTIONS]")


def test_an_unknown_command_is_wrong_usage():
    done = CliRunner().invoke(main, ["brigde"])
    assert done.exit_code == 2
    assert "No such command 'brigde'" in done.output


def test_it_says_its_version():
    done = CliRunner().invoke(main, ["--version"])
    assert done.exit_code == 0
    assert done.output.startswith("ulci 0.")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--protocol", "xboard", "--color", "red"], "feature done=0\n"),
        (["--protocol=xboard", "--color", "red"], "feature done=0\n"),
        (["--protocol", "uci", "--color", "red"], ""),
        (["--protocol", "xboard", "--help"], "Usage: "),
    ],
)
def test_a_gui_is_told_to_wait_before_anything_is_imported(argv, said, capsys):
    """It would give up after two seconds."""
    with pytest.raises(SystemExit):
        main(["opponent", *argv])
    assert capsys.readouterr().out[: len(said) or None] == said


@pytest.fixture
def gui(monkeypatch):
    """The end of a pipe at which a GUI writes."""
    reader, writer = os.pipe()
    monkeypatch.setattr(greeting, "STDIN", reader)
    yield writer
    os.close(reader)
    os.close(writer)


def test_a_gui_that_has_asked_is_told_at_once(gui, monkeypatch, capsys):
    monkeypatch.setattr(greeting, "UNASKED", 600)
    os.write(gui, b"xboard\n")
    greeting.greet(["--protocol=xboard"])
    assert capsys.readouterr().out == "feature done=0\n"


def test_before_it_has_asked_it_is_told_nothing(monkeypatch, capsys):
    said = []
    monkeypatch.setattr(select, "select", lambda *_: said.append(capsys.readouterr().out))
    greeting.greet(["--protocol=xboard"])
    assert said == [""]


def test_a_gui_that_says_nothing_is_told_all_the_same(gui, monkeypatch, capsys):
    monkeypatch.setattr(greeting, "UNASKED", 0.01)
    greeting.greet(["--protocol=xboard"])
    assert capsys.readouterr().out == "feature done=0\n"


@pytest.mark.system
def test_what_a_command_needs_is_not_imported_for_the_help():
    program = "import sys\nfrom ulci_client.cli import main\ntry:\n    main(['--help'])\nfinally:\n"
    program += "    print([each for each in ('trio', 'prompt_toolkit') if each in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines()[-1] == "[]"
