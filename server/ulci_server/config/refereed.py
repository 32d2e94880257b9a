"""Refereed games: their rules are an engine's, not the server's."""

import shutil
from typing import Annotated, Any

from pydantic import Field, PlainValidator, ValidationInfo, field_validator

from ulci.rules import GAMES
from ulci.settings import SettingsTable, command_beside_file, toml

from .fields import Seconds


def _words(said: Any, info: ValidationInfo) -> tuple[str, ...]:
    """A program and its arguments; a relative path is relative to the configuration file."""
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


def _options(said: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(said, tuple):
        return said
    if not isinstance(said, dict) or not all(isinstance(value, str) for value in said.values()):
        raise ValueError(f'expected a table of texts, {{ Hash = "16" }}, found {toml(said)}')
    for name, value in said.items():
        if not f"{name}{value}".isprintable():
            raise ValueError(f"must be one line each, not {toml(name)} = {toml(value)}")
    return tuple(said.items())


class RefereedGame(SettingsTable):
    """A table of `game`."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}$")
    """One word, by which pools and players name it."""
    referee: Annotated[tuple[str, ...], PlainValidator(_words)]
    """The engine that judges it, over UGI: a program and its arguments."""
    options: Annotated[tuple[tuple[str, str], ...], PlainValidator(_options)] = ()
    """What it is told by ``setoption``."""
    start: Seconds = 10.0
    """From its start to ``ugiok``, and from there to ``readyok``."""
    answer: Seconds = 5.0
    """For its verdict on one move; then it is started again."""
    twice: bool = False
    """Whether a side may move twice in a row. If not, whose turn it is shows an illegal move."""
    second_opinion: bool = False
    """Whether the players' engines are asked, too, how a game ended; what differs is stored."""

    @field_validator("name")
    @classmethod
    def _free(cls, name: str) -> str:
        if name in GAMES:
            raise ValueError(f"{name} needs no referee: the server knows its rules")
        return name
