"""Events that can happen to a game, and effects that a game asks for in return.

Every event says when it happened: `at`, seconds on the monotonic clock of the shell.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ulci.protocol.messages import (
    Clock,
    FromServer,
    Go,
    Info,
    Lobby,
    Position,
    SetOption,
)
from ulci.rules.outcome import Outcome, Side
from ulci.rules.position import Verdict

from .facts import Fact, MovePlayed

# What happened


@dataclass(frozen=True, slots=True)
class Ready:
    """The player answered ``isready`` before the game."""

    side: Side
    at: float


class Answered(NamedTuple):
    """The side to move answered its ``go``: read at `at`, `late` s after it had come.

    `info` is the last analysis before it; `said` what the side's program said was wrong, if it did.
    As an event it says that an arbiter elsewhere has been asked: its `Judged` follows, until then
    the clock stands, and whatever else happens waits. `Game.move` judges within the call.
    """

    side: Side
    move: str
    at: float
    info: Info | None = None
    late: float = 0.0
    said: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the arbiter says of the move that was `Answered`, which it has made if it is one."""

    at: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Alarm:
    """`Game.deadline` has come and nothing else happened before it."""

    at: float


@dataclass(frozen=True, slots=True)
class Resigned:
    side: Side
    at: float


@dataclass(frozen=True, slots=True)
class DrawSaid:
    """Offers a draw, accepts the opponent's offer, or claims what the rules allow."""

    side: Side
    at: float


@dataclass(frozen=True, slots=True)
class AbortSaid:
    side: Side
    at: float


@dataclass(frozen=True, slots=True)
class ClaimSaid:
    """Claims the game for the opponent's absence, or the draw that the rules allow."""

    side: Side
    at: float
    what: Literal["win", "draw"]


@dataclass(frozen=True, slots=True)
class TakebackSaid:
    """Offers to take back `plies` (None: up to its own last move), or accepts such an offer."""

    side: Side
    at: float
    plies: int | None = None


@dataclass(frozen=True, slots=True)
class TimeGiven:
    """The side gives its opponent `gift` ms."""

    side: Side
    at: float
    gift: int


@dataclass(frozen=True, slots=True)
class Ruled:
    """An administrator, or a rule of the pool, ends the game; `why` names who and why."""

    at: float
    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True)
class TakebackRuled:
    """An administrator takes back `plies`."""

    at: float
    plies: int
    why: str


@dataclass(frozen=True, slots=True)
class TimeRuled:
    """An administrator, `by` name, gives the side `gift` ms."""

    side: Side
    at: float
    gift: int
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Kicked:
    """An administrator disconnects the side; `why` names the administrator and the reason."""

    side: Side
    at: float
    why: str


@dataclass(frozen=True, slots=True)
class Away:
    """The player is disconnected and may come back within its grace. The clock runs on."""

    side: Side
    at: float


@dataclass(frozen=True, slots=True)
class Back:
    """The player is back on a new connection that has finished its handshake and knows nothing of
    the game yet.

    `setup`: its engine options, sent again if no move was made, as it may have missed them. `key`:
    the hash of its secret, if it has one.
    """

    side: Side
    at: float
    setup: tuple[SetOption, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """The player is gone for good."""

    side: Side
    at: float
    why: str = "the connection was closed"


@dataclass(frozen=True, slots=True)
class Hindered:
    """The server did not run for the last `late` seconds: disconnected players could not come back
    meanwhile."""

    at: float
    late: float


@dataclass(frozen=True, slots=True)
class ServerFailed:
    """The server's own fault (a bug, a lost referee): no result."""

    at: float
    why: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The server ends; the game goes on at its next start."""

    at: float


Event = (
    Ready | Answered | Judged | Alarm | Resigned | DrawSaid | AbortSaid | ClaimSaid
    | TakebackSaid | TimeGiven | Ruled | TakebackRuled | TimeRuled | Kicked | Away | Back | Left
    | Hindered | ServerFailed | Paused
)  # fmt: skip

# What is asked for


@dataclass(frozen=True, slots=True)
class Tell:
    """Say this to that player."""

    side: Side
    message: FromServer


@dataclass(frozen=True, slots=True)
class Show:
    """Say this to that player if it follows the game while it is not asked to move: a person, or
    a client that said ``id version``. Plain UCI engines are not told."""

    side: Side
    messages: tuple[FromServer, ...]


@dataclass(frozen=True, slots=True)
class Announce:
    """A lobby line for both players (who said ``id feature lobby``) and for watchers."""

    line: Lobby


@dataclass(frozen=True, slots=True)
class Cast:
    """Say this to the spectators."""

    messages: tuple[FromServer, ...]


@dataclass(frozen=True, slots=True)
class Greet:
    """From here on, effects for the side are meant for its new connection."""

    side: Side


@dataclass(frozen=True, slots=True)
class StartClock:
    """What was told before it has been handed over: answer with `Game.handed_over`, and with the
    round trips of those in `measures`. A clock that runs already, because the side is asked again,
    runs on."""

    side: Side
    measures: tuple[Side, ...] = ()


class Turn(NamedTuple):
    """It is the side's turn. `played`: the move before it, to be noted and durable before anybody
    is told; None if that was something else, and is durable.

    Then the side is told `position` and `go`, its clock starts as with `StartClock`, and those who
    follow the game or watch it are shown `position` and `clocks`.
    """

    played: MovePlayed | None
    side: Side
    position: Position
    go: Go
    clocks: Clock
    measures: tuple[Side, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Remember this; what follows need not wait for the disk."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Settle:
    """Go no further until all that was noted is durable."""


@dataclass(frozen=True, slots=True)
class Dismiss:
    """The game is over: `searching`, if anyone, owed an answer to its ``go`` when it ended.

    The answer may have come since, while the result was being settled: then there is nothing to
    wait for, and the ``stop`` that went before this was for nobody.
    """

    searching: Side | None


Effect = Tell | Show | Cast | Announce | Greet | StartClock | Turn | Note | Settle | Dismiss
