"""Manual pages and completion know every command and option of both programs."""

import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ulci_client.cli import main as client
from ulci_server.cli import main as server

PROGRAMS = {"ulci": client, "ulci-server": server}


def pages(program: str, folder: Path) -> dict[str, str]:
    done = CliRunner().invoke(
        PROGRAMS[program], ["manual", "--write", str(folder)], prog_name=program
    )
    assert done.exit_code == 0
    return {path.stem: path.read_text("utf-8") for path in folder.iterdir()}


def commands(group: click.Group, name: str) -> dict[str, click.Command]:
    found: dict[str, click.Command] = {name: group}
    for each in group.commands:
        command = group.commands[each]
        if isinstance(command, click.Group):
            found |= commands(command, f"{name}-{each}")
        else:
            found[f"{name}-{each}"] = command
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command_has_a_page_with_its_options(program: str, tmp_path: Path) -> None:
    written = pages(program, tmp_path)
    known = commands(PROGRAMS[program], program)
    assert {*written} == {*known}
    for name, command in known.items():
        text = written[name].replace("\\-", "-")
        assert text.startswith(f".TH {name.upper()} 1")
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[0] in text, (name, parameter)


def test_a_page_is_printed_with_its_examples_as_they_stand() -> None:
    done = CliRunner().invoke(client, ["manual", "bridge"], prog_name="ulci")
    assert ".EX\n    ulci bridge \\-\\-config bot.toml\n.EE" in done.output


def test_no_page_of_an_unknown_command_is_printed() -> None:
    done = CliRunner().invoke(client, ["manual", "brigde"], prog_name="ulci")
    assert done.exit_code == 2
    assert "there is no command ulci brigde" in done.output


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_pages_are_read_without_a_complaint(program: str, tmp_path: Path) -> None:
    for name in pages(program, tmp_path):
        done = subprocess.run(
            ["groff", "-man", "-ww", "-z", tmp_path / f"{name}.1"],
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == b"", name


@pytest.mark.parametrize(
    ("program", "words", "expected"),
    [
        ("ulci", "ulci br", ["bridge"]),
        ("ulci", "ulci bridge --print-c", ["--print-config"]),
        ("ulci-server", "ulci-server tourn", ["tournament"]),
        ("ulci-server", "ulci-server tournament cre", ["create"]),
    ],
)
def test_a_shell_completes_commands_and_options(
    program: str, words: str, expected: list[str]
) -> None:
    variable = f"_{program.replace('-', '_').upper()}_COMPLETE"
    asked = {variable: "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = CliRunner().invoke(PROGRAMS[program], [], prog_name=program, env=asked)
    assert re.findall(r"plain,(\S+)", done.output) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_reads_names_the_program_and_its_variable(shell: str) -> None:
    done = CliRunner().invoke(server, ["completion", shell], prog_name="ulci-server")
    assert done.exit_code == 0
    assert "_ULCI_SERVER_COMPLETE" in done.output
    assert "ulci-server" in done.output
