"""The settings of a bot.toml: a class a table, each setting with its default, unit and bounds.

deploy/bot.toml explains them to people; a test holds both together.
"""

import math
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from ulci.net import DEFAULT_SERVER, Address
from ulci.protocol import DIALECTS
from ulci.settings import SettingsTable, command_beside_file, toml
from ulci_client.engine_settings import DEFAULT_MAX_HASH
from ulci_client.time_cost import ClockKind

from .fields import (
    Count,
    FilePath,
    FolderPath,
    Hours,
    Least1,
    Line,
    Lines,
    OutPath,
    Patience,
    Range,
    Seconds,
    Time,
    Times,
    Word,
    Words,
)

MOST_AT_ONCE = 100
"""Games at once. Each needs a process of the engine and a connection, and a server lets so many
come from one address by default."""

Kind = Literal["human", "engine"]
Kinds = Annotated[tuple[Kind, ...], Field(strict=False)]

GREETING_WORDS = frozenset({"opponent", "bot", "game", "time", "result"})
"""What may stand in braces in a greeting."""

MOST_SAID = 400
"""Characters of a greeting: it must fit into a line."""


def _greeting(text: str) -> str:
    try:
        fields = [field for field in Formatter().parse(text) if field[1] is not None]
    except ValueError:
        raise ValueError("has a single brace; write {{ or }} to say one") from None
    for _, name, width, conversion in fields:
        if width or conversion:
            raise ValueError(f"{{{name}}} may have nothing behind the word, neither : nor !")
    if unknown := {str(name) for _, name, _, _ in fields} - GREETING_WORDS:
        known = ", ".join(f"{{{word}}}" for word in sorted(GREETING_WORDS))
        raise ValueError(f"{{{min(unknown)}}} means nothing here; there are {known}")
    if len(text) > MOST_SAID:
        raise ValueError(f"has {len(text)} characters; at most {MOST_SAID} fit")
    return text


def _options(said: Any) -> Any:
    """Engines do not tell upper and lower case apart."""
    first: dict[str, str] = {}
    for name, value in said.items() if isinstance(said, dict) else ():
        if not f"{name}{value}".isprintable():
            raise ValueError(f"must be one line each, not {toml(name)} = {toml(value)}")
        endless = isinstance(value, float) and not math.isfinite(value)
        if not isinstance(value, str | int | float) or endless:
            raise ValueError(f"{name} must be a text, a number, true or false, not {toml(value)}")
        if (earlier := first.setdefault(name.casefold(), name)) != name:
            raise ValueError(f"{name} is the same option as {earlier}")
    return said


EngineOptions = Annotated[dict[str, str | int | float | bool], BeforeValidator(_options)]

Greeting = Annotated[Line, AfterValidator(_greeting)]


class Engine(SettingsTable):
    """One engine, and what it plays."""

    command: Annotated[
        tuple[Line, ...], Field(strict=False, min_length=1), AfterValidator(command_beside_file)
    ]
    games: Words = ()
    """Empty: every game that no other engine is named for."""
    dialect: Word = "uci"
    options: EngineOptions = Field(default={})
    allow_options: Lines = ()
    """Options that a server may set beyond the usual ones."""
    max_hash: Least1 = DEFAULT_MAX_HASH
    """MB of ``Hash`` that a server may ask for."""
    ponder: bool = False
    cwd: FolderPath | None = None
    start_timeout: Patience = 10.0
    """s until ``uciok``."""
    ping_timeout: Patience = 15.0
    """s for the answer to ``isready`` and ``stop``."""
    quit_timeout: Patience = 2.0
    """s from ``quit`` to being killed."""

    @field_validator("dialect")
    @classmethod
    def _known(cls, dialect: str) -> str:
        if dialect not in DIALECTS:
            raise ValueError(f"must be one of {', '.join(DIALECTS)}, not {dialect}")
        return dialect


class SeekTable(SettingsTable):
    """The game that it seeks, or asks for in a challenge of its own."""

    when: Literal["always", "idle", "never"] = "always"
    """Open whenever it is free, only when nobody came for `after` s, or never."""
    after: Seconds = 60.0
    """s of idleness, with `when` idle."""
    game: Word | None = None
    pool: Word = ""
    start: Line | None = None
    time: Time | None = None
    against: Literal["any", "human", "engine"] = "any"
    color: Literal["white", "black", "random"] = "random"
    rated: bool | None = None


class AcceptTable(SettingsTable):
    """Whose challenges it accepts."""

    challenges: bool = True
    kinds: Kinds = ("human", "engine")
    games: Words = ()
    """Empty: all that its engines play."""
    own_starts: bool = True
    """Whether the challenger may name the start position."""
    match: Least1 = 10
    """Games that one challenge may ask for."""
    clocks: Annotated[tuple[ClockKind, ...], Field(strict=False)] = ("clock",)
    base: Range = (0.0, 10_800.0)
    """s at first."""
    bonus: Range = (0.0, 180.0)
    """s per move."""
    rated: Literal["any", "yes", "no"] = "any"
    only: Lines = ()
    """Names; empty: everybody."""
    refuse: Lines = ()


