"""What a command line asks for: one frozen value, complete and free of contradictions.

Whether files exist and engines answer is not known here.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ulci_server.game import Control
from ulci_server.game.adjudication import Adjudication
from ulci_server.hall.table.tablebases import TablebaseRules
from ulci_server.openings import BookFile
from ulci_server.statistics import Sprt
from ulci_server.storage.export import RunnerStyle
from ulci_server.tournament import Schedule

from .values import MatchError

MOST_ENGINES = 250
"""Of a match. With so many the table of ranks takes 6 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """An engine of the match: a program, or one that connects from elsewhere by the name `remote`.

    options: ``Name=Value``, the last one of a name counts. restart: a fresh process for every game.
    control: the side's clock or other limit. nodes, depth: limits of a search as they were given;
    `control` has at most one of them. margin: ms by which the clock may be overstepped.
    """

    name: str
    command: str = ""
    arguments: tuple[str, ...] = ()
    folder: Path | None = None
    remote: str = ""
    dialect: str = "uci"
    options: tuple[str, ...] = ()
    ponder: bool = False
    restart: bool = False
    control: Control
    nodes: int | None = None
    depth: int | None = None
    margin: int = 0

    def argv(self, is_program: Callable[[Path], bool]) -> tuple[str, ...]:
        """The program and its arguments, to be started in `folder`. A bare name is looked for
        there, and on the search path.

        Raises:
            MatchError: there is no such program.
        """
        asked = Path(self.command)
        place = asked if self.folder is None else self.folder / asked
        bare = asked.name == self.command
        if is_program(place) and (self.folder is not None or not bare):
            program = str(asked) if asked.is_absolute() else f"./{self.command}"
        elif bare:
            program = self.command
        else:
            raise MatchError(f"Engine binary does not exist: {place}")
        return program, *self.arguments


class Style(enum.StrEnum):
    """Whose lines are printed."""

    FASTCHESS = "fastchess"
    CUTECHESS = "cutechess"


@dataclass(frozen=True, slots=True, kw_only=True)
class PgnOutput:
    """Where games are written to, and how. file: None for one whose name is made of the time.
    line_patterns: regular expressions of lines of an engine that are quoted."""

    file: Path | None = None
    append: bool = True
    style: RunnerStyle = RunnerStyle()  # noqa: RUF009 - frozen
    line_patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpdOutput:
    """Where last positions are written to; file: as in `PgnOutput`."""

    file: Path | None = None
    append: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOutput:
    """A log for whoever looks for a fault. engine: with all that engines say and hear. realtime:
    written line by line."""

    file: Path | None = None
    level: str = "warn"
    append: bool = True
    compress: bool = False
    realtime: bool = True
    engine: bool = False


class TablebaseResults(enum.StrEnum):
    """Which results of tablebases end a game."""

    BOTH = "BOTH"
    WIN_LOSS = "WIN_LOSS"
    DRAW = "DRAW"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tablebases:
    """Syzygy tables by which games are adjudicated. pieces: most men on the board; None: as many
    as the tables have."""

    folders: tuple[Path, ...]
    pieces: int | None = None
    fifty_moves: bool = True
    results: TablebaseResults = TablebaseResults.BOTH

    @property
    def rules(self) -> TablebaseRules:
        """Which results count, as tables of the hall have it."""
        return TablebaseRules(
            self.pieces,
            self.fifty_moves,
            wins=self.results is not TablebaseResults.DRAW,
            draws=self.results is not TablebaseResults.WIN_LOSS,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A file in which other runners keep a match."""

    file: Path | None = None
    outname: Path | None = None
    discard: bool = False
    stats: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """A match.

    game: a row of `ulci.rules.GAMES`. book: None for the usual start of the game. seed: None if
    none was given; the runner draws one, which belongs into `book`, too. rating_interval: pairs (or
    games, without pairs) between reports, score_interval: games between lines of the score; 0:
    only at the end. by_pairs: figures are computed from pairs. wait: ms between the games of a
    board. recover: an engine that crashes is started again; otherwise that ends the match. strict:
    the first warning ends it. startup_ms, new_game_ms, ping_ms: how long an engine may take for
    ``uciok``, for ``readyok`` after ``ucinewgame``, and otherwise. affinity: None where processors
    do not matter; else those on which engines run, () for all. web: the address of the page; empty:
    the usual one, None: no page. notes: lines to be printed before the match.
    """

    entrants: tuple[Entrant, ...]
    schedule: Schedule
    game: str = "chess"
    book: BookFile | None = None
    seed: int | None = None
    sprt: Sprt | None = None
    adjudication: Adjudication = Adjudication()  # noqa: RUF009 - frozen
    tablebases: Tablebases | None = None
    concurrency: int = 1
    wait: int = 0
    by_pairs: bool = True
    style: Style = Style.FASTCHESS
    rating_interval: int = 10
    score_interval: int = 1
    pgn: PgnOutput | None = None
    epd: EpdOutput | None = None
    event: str = ""
    site: str = ""
    log: LogOutput | None = None
    config: ConfigFile | None = None
    database: Path = Path("match.db")
    web: str | None = None
    affinity: tuple[int, ...] | None = None
    recover: bool = False
    strict: bool = False
    test_environment: bool = False
    show_latency: bool = False
    check_mate_pvs: bool = False
    checksum: bool = False
    startup_ms: int = 10_000
    new_game_ms: int = 60_000
    ping_ms: int = 60_000
    notes: tuple[str, ...] = ()
