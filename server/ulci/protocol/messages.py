"""The messages: one frozen dataclass per verb.

Dialects define the spelling, the conversation defines the order. Times are milliseconds, scores
centipawns, as in the standards. Text fields hold one line with single blanks. Sources: ULCI v1
beta, UCI 2004, UCI 2006, UGI (``query``, ``response``); ``error``, ``clock``, ``perft`` and
``feature`` come from the newer ULCI text; the lobby verbs are this relay's extension.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ulci.protocol.lobby.lines import Line

from .lobby import lines


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


class Bound(enum.StrEnum):
    """Whether a score is only a bound."""

    LOWER = "lowerbound"
    UPPER = "upperbound"


# Server to client


@dataclass(frozen=True, slots=True)
class Hello:
    """``uci``: use this protocol and introduce yourself."""


@dataclass(frozen=True, slots=True)
class Debug:
    """``debug on|off``."""

    on: bool


@dataclass(frozen=True, slots=True)
class IsReady:
    """``isready``: answer when everything so far is done."""


@dataclass(frozen=True, slots=True)
class SetOption:
    """``setoption name N [value V]``; no value for a button."""

    name: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """``register later | name N code C`` (UCI); neither name nor code means later."""

    name: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class NewGame:
    """``ucinewgame``: the next position belongs to another game."""


@dataclass(frozen=True, slots=True)
class Position:
    """``position startpos|fen F [moves …]``; `start` is None for the usual starting position."""

    start: str | None = None
    moves: Sequence[str] = ()
    """A tuple, or the `MovesSoFar` of a running game."""


@dataclass(frozen=True, slots=True)
class Go:
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


@dataclass(frozen=True, slots=True)
class Clock:
    """``clock``: both clocks in ms, for a player who is not asked to move (newer ULCI)."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """``stop``: answer with the best move so far."""


@dataclass(frozen=True, slots=True)
class PonderHit:
    """``ponderhit``: the expected move was played (UCI)."""


@dataclass(frozen=True, slots=True)
class Eval:
    """``eval``: report the static evaluation (ULCI, debugging)."""


@dataclass(frozen=True, slots=True)
class Bench:
    """``bench``: evaluate test positions (ULCI, debugging)."""


@dataclass(frozen=True, slots=True)
class Perft:
    """``perft D``: count the moves to that depth (newer ULCI, debugging)."""

    depth: int


@dataclass(frozen=True, slots=True)
class Query:
    """``query gameover|p1turn|result``: a question about the last position (UGI)."""

    question: str


@dataclass(frozen=True, slots=True)
class Lobby:
    """``lobby …``: an answer or announcement of the lobby."""

    line: Line

    @property
    def words(self) -> tuple[str, ...]:
        """The words after ``lobby``. Raises LocalProtocolError if the line has no spelling."""
        return tuple(lines.write(self.line).split())


# Both ways


@dataclass(frozen=True, slots=True)
class Quit:
    """``quit``: goodbye. A server's word in the standards; people at a terminal use it too. After a
    `Report` it makes the report the reason of the end."""


@dataclass(frozen=True, slots=True)
class Score:
    """Exactly one of centipawns and moves to mate (negative: being mated), from the engine's
    view."""

    cp: int | None = None
    mate: int | None = None
    bound: Bound | None = None


@dataclass(frozen=True, slots=True)
class CurrLine:
    """The line that one processor searches; `cpu` counts from 1 and is optional."""

    moves: tuple[str, ...]
    cpu: int | None = None


@dataclass(frozen=True, slots=True)
class Info:
    """``info …``: an analysis, or a text for people. `time` in ms, `hashfull`/`cpuload` permille.

    ``pv`` is always written last and read as the rest of the line, ``string`` likewise; a message
    has at most one of `string`, and `pv` that is not empty.
    """

    depth: int | None = None
    seldepth: int | None = None
    multipv: int | None = None
    score: Score | None = None
    wdl: tuple[int, int, int] | None = None
    time: int | None = None
    nodes: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    tbhits: int | None = None
    sbhits: int | None = None
    cpuload: int | None = None
    currmove: str | None = None
    currmovenumber: int | None = None
    currline: CurrLine | None = None
    refutation: tuple[str, ...] = ()
    pv: tuple[str, ...] = ()
    string: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """``info clienterror|servererror|error S`` in every spelling that clients use."""

    blame: Blame
    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line with an unknown verb. Every standard asks to ignore it."""

    line: str


# Client to server


