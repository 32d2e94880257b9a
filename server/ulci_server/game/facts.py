"""What is remembered of a game, in the past tense. Storage keeps these and nothing else."""

from dataclasses import dataclass, field
from typing import Literal

from ulci.protocol.messages import Info
from ulci.rules.outcome import Outcome, Side

Kind = Literal["human", "engine"]


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits on one side, as the record names them. `handle` is the one word by which the lobby
    knows them, which no two have at once; it means nothing later and is not recorded."""

    name: str
    kind: Kind
    author: str = ""
    rating: int | None = None
    title: str = ""
    handle: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class GameStarted:
    """`start` None is the usual start of that game; `control` in the notation of time controls."""

    game: int
    rules: str
    start: str | None
    control: str
    seats: tuple[Seat, Seat]
    rated: bool = False
    pool: str = ""


@dataclass(frozen=True, slots=True)
class MovePlayed:
    """One move. `spent` and `left` (after the increment) in ms; None where no clock runs."""

    game: int
    ply: int
    side: Side
    move: str
    spent: int
    left: int | None
    info: Info | None = None


@dataclass(frozen=True, slots=True)
class GameFinished:
    """The result. `detail` is one sentence of evidence (the illegal move, who left, whose flag)."""

    game: int
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """A player's program complained (``info clienterror|servererror|error``), or we of it."""

    game: int
    ply: int
    side: Side
    source: Literal["player", "server"]
    text: str


Fact = GameStarted | MovePlayed | GameFinished | Reported
