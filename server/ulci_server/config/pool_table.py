"""The pools: time controls, start positions and openings, and when their games are adjudicated."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainValidator, ValidationInfo, field_validator

from ulci.rules import GAMES, Rules
from ulci.settings import SettingsTable, beside_file, nearest, toml
from ulci.time_control import with_units
from ulci_server.game import Controls, LagRule
from ulci_server.game.adjudication import Adjudication, DrawRule, ResignRule
from ulci_server.game.conduct import DEFAULT_CONDUCT as _CONDUCT
from ulci_server.game.conduct import MOST_DISCONNECTIONS, Conduct
from ulci_server.lobby import Meeting, Pool, PoolRules

from .fields import BOOKS, REFEREED, FilePath, text
from .openings_table import OpeningsTable
from .start_files import Book, Starts, judged, judged_book, read_book

Moves = Annotated[int, Field(ge=1, le=1000)]
"""Moves of one side; no serious game of chess had a thousand."""

Score = Annotated[int, Field(ge=0, le=100_000)]
"""Centipawns; engines write scores that mean a mate up to 32,000."""


class ResignTable(SettingsTable):
    """A side loses by its own scores. `score` in centipawns below 0."""

    moves: Moves
    """The number of the side's moves in a row."""
    score: Annotated[Score, Field(ge=1)]
    twosided: bool = False
    """Whether the opponent's scores must agree."""

    def rule(self) -> ResignRule:
        return ResignRule(self.moves, self.score, self.twosided)


class DrawTable(SettingsTable):
    """A draw that both sides' scores agree on. `score` in centipawns from 0, either way."""

    after: Annotated[int, Field(ge=0, le=1000)]
    """The number of moves of each side before which the rule does not apply."""
    moves: Moves
    """The number of moves of each side in a row, without a capture or pawn move."""
    score: Score

    def rule(self) -> DrawRule:
        return DrawRule(self.after, self.moves, self.score)


class ConductTable(SettingsTable):
    """What players may do, and what counts against them: the settings of a `Conduct`."""

    abort: bool = _CONDUCT.abort
    """Whether a game may be aborted until both have moved."""
    takeback: bool = _CONDUCT.takeback
    """Whether moves may be taken back by agreement."""
    givetime: bool = _CONDUCT.givetime
    """Whether players may give each other time."""
    rematch: bool = _CONDUCT.rematch
    """Whether the players may ask each other for a rematch."""
    claims: bool | None = _CONDUCT.claims
    """Whether threefold repetition and fifty moves end a game only when claimed; None:
    `Play.claims` decides."""
    forfeit: bool = _CONDUCT.forfeit
    """Whether a player who is not ready in time, leaves, stays away or oversteps the time before
    both have moved loses; otherwise the game is aborted."""
    absent_clock: bool = _CONDUCT.absent_clock
    """Whether a game begins without a player who is not ready in time, whose clock runs."""
    disconnections: Annotated[int, Field(ge=1, le=MOST_DISCONNECTIONS)] | None = None
    """The number of the disconnection by which a player loses; None: only a long absence loses."""

    def as_conduct(self) -> Conduct:
        return Conduct(**self.model_dump())


class TablebasesTable(SettingsTable):
    """Syzygy tables, for the pools that use them."""

    paths: Annotated[tuple[FilePath, ...], Field(strict=False)] = ()
    """Folders with ``.rtbw`` files."""


def _controls(said: Any) -> Controls:
    if isinstance(said, Controls):
        return said
    return Controls.parse(with_units(text(said, "a time control such as 300+3 or 5m+3s")))


def _lag(said: Any) -> LagRule:
    if isinstance(said, LagRule):
        return said
    words = [rule.value for rule in LagRule]
    if said not in words:
        raise ValueError(f"expected one of {', '.join(words)}, found {toml(said)}")
    return LagRule(said)


SYZYGY = ("chess", "chess960")
"""Games of which there are tablebases."""