@dataclass(frozen=True, slots=True)
class Id:
    """``id name|author|version|username|pieces|feature|token|resume V``."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Option:
    """``option name N type T …``. An empty string default is spelled ``<empty>`` on the wire."""

    name: str
    type: OptionType
    default: str | None = None
    min: int | None = None
    max: int | None = None
    vars: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HelloOk:
    """``uciok``: the introduction is complete."""


@dataclass(frozen=True, slots=True)
class ReadyOk:
    """``readyok``."""


@dataclass(frozen=True, slots=True)
class BestMove:
    """``bestmove M [ponder P]``. `move` as it was sent: ``0000`` and ``(none)`` are not moves."""

    move: str
    ponder: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """``response true|false|p1win|p2win|draw|none``: the answer to the oldest `Query` (UGI)."""

    answer: str


@dataclass(frozen=True, slots=True)
class CopyProtection:
    """``copyprotection checking|ok|error`` (UCI)."""

    status: Status


@dataclass(frozen=True, slots=True)
class Registration:
    """``registration checking|ok|error`` (UCI)."""

    status: Status


# Client to server, after ``id feature lobby``

Color = Literal["white", "black", "random"]
Against = Literal["any", "human", "engine"]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a wanted game; None leaves the choice to the server."""

    game: str | None = None
    time: str | None = None
    color: Color = "random"
    rated: bool | None = None
    against: Against = "any"
    start: str | None = None


@dataclass(frozen=True, slots=True)
class Seek:
    """``seek [game G] [time TC] [color C] [rated yes|no] [against A] [start F]``."""

    terms: Terms = Terms()


@dataclass(frozen=True, slots=True)
class Seeks:
    """``seeks``: list the open ones."""


@dataclass(frozen=True, slots=True)
class Unseek:
    """``unseek [ID]``: withdraw one own seek, or all."""

    id: int | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """``accept ID``: play this seek or challenge."""

    id: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """``challenge NAME [as seek]``."""

    name: str
    terms: Terms = Terms()


@dataclass(frozen=True, slots=True)
class Decline:
    """``decline ID``: refuse a challenge."""

    id: int


@dataclass(frozen=True, slots=True)
class Resign:
    """``resign``."""


@dataclass(frozen=True, slots=True)
class Draw:
    """``draw``: offer one, or accept the opponent's offer."""


@dataclass(frozen=True, slots=True)
class Takeback:
    """``takeback [N]``: ask to take back the last N plies, or accept the opponent's request.

    None: back to the player's own last move.
    """

    plies: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """``claim win|draw``: end a game whose opponent has been absent for too long."""

    what: Literal["win", "draw"]


@dataclass(frozen=True, slots=True)
class GiveTime:
    """``givetime SECONDS``: put time (ms) on the opponent's clock."""

    ms: int


@dataclass(frozen=True, slots=True)
class Abort:
    """``abort``: end a game in which a side has not moved yet."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """``rematch``: the same game with colours swapped, if the opponent agrees."""


@dataclass(frozen=True, slots=True)
class Games:
    """``games``: list the running games."""


@dataclass(frozen=True, slots=True)
class Watch:
    """``watch ID``: follow this game."""

    id: int


@dataclass(frozen=True, slots=True)
class Unwatch:
    """``unwatch [ID]``: stop to follow it."""

    id: int | None = None


@dataclass(frozen=True, slots=True)
class Who:
    """``who``: list the players online."""


@dataclass(frozen=True, slots=True)
class Say:
    """``say TEXT``: to the opponent."""

    text: str


@dataclass(frozen=True, slots=True)
class TellPlayer:
    """``tell NAME TEXT``: to any player online. A name in the lobby is one word."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Admin:
    """``admin WORD …``: commands of the server's administrators."""

    words: tuple[str, ...]


FromServer = (
    Hello | Debug | IsReady | SetOption | Register | NewGame | Position | Go | Clock | Stop
    | PonderHit | Eval | Bench | Perft | Query | Lobby | Quit | Info | Report | Unknown
)  # fmt: skip
LobbyWord = (
    Seek | Seeks | Unseek | Accept | Challenge | Decline | Resign | Draw | Takeback | Claim
    | GiveTime | Abort | Rematch | Games | Watch | Unwatch | Who | Say | TellPlayer | Admin
)  # fmt: skip
FromClient = (
    Id | Option | HelloOk | ReadyOk | BestMove | Response | CopyProtection | Registration | Info
    | Report | Quit | LobbyWord | Unknown
)  # fmt: skip
Message = FromServer | FromClient
