"""Records: what storage takes and returns."""

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, TypedDict

from ulci.rules import Outcome, Side
from ulci_server.game import Fact, GameStarted, Kind, MovePlayed, Seat
from ulci_server.rating import Rating, periods, settled


class Noted(NamedTuple):
    """A fact, and when it was noted (aware, UTC)."""

    fact: Fact
    at: datetime


class GameRecord(GameStarted, frozen=True, kw_only=True):
    """A game without its moves: how it began, and how it ended. Times are aware, UTC.

    `outcome` and `finished_at` are None while it runs; `fault`: the sides that caused an abort,
    None while it runs and in records from before it existed; `players` are account numbers, None
    for guests; `claims` is None and `undo_clocks` False in records from before they existed.
    `owner`: the run that it belongs to, or did at the end; `epoch`: how many owners it has had.
    Both are None and 0 in records from before lone servers owned games.
    """

    players: tuple[int | None, int | None]
    started_at: datetime
    outcome: Outcome | None = None
    detail: str = ""
    finished_at: datetime | None = None
    fault: frozenset[Side] | None = None
    owner: int | None = None
    epoch: int = 0

    @property
    def id(self) -> int:
        return self.game

    @property
    def started(self) -> GameStarted:
        """The fact with which the game began."""
        fields = GameStarted.__struct_fields__
        return GameStarted(**{field: getattr(self, field) for field in fields})

    @property
    def running(self) -> bool:
        return self.outcome is None

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2`` or ``*``, which is also that of a running game."""
        return "*" if self.outcome is None else self.outcome.score


class MoveRecord(MovePlayed, frozen=True, gc=False, kw_only=True):
    """A move, and when it was noted (aware, UTC). Of the mover's last analysis, `info` has score,
    depth, nodes, time and main variation."""

    at: datetime


class EncounterRecord(NamedTuple):
    """A game of a match or tournament: which one, from 1, and its record."""

    number: int
    game: GameRecord


class TournamentState(enum.StrEnum):
    """How far a tournament is. Only one that runs pairs entrants and begins games."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"


class TournamentRecord(NamedTuple):
    """A match or tournament: its settings as they were asked for, the seed of its chance, where
    its games begin in the files that they are written to (bytes, by name), when it was made (aware,
    UTC), and the digest of its book (empty: none, or not known yet). Of a tournament also its name
    in commands, the state, the account that asked for it (empty: an operator), when its first round
    was due, how often others than its director have changed it, the last round that may begin, and
    why its server has paused it (empty: it has not)."""

    id: int
    settings: str
    seed: int
    files: Mapping[str, int]
    started_at: datetime
    book: str = ""
    word: str = ""
    state: TournamentState = TournamentState.RUNNING
    by: str = ""
    begun_at: datetime | None = None
    changes: int = 0
    allowed_round: int = 1
    why_paused: str = ""


class TournamentOverview(NamedTuple):
    """A tournament in a list. `settings`: as they were asked for. `entrants`: how many have not
    left. `why_paused`: as in `TournamentRecord`."""

    id: int
    word: str
    settings: str
    state: TournamentState
    changes: int
    started_at: datetime
    entrants: int
    why_paused: str = ""


class EntrantRecord(NamedTuple):
    """An entrant of a tournament, as its row says. It is an account (by number), an engine of the
    server, or the program that gives that name at a listener of the tournament (`remote`)."""

    number: int
    name: str
    account: int | None = None
    engine: str = ""
    remote: str = ""
    rating: float | None = None
    boards: int = 1
    joined: int = 1
    left: int | None = None
    why: str = ""


class PairingRecord(NamedTuple):
    """A pairing of a tournament, as its row says. `by`: the director who has made or
    decided it; empty: nobody but the rules."""

    number: int
    round: int
    white: int
    black: int | None
    opening: int
    score: str | None = None
    why: str = ""
    void: bool = False
    by: str = ""


class TournamentGame(NamedTuple):
    """A game of a tournament: the number of its pairing, its own, and how it ended. `score` None:
    it runs. `moves`: White's and Black's own, without those of the opening and of takebacks, if
    they were made again. `berserk`: the sides that played with half the time."""

    number: int
    game: int
    score: str | None
    reason: str
    fault: str
    moves: tuple[int, int]
    berserk: tuple[bool, bool]
    finished_at: datetime | None


class StoredTournament(NamedTuple):
    """All that is kept of a tournament. `games`: in the order in which they ended, then those that
    run."""

    record: TournamentRecord
    entrants: Sequence[EntrantRecord]
    pairings: Sequence[PairingRecord]
    games: Sequence[TournamentGame]


@dataclass(frozen=True, slots=True)
class ReportRecord:
    """An error report by a player's program, or by the server about it."""

    game: int
    ply: int
    side: Side
    source: Literal["player", "server"]
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A game that was running when its server ended; `at` is when it began, `history` has every
    `MovePlayed` and `Happened` in order. unreadable: why the history is unknown; empty if it is
    known."""

    started: GameStarted
    at: datetime
    history: list[Noted]
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run of a server, and when it ended, or was last known to be alive. `slowest`: of its last
    `Heartbeat`, ms."""

    id: int
    last_alive: datetime
    slowest: int = 0


