"""Refereed games: their rules are an engine's, not the server's."""

from pydantic import Field, field_validator

from ulci.rules import GAMES
from ulci.settings import SettingsTable

from .fields import Seconds
from .programs import Command, EngineOptions


class RefereedGame(SettingsTable):
    """A table of `game`."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}$")
    """One word, by which pools and players name it."""
    referee: Command
    """The engine that judges it, over UGI: a program and its arguments."""
    options: EngineOptions = ()
    """What it gets by ``setoption``."""
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