class PoolTable(SettingsTable):
    """A table of `pool`. Of `start`, `starts`, `starts_file` and `openings` at most one may be
    given."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}$")
    """One word, by which listeners and players name it."""
    game: str = "chess"
    """A row of `ulci.rules.GAMES`, or a game with a referee."""
    time: Annotated[Controls, PlainValidator(_controls)] = Controls.parse("180+2")
    """In the notation of time controls: seconds, where a time has no unit."""
    start: Starts | None = None
    """One FEN, or ``startpos``. Without any of the four: what is usual in that game."""
    starts: Starts | None = None
    """Several, of which each game draws one."""
    starts_file: Starts | None = None
    """Starts from a file: a FEN or EPD a line, comments begin with #. Lines at which the game is
    over already are left out."""
    openings: OpeningsTable | None = None
    """A book of any size, from whose openings the games begin."""
    meet: Meeting = "any"
    """Which kinds of players may meet here."""
    self_play: bool = True
    """Whether two clients of the same name may meet."""
    rated: bool = False
    """Whether the games count for a rating."""
    seeks: bool = True
    """Whether players who wait here may be paired with a seek of another time control."""
    elo: Annotated[int, Field(ge=1, le=9999)] | None = None
    """The Elo to which engines limit their strength if they can; None: full strength."""

    lag: Annotated[LagRule, BeforeValidator(_lag)] = LagRule.QUOTA
    """The rule by which time lost in the network is given back."""
    resign: ResignTable | None = None
    """When an engine's own scores lose the game; None: never."""
    draw: DrawTable | None = None
    """When both engines' scores draw the game; None: never."""
    max_moves: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Moves of each side after which a game is drawn; None: no limit."""
    tablebases: bool = False
    """Whether a game ends once its position is in the tablebases."""
    adjudicate_people: bool = False
    """Whether these four hold in games with a person, too."""
    conduct: ConductTable = ConductTable()
    """What the players of these games may do."""

    @property
    def said(self) -> Starts | None:
        """The configured start positions, if any."""
        return self.start or self.starts or self.starts_file

    @property
    def skipped(self) -> Sequence[str]:
        """A sentence for each line of the file that is no start."""
        return self.starts_file.skipped if isinstance(self.starts_file, Book) else ()

    def as_pool(self, games: Mapping[str, Rules] = GAMES) -> Pool:
        """The pool for the lobby."""
        game = games[self.game]
        starts: Sequence[str | None] = self.said or game.starts
        return Pool(
            name=self.name,
            game=game,
            control=self.time,
            starts=starts,
            meet=self.meet,
            self_play=self.self_play,
            rated=self.rated,
            seeks=self.seeks,
            pool_rules=PoolRules(
                self.elo, self.lag, self.adjudication(), self.conduct.as_conduct()
            ),
        )

    def adjudication(self) -> Adjudication:
        """The rules by which games end early."""
        return Adjudication(
            resign=self.resign.rule() if self.resign is not None else None,
            draw=self.draw.rule() if self.draw is not None else None,
            max_moves=self.max_moves,
            tablebases=self.tablebases,
            people=self.adjudicate_people,
        )

    @field_validator("game")
    @classmethod
    def _known(cls, game: str, info: ValidationInfo) -> str:
        known = {*GAMES, *(info.context or {}).get(REFEREED, ())}
        if game not in known:
            raise ValueError(f"there is no game {game!r}; {nearest(game, known)}")
        return game

    @field_validator("start", mode="plain")
    @classmethod
    def _start(cls, said: Any, info: ValidationInfo) -> Starts:
        return judged([((), text(said, "a FEN"))], info.data.get("game"))

    @field_validator("starts", mode="plain")
    @classmethod
    def _starts(cls, said: Any, info: ValidationInfo) -> Starts:
        _alone(info)
        if not isinstance(said, list | tuple) or not said:
            raise ValueError(f'expected a list of FENs, ["…", "…"], found {toml(said)}')
        numbered = (((index,), fen) for index, fen in enumerate(said))
        return judged(numbered, info.data.get("game"))

    @field_validator("starts_file", mode="plain")
    @classmethod
    def _starts_file(cls, said: Any, info: ValidationInfo) -> Starts:
        _alone(info)
        path = beside_file(Path(text(said, "the path of a file")), info)
        return judged_book(read_book(path), info.data.get("game"))

    @field_validator("openings")
    @classmethod
    def _openings(cls, table: OpeningsTable | None, info: ValidationInfo) -> OpeningsTable | None:
        if table is None:
            return None
        _alone(info)
        game = info.data.get("game", "")
        if game in GAMES:
            if (info.context or {}).get(BOOKS, True):
                table.open(GAMES[game])
        elif game:
            text = f"the moves of a book are judged by the rules of its game; {game} has a referee"
            raise ValueError(f"{text}, so take starts_file")
        return table

    @field_validator("tablebases")
    @classmethod
    def _tables_exist(cls, wanted: bool, info: ValidationInfo) -> bool:
        game = info.data.get("game", SYZYGY[0])
        if wanted and game not in SYZYGY:
            raise ValueError(f"there are no tablebases of {game}, only of {' and '.join(SYZYGY)}")
        return wanted


def _alone(info: ValidationInfo) -> None:
    for other in ("start", "starts", "starts_file"):
        if info.data.get(other) is not None:
            raise ValueError(f"stands beside {other}; keep one of them")
