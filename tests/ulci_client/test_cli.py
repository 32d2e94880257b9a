"""The command ``ulci``, and that its commands are imported no sooner than they are needed."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from ulci_client.cli import COMMANDS, main


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


@pytest.mark.system
def test_what_a_command_needs_is_not_imported_for_the_help():
    program = "import sys\nfrom ulci_client.cli import main\ntry:\n    main(['--help'])\nfinally:\n"
    program += "    print([each for each in ('trio', 'prompt_toolkit') if each in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.splitlines()[-1] == "[]"
