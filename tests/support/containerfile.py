"""What deploy/Containerfile says, instruction by instruction."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from ulci_server.cli import main
from ulci_server.cli.serve import serve

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
IGNORED = ROOT / ".dockerignore"


class Instruction(NamedTuple):
    name: str
    value: str

    @property
    def words(self) -> list[str]:
        """The exec form (a JSON array), or the words of a shell."""
        return json.loads(self.value) if self.value.startswith("[") else shlex.split(self.value)


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, its FROM first."""
    found: list[list[Instruction]] = []
    for line in CONTAINERFILE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, value = line.partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append(Instruction(name, value))
    return found


def values(stage: list[Instruction], name: str) -> list[Instruction]:
    return [each for each in stage if each.name == name]


def copied() -> list[Path]:
    """What the build stage copies of this repository."""
    build, _ = stages()
    return [ROOT / word for each in values(build, "COPY") for word in each.words[:-1]]


def health_check() -> list[str]:
    """The command that says whether the server is well."""
    _, image = stages()
    [check] = values(image, "HEALTHCHECK")
    return json.loads(check.value.partition("CMD ")[2])


def options_of_serve(words: Sequence[str]) -> dict[str, Any]:
    """What these words of a command tell ``ulci-server serve``."""
    group = click.Context(main, **main.context_settings)
    return serve.make_context("serve", [*words], parent=group).params
