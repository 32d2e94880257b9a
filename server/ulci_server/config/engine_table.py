"""Engines that the server runs itself."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from ulci.engines.settings import EngineSettings
from ulci.protocol import DIALECTS
from ulci.settings import SettingsTable, nearest, toml
from ulci_server.engines import EngineOffer
from ulci_server.game.facts import Kind
from ulci_server.lobby import ServerProgram

from .fields import FilePath, Seconds
from .programs import Command, EngineOptions

Meets = Literal["people", "engines", "all"]

_MEETS: Mapping[Meets, tuple[Kind, ...]] = {
    "people": ("human",),
    "engines": ("engine",),
    "all": ("human", "engine"),
}

MOST_BOARDS = 256
"""Boards of an engine: each may be a process."""


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError(f"there is no folder {path}")
    return path


def _environment(said: Any) -> Any:
    for name, value in said.items() if isinstance(said, dict) else ():
        if not isinstance(value, str):
            raise ValueError(f"{name} must be a text in quotes, not {toml(value)}")  # noqa: TRY004
        if not name or "=" in name or "\0" in f"{name}{value}":
            raise ValueError(f"there can be no variable {toml(name)} = {toml(value)}")
    return said


def _processor(number: int) -> int:
    if number not in (mine := os.sched_getaffinity(0)):
        known = ", ".join(map(str, sorted(mine)))
        raise ValueError(f"there is no processor {number} for this server; there are: {known}")
    return number


class EngineTable(SettingsTable):
    """A table of `engine`."""

    command: Command
    """The engine: a program and its arguments."""
    name: Annotated[str, Field(max_length=64)] = ""
    """The engine's name here; empty: its own."""
    dialect: str = "uci"
    """The engine's protocol."""
    options: EngineOptions = ()
    """The options that the engine gets by ``setoption``."""
    cwd: Annotated[FilePath, AfterValidator(_folder)] | None = None
    """The folder in which it is started; None: that of the server."""
    environment: Annotated[dict[str, str], BeforeValidator(_environment)] = Field(default={})
    """Variables for the engine, in addition to those of the server."""
    processors: Annotated[
        tuple[Annotated[int, AfterValidator(_processor)], ...], Field(strict=False)
    ] = ()
    """The numbers of the processors on which the engine may run; empty: all."""
    boards: Annotated[int, Field(ge=1, le=MOST_BOARDS)] = 1
    """Games at once, each with a process of its own."""
    idle: Seconds = 60.0
    """Seconds without a game after which a process ends."""
    meets: Meets = "people"
    """The opponents: people, who challenge it; engines, for which it waits in its pools; or
    both."""
    pools: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """The pools in which it plays; empty: all."""
    games: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """The games that the engine plays; empty: all that it can."""
    levels: bool = True
    """Whether players may choose the engine's strength, if its options allow that."""
    start_timeout: Seconds = 10.0
    """From its start to ``uciok``."""
    ping_timeout: Seconds = 15.0
    """Seconds for the answer to ``isready``, and after a game for a move that the engine owes."""
    quit_timeout: Seconds = 2.0
    """From ``quit`` to being killed."""

    @field_validator("name")
    @classmethod
    def _one_line(cls, name: str) -> str:
        if not name.isprintable():
            raise ValueError(f"must be one line, not {toml(name)}")
        return name.strip()

    @field_validator("dialect")
    @classmethod
    def _known(cls, dialect: str) -> str:
        if dialect not in DIALECTS:
            raise ValueError(f"there is no dialect {dialect!r}; {nearest(dialect, {*DIALECTS})}")
        return dialect

    @model_validator(mode="after")
    def _names_its_game(self) -> "EngineTable":
        if self.dialect == "ugi" and len(self.games) != 1:
            raise ValueError('speaks UGI, which names no game: games = ["…"] must name the one')
        return self

    def offer(self) -> EngineOffer:
        """The settings with which the server runs the engine."""
        return EngineOffer(
            EngineSettings(
                self.command,
                cwd=self.cwd,
                options=tuple(f"{name}={value}" for name, value in self.options),
                start=self.start_timeout,
                ping=self.ping_timeout,
                quit=self.quit_timeout,
                dialect=self.dialect,
                environment=tuple(self.environment.items()),
                processors=self.processors,
            ),
            ServerProgram(_MEETS[self.meets], self.pools, self.games, self.levels),
            name=self.name,
            boards=self.boards,
            idle=self.idle,
            plays=self.games[0] if self.dialect == "ugi" else "",
        )