@dataclass(frozen=True, slots=True)
class RunState:
    """A server of a cluster that may write. `beat` rises with its every commit, and every
    `Runs.beat`; `speaks` is the version of what servers say to each other; a `draining` one gives
    its games away; `games`: how many running ones it owns; `version`: of its program, empty if that
    is unknown; `owns`: whether it may be given games."""

    id: int
    node: str
    beat: int
    speaks: int
    draining: bool
    started_at: datetime
    games: int
    version: str = ""
    owns: bool = True


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The clock of a server of a cluster, at its last heartbeat, beside that of the database at
    this moment, `now`. `beat` as in `RunState`."""

    run: int
    beat: int
    alive_at: datetime
    now: datetime


@dataclass(frozen=True, slots=True)
class Absences:
    """How many running games of a run wait for a player who is away, and `both`: how many of these
    for two. `owner` None: games that no run owns."""

    owner: int | None
    games: int
    both: int


@dataclass(frozen=True, slots=True)
class Claimed:
    """A running game that now belongs to the run that claimed it, in this epoch. `before`: the run
    that played it until then, whether it owned it to the end or not; None: unknown."""

    unfinished: Unfinished
    epoch: int
    before: RunInfo | None


@dataclass(frozen=True, slots=True)
class Epoch:
    """A run owned a game from `at` until the next epoch. `node`: the name of its server in a
    cluster; empty: it was alone; None: no such run is known."""

    epoch: int
    run: int
    node: str | None
    at: datetime


class RatingChange(NamedTuple):
    """A change of an account's rating in a pool, the `seq`-th of it. game, side: which game changed
    it, against the account `opponent`; None: an operator anchored it, or freed it. account,
    opponent: None if they were removed since. anchored: whether games change it from then on."""

    pool: str
    account: int | None
    seq: int
    game: int | None
    side: Side | None
    opponent: int | None
    before: Rating
    after: Rating
    anchored: bool
    at: datetime


class ComplaintRecord(NamedTuple):
    """What a player says about another one. by, about: their names then; their accounts: None for
    guests, and if they were removed since. games: the last ones of the two, the newest first.
    closed_at: when the administrator `closed_by` has dealt with it."""

    id: int
    at: datetime
    by: str
    by_account: int | None
    about: str
    about_account: int | None
    text: str
    games: tuple[int, ...] = ()
    closed_at: datetime | None = None
    closed_by: str = ""


class RatingRecord(NamedTuple):
    """The rating of an account in a pool, as the last of its `changes` left it. games: rated ones.
    anchored: an operator has set it, and no game changes it."""

    pool: str
    account: int
    name: str
    kind: Kind
    rating: Rating
    games: int
    changes: int
    updated_at: datetime
    anchored: bool

    def at(self, at: datetime) -> Rating:
        """At that moment: without games it becomes unsure, unless it is anchored."""
        if self.anchored:
            return self.rating
        return settled(self.rating, periods((at - self.updated_at).total_seconds()))


class Filters(TypedDict, total=False):
    """Selects games: those that pass every filter that is given and not None."""

    player: str | None
    """White or Black has exactly this name."""
    rules: str | None
    """Of this game, as it is called: chess, liberty."""
    pool: str | None
    since: datetime | None
    """Begun at that time or later (aware)."""
    until: datetime | None
    """Begun before that time (aware)."""
    ids: Collection[int] | None
    running: bool | None
    """True: still being played. False: over."""
    before: int | None
    """Only games with a lower id, to page with."""
    limit: int | None
    """At most so many, the newest."""


class LobbyMember(NamedTuple):
    """A client that is logged in at a server of a cluster, or may return to a game. run, link: the
    server that has its connection, and its number there; run None: the connection is over. host,
    label: its address, without and with the port. keys: `secret_hash` of its secrets, the oldest
    first. profile: JSON. game: the one that it plays, or that is over and that it owes answers for.
    called_at: when its login began, by the clock of the server that stored it. playing: it has an
    opponent, though the game may be about to begin."""

    handle: str
    run: int | None
    link: int
    host: str
    label: str
    keys: tuple[str, ...]
    profile: str
    game: int | None
    side: Side
    called_at: datetime | None
    playing: bool


class LobbySeek(NamedTuple):
    """An open seek, or a challenge to the player `asked`. terms: JSON."""

    id: int
    handle: str
    asked: str | None
    terms: str


class LobbyMatch(NamedTuple):
    """A match. terms: JSON."""

    id: int
    terms: str


class RunningGame(NamedTuple):
    """A running game, and the run that owns it; None: no run that may write owns it."""

    game: int
    owner: int | None
    epoch: int
    seats: tuple[Seat, Seat]


@dataclass(slots=True)
class LobbyChanges:
    """What has changed since it was stored, by its key; None: it is no more. missed: the game that
    the player with that key missed the end of, and when that was noted. last_seek: the highest
    number that may be given out; None: as before."""

    members: dict[str, LobbyMember | None] = field(default_factory=dict)
    seeks: dict[int, LobbySeek | None] = field(default_factory=dict)
    matches: dict[int, LobbyMatch | None] = field(default_factory=dict)
    missed: dict[str, tuple[int, datetime] | None] = field(default_factory=dict)
    last_seek: int | None = None


@dataclass(frozen=True, slots=True)
class StoredLobby:
    """A lobby, as it is stored. members: those in games last, then by the age of their connections.
    outcomes: of the games that members play, or that players missed
    the end of, by their numbers; None: it runs. One that is not there is not stored. missed: the
    game that the player with that key missed the end of. games: all that run."""

    members: list[LobbyMember]
    seeks: list[LobbySeek]
    matches: list[LobbyMatch]
    missed: dict[str, int]
    outcomes: dict[int, Outcome | None]
    games: list[RunningGame]
    last_seek: int
