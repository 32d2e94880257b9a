"""The verbs of UCI, ULCI and UGI but ``info``, and ``lobby``."""

import enum
from collections.abc import Sequence
from typing import Any, get_args

from ulci.protocol.kinds import Tagged
from ulci.protocol.lobby import lines
from ulci.protocol.lobby.player_commands import PLAYER_COMMANDS, PlayerCommand

from .analysis import Info


class Blame(enum.StrEnum):
    """Whose fault a `Report` is; ``ERROR`` is the newer ULCI word, which does not tell."""

    CLIENT = "clienterror"
    SERVER = "servererror"
    ERROR = "error"


class Status(enum.StrEnum):
    """The states of ``copyprotection`` and ``registration`` (UCI, engine to GUI)."""

    CHECKING = "checking"
    OK = "ok"
    ERROR = "error"


class OptionType(enum.StrEnum):
    """The five types of ``option``."""

    CHECK = "check"
    SPIN = "spin"
    COMBO = "combo"
    BUTTON = "button"
    STRING = "string"


# Server to client


class Hello(Tagged, frozen=True):
    """``uci``: use this protocol and introduce yourself."""


class Debug(Tagged, frozen=True):
    """``debug on|off``."""

    on: bool


class IsReady(Tagged, frozen=True):
    """``isready``: answer when everything so far is done."""


class SetOption(Tagged, frozen=True):
    """``setoption name N [value V]``; no value for a button."""

    name: str
    value: str | None = None


class Register(Tagged, frozen=True):
    """``register later | name N code C`` (UCI); neither name nor code means later."""

    name: str | None = None
    code: str | None = None


class NewGame(Tagged, frozen=True):
    """``ucinewgame``: the next position belongs to another game."""


class Position(Tagged, frozen=True, gc=False):
    """``position startpos|fen F [moves …]``; `start` is None for the usual starting position."""

    start: str | None = None
    moves: Sequence[str] = ()
    """A tuple, or the `MovesSoFar` of a running game."""


class Go(Tagged, frozen=True, gc=False):
    """``go``: search the last position. Times in ms; no limit if nothing is set."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    movetime: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()


class Clock(Tagged, frozen=True, gc=False):
    """``clock``: both clocks in ms, for a player who is not asked to move (newer ULCI)."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None


class Stop(Tagged, frozen=True):
    """``stop``: answer with the best move so far."""


class PonderHit(Tagged, frozen=True):
    """``ponderhit``: the expected move was played (UCI)."""


class Eval(Tagged, frozen=True):
    """``eval``: report the static evaluation (ULCI, debugging)."""


class Bench(Tagged, frozen=True):
    """``bench``: evaluate test positions (ULCI, debugging)."""


class Perft(Tagged, frozen=True):
    """``perft D``: count the moves to that depth (newer ULCI, debugging)."""

    depth: int


class Query(Tagged, frozen=True):
    """``query gameover|p1turn|result``: a question about the last position (UGI)."""

    question: str


class Lobby(Tagged, frozen=True):
    """``lobby …``: an answer or announcement of the lobby."""

    line: lines.Line

    @property
    def words(self) -> tuple[str, ...]:
        """The words after ``lobby``. Raises LocalProtocolError if the line has no spelling."""
        return tuple(lines.write(self.line).split())


# Both ways


class Quit(Tagged, frozen=True):
    """``quit``: goodbye. A server's word in the standards; people at a terminal use it too. After a
    `Report` it makes the report the reason of the end."""


class Report(Tagged, frozen=True):
    """``info clienterror|servererror|error S`` in every spelling that clients use."""

    blame: Blame
    text: str


class Unknown(Tagged, frozen=True):
    """A line with an unknown verb. Every standard asks to ignore it."""

    line: str


# Client to server


class Id(Tagged, frozen=True):
    """``id name|author|version|username|pieces|feature|token|resume V``."""

    key: str
    value: str


class Option(Tagged, frozen=True):
    """``option name N type T …``. An empty string default is spelled ``<empty>`` on the wire."""

    name: str
    type: OptionType
    default: str | None = None
    min: int | None = None
    max: int | None = None
    vars: tuple[str, ...] = ()


class HelloOk(Tagged, frozen=True):
    """``uciok``: the introduction is complete."""


class ReadyOk(Tagged, frozen=True):
    """``readyok``."""


NO_MOVE = "0000"
"""The move of a player who has none."""


class BestMove(Tagged, frozen=True, gc=False):
    """``bestmove M [ponder P]``. `move` as it was sent: ``0000`` and ``(none)`` are not moves."""

    move: str
    ponder: str | None = None


class Response(Tagged, frozen=True):
    """``response true|false|p1win|p2win|draw|none``: the answer to the oldest `Query` (UGI)."""

    answer: str


class CopyProtection(Tagged, frozen=True):
    """``copyprotection checking|ok|error`` (UCI)."""

    status: Status


class Registration(Tagged, frozen=True):
    """``registration checking|ok|error`` (UCI)."""

    status: Status


# Who says what

FromServer = (
    Hello | Debug | IsReady | SetOption | Register | NewGame | Position | Go | Clock | Stop
    | PonderHit | Eval | Bench | Perft | Query | Lobby | Quit | Info | Report | Unknown
)  # fmt: skip
FromClient = (
    Id | Option | HelloOk | ReadyOk | BestMove | Response | CopyProtection | Registration | Info
    | Report | Quit | PlayerCommand | Unknown
)  # fmt: skip
Message = FromServer | FromClient


def kinds_of(of: Any) -> tuple[type, ...]:
    """The classes of a union of messages, with every command of players."""
    return tuple(
        kind
        for member in get_args(of)
        for kind in (PLAYER_COMMANDS if member is PlayerCommand else (member,))
    )
