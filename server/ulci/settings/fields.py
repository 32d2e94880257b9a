"""The base class of all tables of a file, and what of it is relative to it."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationInfo

BASE = "base"
"""The key of the validation context that holds the folder of the file."""


class SettingsTable(BaseModel):
    """A table of the file: nothing else may stand in it, and nothing is converted silently."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True
    )


def beside_file(path: Path, info: ValidationInfo) -> Path:
    """A relative path is relative to the file, wherever the program was started."""
    base: Path = (info.context or {}).get(BASE, Path())
    return base / path


def command_beside_file(argv: Sequence[str], info: ValidationInfo) -> tuple[str, ...]:
    """The same command. A program with a slash in its name is a path; any other is sought in PATH.
    What an argument is, only the program knows."""
    program, *arguments = argv
    if "/" in program:
        program = str(beside_file(Path(program), info).absolute())
    return (program, *arguments)
