"""The command and its help."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version

import click
import pytest

from ulci_server.cli import main
from ulci_server.cli.main import COMMANDS


def each_command(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """What can be run, and the words to say."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from each_command(command, *path, name)
        else:
            yield (*path, name), command


def test_the_help_names_every_command(shell) -> None:
    said = shell.run("--help").output
    for name, place in COMMANDS.items():
        assert f"\n  {name} " in said
        assert place.help in said
        assert main.commands[name].name == name


@pytest.mark.system
def test_what_hosts_games_is_not_imported_for_the_help_or_for_a_look_into_the_database() -> None:
    program = "import sys\nfrom ulci_server.cli import main\ntry:\n    main({})\nfinally:\n"
    program += "    print([each for each in {} if each in sys.modules])"
    unneeded = [
        (["--help"], ("trio", "sqlalchemy")),
        (["games", "-h"], ("ulci_server.hall", "ulci_server.web")),
        (["cluster", "status", "-h"], ("ulci_server.hall", "ulci_server.cluster")),
    ]
    for argv, absent in unneeded:
        done = subprocess.run(
            [sys.executable, "-c", program.format(argv, absent)],
            capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("path", "command"), [*each_command(main)], ids=str)
def test_every_option_is_explained(shell, path: tuple[str, ...], command: click.Command) -> None:
    result = shell.run(*path, "-h")
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: ulci-server {' '.join(path)} ")
    for option in command.params:
        assert isinstance(option, click.Argument) or option.help, option.name
    assert max(map(len, result.output.splitlines())) <= 100


def test_the_exit_codes_of_serve_are_in_its_help(shell) -> None:
    said = shell.run("serve", "--help").output
    for code in "0123":
        assert f" {code} " in said[said.index("Exit codes:") :]


def test_it_knows_its_version(shell) -> None:
    assert shell.run("--version").output == f"ulci-server {version('ulci-relay')}\n"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["serv"], "No such command 'serv'. Did you mean 'serve'?"),
        (["serve", "--port", "3"], "No such option '--port'"),
        (["serve", "me"], "unexpected extra argument (me)"),
        (["check-config"], "Missing argument 'FILE'"),
    ],
)
def test_wrong_usage_is_one_line(shell, argv: list[str], why: str) -> None:
    assert why in shell.refused(*argv, code=2)


@pytest.mark.system
def test_it_runs_as_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ulci_server.cli", "--version"],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.startswith("ulci-server ")
