"""Events of a game, and the effects that it returns for them.

Every event has the time when it happened: `at`, seconds on the monotonic clock of the shell.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

from ulci.protocol.kinds import union_of
from ulci.protocol.messages import (
    GAME_COMMANDS,
    Clock,
    FromServer,
    GameCommand,
    Go,
    Info,
    Lobby,
    Position,
    SetOption,
)
from ulci.rules import Outcome, Side, Verdict

from .facts import Fact, MovePlayed
from .spans import Span

if TYPE_CHECKING:
    AnyGameCommand = GameCommand
else:
    AnyGameCommand = union_of(GAME_COMMANDS)

# Events


class Occurred(Struct, frozen=True, gc=False, tag=True, tag_field="is"):
    """An event. On the wire each structure names its kind."""


class Ready(Occurred, frozen=True):
    """The player answered ``isready`` before the game."""

    side: Side
    at: float


class Answered(Occurred, frozen=True):
    """The side to move answered its ``go``. at: when the answer was read, `late` s after its
    arrival. earlier: for how many seconds it had arrived before this server took the game over,
    unknown to the last owner.

    info: the last analysis before the answer. said: the error that the side's program reported, or
    "". As an event it means that an arbiter elsewhere was asked: its `Judged` follows; until then
    the clock stands, and other events wait. `Game.move` judges within the call.
    """

    side: Side
    move: str
    at: float
    info: Info | None = None
    late: float = 0.0
    said: str = ""
    earlier: float = 0.0


class Judged(Occurred, frozen=True):
    """The arbiter's verdict on the move that was `Answered`; it has made a legal move."""

    at: float
    verdict: Verdict


class Alarm(Occurred, frozen=True):
    """`Game.deadline` has come and nothing else happened before it."""

    at: float


class Commanded(Occurred, frozen=True):
    """The player sent a command to its game."""

    side: Side
    at: float
    command: AnyGameCommand


class Ruled(Occurred, frozen=True):
    """An administrator or a rule of the pool ends the game. why: names the administrator or the
    rule, and the reason."""

    at: float
    outcome: Outcome
    why: str


class TakebackRuled(Occurred, frozen=True):
    """An administrator takes back `plies`."""

    at: float
    plies: int
    why: str


class TimeRuled(Occurred, frozen=True):
    """An administrator, `by` name, gives the side `gift` ms."""

    side: Side
    at: float
    gift: int
    by: str
    why: str


class Kicked(Occurred, frozen=True):
    """An administrator disconnects the side; `why` names the administrator and the reason."""

    side: Side
    at: float
    why: str


class Away(Occurred, frozen=True):
    """The player is disconnected and may come back within its grace. The clock runs on, unless the
    player's server has ended: then the clock stands since `cut_off_at`, the last sign of life of
    that server. delays: when servers, and not the player, caused a delay."""

    side: Side
    at: float
    cut_off_at: float | None = None
    delays: tuple[Span, ...] = ()


class Back(Occurred, frozen=True):
    """The player is back on a new connection, which has finished its handshake and has received
    nothing of the game yet.

    setup: its engine options, sent again if no move was made, because it may have missed them. key:
    the hash of its secret, if it has one. delays: as in `Away`, and while it waited for its seat.
    """

    side: Side
    at: float
    setup: tuple[SetOption, ...] = ()
    key: str = ""
    delays: tuple[Span, ...] = ()


class Left(Occurred, frozen=True):
    """The player has left for good."""

    side: Side
    at: float
    why: str = "the connection was closed"


class Hindered(Occurred, frozen=True):
    """The server did not run, or was cut off from the others of its cluster, for the last `late`
    seconds, in which disconnected players could not come back."""

    at: float
    late: float


class ServerFailed(Occurred, frozen=True):
    """The server's own fault (a bug, a lost referee): no result."""

    at: float
    why: str


class Paused(Occurred, frozen=True):
    """The server shuts down; the game goes on at its next start."""

    at: float


Event = (
    Ready | Answered | Judged | Alarm | Commanded | Ruled | TakebackRuled | TimeRuled | Kicked
    | Away | Back | Left | Hindered | ServerFailed | Paused
)  # fmt: skip

# Effects


@dataclass(frozen=True, slots=True)
class Tell:
    """Send this to the player."""

    side: Side
    message: FromServer


@dataclass(frozen=True, slots=True)
class Show:
    """Send this to the player if it follows the game while it is not to move: a person, or a client
    that sent ``id version``. Plain UCI engines do not get it."""

    side: Side
    messages: tuple[FromServer, ...]


@dataclass(frozen=True, slots=True)
class Announce:
    """A lobby line for both players (that sent ``id feature lobby``) and for spectators."""

    line: Lobby


@dataclass(frozen=True, slots=True)
class Cast:
    """Send this to the spectators."""

    messages: tuple[FromServer, ...]


@dataclass(frozen=True, slots=True)
class Greet:
    """From here on, effects for the side go to its new connection."""

    side: Side


@dataclass(frozen=True, slots=True)
class StartClock:
    """After the messages before this effect are handed over, call `Game.handed_over` with the round
    trips of the sides in `measures`. A clock that already runs, because the side is asked again,
    runs on."""

    side: Side
    measures: tuple[Side, ...] = ()


class Turn(Struct, frozen=True, gc=False):
    """It is the side's turn. played: the move before it, which must be noted and durable before
    anything is sent; None if something else came before, which is durable.

    Then send the side `position` and `go`, start its clock as with `StartClock`, and send
    `position` and `clocks` to spectators and to an opponent that follows the game.
    """

    played: MovePlayed | None
    side: Side
    position: Position
    go: Go
    clocks: Clock
    measures: tuple[Side, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Record this; the next effects need not wait for the disk."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Settle:
    """Wait until everything noted is durable."""


@dataclass(frozen=True, slots=True)
class Dismiss:
    """The game is over: `searching` is the side that owed an answer to its ``go`` then, if any.

    The answer may have come since, while the result was being settled: then there is nothing to
    wait for, and the ``stop`` sent before this has no effect.
    """

    searching: Side | None


Effect = Tell | Show | Cast | Announce | Greet | StartClock | Turn | Note | Settle | Dismiss
