"""The settings of a tournament, as a TOML text gives them, and all that is wrong with them."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError

from ulci.settings import NotTomlError, SettingsTable, parse
from ulci_server.statistics import Model, Sprt, SprtError

from .timetable import Timetable, TimetableError, read_timetable

LONGEST_TEXT = 4 * 1024 * 1024
"""Characters of a description."""

MOST_ENTRANTS = 10_000
MOST_IN_ROUNDS = 2_000
"""Entrants of a format that pairs a whole round at once: of more it holds the loop too long."""

AT_ONCE, MOST_AT_ONCE = 8, 10_000
"""Games at a time, unless the settings say another number, and the most that they may say."""

MOST_ROUNDS = 100_000
MOST_SHOWN = 20
"""Faults reported at once: of ten thousand equal ones nobody reads more."""


class TournamentErrors(ValueError):
    """The description of a tournament is wrong; `errors` says all of it."""

    def __init__(self, errors: tuple[str, ...]) -> None:
        super().__init__("\n".join(errors))
        self.errors = errors


class TournamentFormat(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "roundrobin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    SPRT = "sprt"
    LADDER = "ladder"
    ARENA = "arena"


class OpeningsSettings(SettingsTable):
    """The book of a tournament: as the table `openings` of a pool, and opened where it is used."""

    file: str
    format: Literal["", "epd", "pgn", "polyglot"] = ""
    order: Literal["sequential", "random"] = "random"
    plies: Annotated[int, Field(ge=1, le=512)] | None = None
    start: Annotated[int, Field(ge=1)] = 1
    srand: Annotated[int, Field(ge=0, lt=2**63)] = 0


class SprtSettings(SettingsTable):
    """As `ulci_server.statistics.Sprt`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Literal["normalized", "bayesian", "logistic"] = "normalized"


class EntrantSettings(SettingsTable):
    """One that is entered beforehand: an account, an engine of the server, or who gives that name
    at the tournament's listener."""

    account: str = ""
    engine: str = ""
    name: str = ""
    boards: Annotated[int, Field(ge=1, le=1000)] = 1
    rating: Annotated[float, Field(ge=0, le=10_000)] | None = None

    @property
    def called(self) -> str:
        return self.account or self.engine or self.name


def _timetable(text: str) -> str:
    try:
        read_timetable(text)
    except TimetableError as error:
        raise ValueError(str(error)) from None
    return text


