"""The programs that the file names: their commands and options."""

import math
import shutil
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo

from ulci.settings import command_beside_file, toml


def _command(said: Any, info: ValidationInfo) -> tuple[str, ...]:
    if not isinstance(said, list | tuple) or not said:
        raise ValueError(f'expected a program and its arguments, ["…", "…"], found {toml(said)}')
    if not all(isinstance(word, str) for word in said):
        raise ValueError("expected every argument as a text in quotes")
    command = command_beside_file(said, info)
    program = command[0]
    if shutil.which(program) is None:
        where = "" if "/" in program else " in PATH; write where it is: /path/to/it"
        raise ValueError(f"there is no program {program}{where}")
    return command


Command = Annotated[tuple[str, ...], PlainValidator(_command)]
"""A program and its arguments; a relative path is relative to the configuration file."""


def _options(said: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(said, tuple):
        return said
    if not isinstance(said, dict):
        text = f"expected a table of values, {{ Hash = 16 }}, found {toml(said)}"
        raise ValueError(text)  # noqa: TRY004
    first: dict[str, str] = {}
    for name, value in said.items():
        endless = isinstance(value, float) and not math.isfinite(value)
        if not isinstance(value, str | int | float) or endless:
            raise ValueError(f"{name} must be a text, a number, true or false, not {toml(value)}")
        if not f"{name}{value}".isprintable():
            raise ValueError(f"must be one line each, not {toml(name)} = {toml(value)}")
        if (earlier := first.setdefault(name.casefold(), name)) != name:
            raise ValueError(f"{name} is the same option as {earlier}")
    return tuple((name, _spelled(value)) for name, value in said.items())


def _spelled(value: str | float | bool) -> str:
    """The value in the spelling that an engine gets."""
    return str(value).lower() if isinstance(value, bool) else str(value)


EngineOptions = Annotated[tuple[tuple[str, str], ...], PlainValidator(_options)]
"""The options that a program gets by ``setoption``; engines ignore the case of names."""