class LimitsTable(SettingsTable):
    """How much it plays. 0: no limit."""

    kept_for_people: Count = 0
    """Of `concurrency`."""
    opponent_at_once: Count = 1
    opponent_a_day: Count = 0
    a_day: Count = 0
    games_file: OutPath | None = None
    """Where the games of the last day are kept; None: the default (`games_file.default_path`)."""
    quiet_hours: Annotated[tuple[Hours, ...], Field(strict=False)] = ()


class GreetingTable(SettingsTable):
    """What it says to its opponent. Empty: nothing."""

    begin: Greeting = ""
    end: Greeting = ""
    to: Kinds = ("human",)


class ResignTable(SettingsTable):
    """When it resigns: after so many moves in a row with its own score at most -`score`."""

    moves: Count = 0
    """0: never."""
    score: Least1 = 700
    """Centipawns."""


class DrawTable(SettingsTable):
    """When it accepts or offers a draw."""

    accept: bool = True
    offer: bool = False
    after: Count = 40
    """Own moves before which a level game is no draw."""
    moves: Least1 = 8
    """In a row, at most `score` above level (to offer: within it)."""
    score: Count = 10
    """Centipawns."""
    behind: Least1 = 100
    """Centipawns of disadvantage for `moves` moves: then it accepts at any move."""


class BookTable(SettingsTable):
    """An opening book (Polyglot), of chess or chess960."""

    path: FilePath
    games: Words = ("chess",)
    plies: Least1 = 30
    """Of the game, both sides together, up to which it is used."""
    choose: Literal["weighted", "best"] = "weighted"
    least_weight: Least1 = 1

    @field_validator("games")
    @classmethod
    def _of_chess(cls, games: tuple[str, ...]) -> tuple[str, ...]:
        for game in games:
            if game not in ("chess", "chess960"):
                raise ValueError(f"a Polyglot book is for chess and chess960, not for {game}")
        return games


class TablebasesTable(SettingsTable):
    """Syzygy tablebases."""

    paths: Annotated[tuple[FolderPath, ...], Field(strict=False)] = ()


class OptionsTable(SettingsTable):
    """Engine options for some games: those that meet all conditions here."""

    set: EngineOptions
    opponents: Lines = ()
    kinds: Kinds = ("human", "engine")
    games: Words = ()
    base: Range | None = None
    """s at first."""


class MatchmakingTable(SettingsTable):
    """Challenges of its own, when nobody comes."""

    after: Seconds = 0.0
    """s of idleness; 0: never."""
    every: Patience = 300.0
    """s between two challenges, at least."""
    answer: Patience = 60.0
    """s for the answer, then the challenge is withdrawn."""
    again: Seconds = 3600.0
    """s before the same player is asked again."""
    kinds: Kinds = ("engine",)
    opponents: Lines = ()
    """Names; empty: everybody of these kinds who plays no game."""
    times: Times = ()
    """Of which one is drawn; empty: that of [seek]."""


class Config(SettingsTable):
    """All of it."""

    server: Lines = (DEFAULT_SERVER,)
    """One, or several of one cluster."""
    token_file: OutPath | None = None
    token_in_clear: bool = False
    cafile: FilePath | None = None
    insecure: bool = False
    msgpack: bool = False
    name: Line = ""
    games: Least1 | None = None
    """To start in all; None: no limit."""
    concurrency: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] = 1
    wire_log: OutPath | None = None
    show: Literal["warnings", "notes", "details"] = "notes"
    engine: Annotated[tuple[Engine, ...], Field(strict=False)] = ()
    seek: SeekTable = SeekTable()
    accept: AcceptTable = AcceptTable()
    limits: LimitsTable = LimitsTable()
    greeting: GreetingTable = GreetingTable()
    resign: ResignTable = ResignTable()
    draw: DrawTable = DrawTable()
    book: Annotated[tuple[BookTable, ...], Field(strict=False)] = ()
    tablebases: TablebasesTable = TablebasesTable()
    options: Annotated[tuple[OptionsTable, ...], Field(strict=False)] = ()
    matchmaking: MatchmakingTable = MatchmakingTable()

    @field_validator("server", mode="before")
    @classmethod
    def _list(cls, server: Any) -> Any:
        return [server] if isinstance(server, str) else server

    @field_validator("server")
    @classmethod
    def _addresses(cls, servers: tuple[str, ...]) -> tuple[str, ...]:
        if not servers:
            raise ValueError("must name a server")
        for server in servers:
            Address.parse(server)
        return servers
