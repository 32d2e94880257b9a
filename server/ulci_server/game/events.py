"""What can happen to a game, and what a game asks for in return.

Every event says when it happened: `at`, seconds on the monotonic clock of the shell.
"""

from dataclasses import dataclass
from typing import Literal

from ulci.protocol.messages import FromServer, Info, Lobby, SetOption
from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.position import Verdict

from .adjudication import Proved
from .facts import Fact
from .lag import UNMEASURED, RoundTrips

# What happened


@dataclass(frozen=True, slots=True)
class Ready:
    """The player answered ``isready`` before the game."""

    side: Side
    at: float


@dataclass(frozen=True, slots=True)
class ClockStarted:
    """The ``go`` of this side was handed to its connection: its clock runs since `at`."""

    side: Side
    at: float
    trips: RoundTrips = UNMEASURED


@dataclass(frozen=True, slots=True)
class Answered:
    """The side to move answered its ``go`` at `at`, and an arbiter elsewhere has been asked.

    Its `Moved` follows, with the same `at` and `late`. Until then the clock stands and whatever
    else happens waits for the verdict. Who is judged within the call needs no `Answered`.
    """

    side: Side
    at: float
    late: float = 0.0


@dataclass(frozen=True, slots=True)
class Moved:
    """The side to move answered its ``go``: we read it at `at`, `late` seconds after it had come;
    the move has been judged since.

    `claim` is the draw that the rules would let be claimed after it; `can_win` says of (White,
    Black) whether each could still win, should a flag fall. `zeroing`: it was a capture or a pawn
    move; `proved`: what tablebases say of the position after it.
    """

    side: Side
    move: str
    verdict: Verdict
    at: float
    info: Info | None = None
    claim: Reason | None = None
    can_win: tuple[bool, bool] = (True, True)
    late: float = 0.0
    zeroing: bool = False
    proved: Proved | None = None


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
class SentAway:
    """An administrator cuts the side's line; `why` names who and why."""

    side: Side
    at: float
    why: str


@dataclass(frozen=True, slots=True)
class Away:
    """The line is lost; the player can come back within the grace time. The clock runs on."""

    side: Side
    at: float


@dataclass(frozen=True, slots=True)
class Back:
    """The player is back on a new line: greeted, ready, and it knows nothing of the game yet.

    `setup` is what it is told if no move was made, since it may not have been told before. `key` is
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
class Stalled:
    """The player is connected but does not answer (``stop`` or ``isready``) in its time."""

    side: Side
    at: float
    why: str


@dataclass(frozen=True, slots=True)
class Hindered:
    """The server did not run for the last `late` seconds: whose line was lost could not come back
    meanwhile."""

    at: float
    late: float


@dataclass(frozen=True, slots=True)
class ServerFailed:
    """Our fault (a bug, a referee that is lost): no result."""

    at: float
    why: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The server ends, and the game goes on when there is one again."""

    at: float


Event = (
    Ready | ClockStarted | Answered | Moved | Alarm | Resigned | DrawSaid | AbortSaid | ClaimSaid
    | TakebackSaid | TimeGiven | Ruled | TakebackRuled | TimeRuled | SentAway | Away | Back | Left
    | Stalled | Hindered | ServerFailed | Paused
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
    """Say this to those who watch."""

    messages: tuple[FromServer, ...]


@dataclass(frozen=True, slots=True)
class Greet:
    """The side's new line is there: what was told before is not for it, and what comes now is."""

    side: Side


@dataclass(frozen=True, slots=True)
class StartClock:
    """What was told before it has been handed over: answer with `ClockStarted`, and with the round
    trips of those in `measures`. A clock that runs already, because the side is asked again, runs
    on."""

    side: Side
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


Effect = Tell | Show | Cast | Announce | Greet | StartClock | Note | Settle | Dismiss