class TournamentSettings(SettingsTable):
    """`pool`: whose game, time and rules are played. `rounds`: of a Swiss; otherwise how often each
    two meet, of a test the most pairs. `games`: of an encounter. `seeds`: of a gauntlet, the first
    entrants, who meet all others. `concurrency`: see `at_once`. `late`: s after which who has not
    come loses the game. `absences`: games lost so by which an entrant is out; 0: none. `suspend`:
    games in a row that are lost by the connection, likewise. `minutes`: of an arena. `by_hand`: a
    director begins each round. `open`: whoever has an account may enter, or comes by the
    tournament's listener. `kind`: of entrants."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    format: Annotated[TournamentFormat, Field(strict=False)]
    pool: str
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 1
    games: Annotated[int, Field(ge=1, le=2)] = 2
    noswap: bool = False
    seeds: Annotated[int, Field(ge=1)] = 1
    openings: OpeningsSettings | None = None
    sprt: SprtSettings | None = None
    concurrency: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] | None = None
    late: Annotated[float, Field(ge=1, le=7 * 86_400)] = 300
    absences: Annotated[int, Field(ge=0)] = 2
    suspend_after: Annotated[int, Field(ge=0)] = 3
    schedule: Annotated[str, AfterValidator(_timetable)] = ""
    minutes: Annotated[float, Field(gt=0, le=7 * 24 * 60)] = 90
    by_hand: bool = False
    open: bool = False
    kind: Literal["any", "human", "engine"] = "any"
    entrant: Annotated[tuple[EntrantSettings, ...], Field(strict=False)] = ()

    @property
    def at_once(self) -> int:
        """How many games are played at a time. Everybody in an arena plays, unless it says
        otherwise."""
        if self.concurrency is not None:
            return self.concurrency
        return MOST_AT_ONCE if self.format is TournamentFormat.ARENA else AT_ONCE

    @property
    def swap(self) -> bool:
        """Whether colours are swapped from game to game of an encounter."""
        return not self.noswap

    @property
    def by_pairs(self) -> bool:
        """Whether figures count pairs of games."""
        single = self.format is TournamentFormat.ARENA
        return self.games == 2 and self.swap and not single

    @property
    def most_entrants(self) -> int:
        """How many there may be in this format."""
        one_by_one = self.format in (TournamentFormat.ARENA, TournamentFormat.LADDER)
        return MOST_ENTRANTS if one_by_one else MOST_IN_ROUNDS

    @property
    def timetable(self) -> Timetable:
        """When it begins, and its rounds."""
        return read_timetable(self.schedule)

    @property
    def test(self) -> Sprt | None:
        """The test that ends it."""
        asked = self.sprt
        if asked is None:
            return None
        return Sprt(asked.elo0, asked.elo1, asked.alpha, asked.beta, Model(asked.model))


def parse_tournament(text: str) -> TournamentSettings:
    """Read the settings.

    Raises:
        TournamentErrors: all that is wrong, one sentence each.
    """
    if len(text) > LONGEST_TEXT:
        raise TournamentErrors((f"the description is longer than {LONGEST_TEXT} characters",))
    try:
        tables = parse(text)
    except NotTomlError as error:
        raise TournamentErrors((str(error),)) from None
    try:
        settings = TournamentSettings.model_validate(tables)
    except ValidationError as error:
        raise TournamentErrors(faults_of(error)) from None
    if faults := _shown(_faults(settings)):
        raise TournamentErrors(faults)
    return settings


def faults_of(error: ValidationError) -> tuple[str, ...]:
    """What is wrong with the tables, one sentence each."""
    return _shown(map(_said, error.errors()))


def _shown(faults: Iterator[str]) -> tuple[str, ...]:
    told = [*faults]
    if len(told) > MOST_SHOWN:
        told[MOST_SHOWN:] = [f"and {len(told) - MOST_SHOWN} faults more"]
    return tuple(told)


def _said(error: Mapping[str, Any]) -> str:
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    why = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{place} is missing"
    if error["type"] == "extra_forbidden":
        return f"there is no setting {place}"
    return f"{place}: {why[:1].lower()}{why[1:]}"


def _faults(settings: TournamentSettings) -> Iterator[str]:
    yield from _faults_of_entrants(settings)
    form, listed = settings.format, len(settings.entrant)
    if form is TournamentFormat.SPRT and settings.sprt is None:
        yield "sprt: the format needs the table sprt, with elo0 and elo1"
    if settings.sprt is not None:
        if form is not TournamentFormat.SPRT:
            yield f'sprt: only the format "sprt" ends by a test, and this is "{form}"'
        try:
            settings.test  # noqa: B018 - it checks what it is made of
        except SprtError as error:
            yield f"sprt: {error}"
        if listed > 2 or (listed < 2 and not settings.open):
            yield f"entrant: a test is of two entrants, and there are {listed}"
    if not settings.open and listed < 2 and form is not TournamentFormat.SPRT:
        yield f"entrant: at least two are needed unless it is open, and there are {listed}"
    most = listed - 1 + listed % 2  # of an odd number one rests in each round
    if form is TournamentFormat.SWISS and not settings.open and settings.rounds > most > 0:
        yield (
            f"rounds: {listed} entrants can be paired for {most} rounds at most,"
            f" and {settings.rounds} are asked for"
        )
    if form is TournamentFormat.GAUNTLET and listed and settings.seeds >= listed:
        yield f"seeds: there are {listed} entrants, so at most {listed - 1} of them meet the rest"


def _faults_of_entrants(settings: TournamentSettings) -> Iterator[str]:
    if (listed := len(settings.entrant)) > (most := settings.most_entrants):
        yield f"entrant: a {settings.format} has {most} at most, and there are {listed}"
        return
    known: dict[str, int] = {}
    for number, one in enumerate(settings.entrant, 1):
        ways = [way for way in (one.account, one.engine, one.name) if way]
        if len(ways) != 1:
            yield f"entrant.{number}: one of account, engine and name says who it is"
            continue
        folded = one.called.casefold()
        if folded in known:
            yield f"entrant.{number}: {one.called} is entrant {known[folded]} already"
        known.setdefault(folded, number)
