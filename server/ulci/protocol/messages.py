"""The messages: one frozen structure per verb.

Dialects define the spelling, the conversation defines the order. Times are milliseconds, scores
centipawns, as in the standards. Text fields hold one line with single blanks. Sources: ULCI v1
beta, UCI 2004, UCI 2006, UGI (``query``, ``response``); ``error``, ``clock``, ``perft`` and
``feature`` come from the newer ULCI text; the lobby verbs are this relay's extension.
"""

import enum
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from ulci.protocol.lobby.lines import Line

from .lobby import lines


class Said(Struct, frozen=True, tag=True, tag_field="is"):
    """Where many kinds of messages are stored or sent as structures, each names its own."""


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


class Hello(Said, frozen=True):
    """``uci``: use this protocol and introduce yourself."""


class Debug(Said, frozen=True):
    """``debug on|off``."""

    on: bool


class IsReady(Said, frozen=True):
    """``isready``: answer when everything so far is done."""


class SetOption(Said, frozen=True):
    """``setoption name N [value V]``; no value for a button."""

    name: str
    value: str | None = None


class Register(Said, frozen=True):
    """``register later | name N code C`` (UCI); neither name nor code means later."""

    name: str | None = None
    code: str | None = None


class NewGame(Said, frozen=True):
    """``ucinewgame``: the next position belongs to another game."""


class Position(Said, frozen=True, gc=False):
    """``position startpos|fen F [moves …]``; `start` is None for the usual starting position."""

    start: str | None = None
    moves: Sequence[str] = ()
    """A tuple, or the `MovesSoFar` of a running game."""


class Go(Said, frozen=True, gc=False):
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


class Clock(Said, frozen=True, gc=False):
    """``clock``: both clocks in ms, for a player who is not asked to move (newer ULCI)."""

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None


class Stop(Said, frozen=True):
    """``stop``: answer with the best move so far."""


class PonderHit(Said, frozen=True):
    """``ponderhit``: the expected move was played (UCI)."""


class Eval(Said, frozen=True):
    """``eval``: report the static evaluation (ULCI, debugging)."""


class Bench(Said, frozen=True):
    """``bench``: evaluate test positions (ULCI, debugging)."""


class Perft(Said, frozen=True):
    """``perft D``: count the moves to that depth (newer ULCI, debugging)."""

    depth: int


class Query(Said, frozen=True):
    """``query gameover|p1turn|result``: a question about the last position (UGI)."""

    question: str


class Lobby(Said, frozen=True):
    """``lobby …``: an answer or announcement of the lobby."""

    line: Line

    @property
    def words(self) -> tuple[str, ...]:
        """The words after ``lobby``. Raises LocalProtocolError if the line has no spelling."""
        return tuple(lines.write(self.line).split())


# Both ways


class Quit(Said, frozen=True):
    """``quit``: goodbye. A server's word in the standards; people at a terminal use it too. After a
    `Report` it makes the report the reason of the end."""


class Score(Said, frozen=True):
    """Exactly one of centipawns and moves to mate (negative: being mated), from the engine's
    view."""

    cp: int | None = None
    mate: int | None = None
    bound: Bound | None = None


class CurrLine(Said, frozen=True):
    """The line that one processor searches; `cpu` counts from 1 and is optional."""

    moves: tuple[str, ...]
    cpu: int | None = None


class Info(Said, frozen=True):
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


class Report(Said, frozen=True):
    """``info clienterror|servererror|error S`` in every spelling that clients use."""

    blame: Blame
    text: str


class Unknown(Said, frozen=True):
    """A line with an unknown verb. Every standard asks to ignore it."""

    line: str


# Client to server


class Id(Said, frozen=True):
    """``id name|author|version|username|pieces|feature|token|resume V``."""

    key: str
    value: str


class Option(Said, frozen=True):
    """``option name N type T …``. An empty string default is spelled ``<empty>`` on the wire."""

    name: str
    type: OptionType
    default: str | None = None
    min: int | None = None
    max: int | None = None
    vars: tuple[str, ...] = ()


class HelloOk(Said, frozen=True):
    """``uciok``: the introduction is complete."""


class ReadyOk(Said, frozen=True):
    """``readyok``."""


NO_MOVE = "0000"
"""The move of a player who has none."""


class BestMove(Said, frozen=True, gc=False):
    """``bestmove M [ponder P]``. `move` as it was sent: ``0000`` and ``(none)`` are not moves."""

    move: str
    ponder: str | None = None


class Response(Said, frozen=True):
    """``response true|false|p1win|p2win|draw|none``: the answer to the oldest `Query` (UGI)."""

    answer: str


class CopyProtection(Said, frozen=True):
    """``copyprotection checking|ok|error`` (UCI)."""

    status: Status


class Registration(Said, frozen=True):
    """``registration checking|ok|error`` (UCI)."""

    status: Status


# Client to server, after ``id feature lobby``

Color = Literal["white", "black", "random", "later"]
Against = Literal["any", "human", "engine"]


class Terms(Said, frozen=True):
    """The terms of a wanted game; None leaves the choice to the server. `color` later: said by
    `ChooseColor` when the game is to begin. `games`: of a match, accepted once."""

    game: str | None = None
    time: str | None = None
    color: Color = "random"
    rated: bool | None = None
    against: Against = "any"
    games: int = 1
    start: str | None = None


class Seek(Said, frozen=True):
    """``seek [game G] [time TC] [color C] [rated yes|no] [against A] [games N] [start F]``."""

    terms: Terms = Terms()


class Seeks(Said, frozen=True):
    """``seeks``: list the open ones."""


class Unseek(Said, frozen=True):
    """``unseek [ID]``: withdraw one own seek, or end a match; without a number all of them."""

    id: int | None = None


class Accept(Said, frozen=True):
    """``accept ID``: play this seek or challenge."""

    id: int


class Challenge(Said, frozen=True):
    """``challenge NAME [as seek]``."""

    name: str
    terms: Terms = Terms()


class Decline(Said, frozen=True):
    """``decline ID [TEXT]``: refuse a challenge, and tell its maker why; or end a match."""

    id: int
    text: str = ""


class ChooseColor(Said, frozen=True):
    """``color white|black [F]``: the own colour in the next game of a match whose colours are said
    later, and its start; None leaves the start to the server."""

    color: Literal["white", "black"]
    start: str | None = None


class Resign(Said, frozen=True):
    """``resign``."""


class Draw(Said, frozen=True):
    """``draw``: offer one, or accept the opponent's offer."""


class Takeback(Said, frozen=True):
    """``takeback [N]``: ask to take back the last N plies, or accept the opponent's request.

    None: back to the player's own last move.
    """

    plies: int | None = None


class Claim(Said, frozen=True):
    """``claim win|draw``: end a game whose opponent has been absent for too long."""

    what: Literal["win", "draw"]


class GiveTime(Said, frozen=True):
    """``givetime SECONDS``: put time (ms) on the opponent's clock."""

    ms: int


class Abort(Said, frozen=True):
    """``abort``: end a game in which a side has not moved yet."""


class Rematch(Said, frozen=True):
    """``rematch``: the same game with colours swapped, if the opponent agrees."""


class Games(Said, frozen=True):
    """``games``: list the running games."""


class Watch(Said, frozen=True):
    """``watch ID``: follow this game."""

    id: int


class Unwatch(Said, frozen=True):
    """``unwatch [ID]``: stop to follow it."""

    id: int | None = None


class Who(Said, frozen=True):
    """``who``: list the players online."""


class Ping(Said, frozen=True):
    """``ping``: answered by ``lobby pong`` at once, whatever else is going on."""


class Say(Said, frozen=True):
    """``say TEXT``: to the opponent."""

    text: str


class TellPlayer(Said, frozen=True):
    """``tell NAME TEXT``: to any player online. A name in the lobby is one word."""

    name: str
    text: str


class Ignore(Said, frozen=True):
    """``ignore NAME``: hear nothing more from that player."""

    name: str


class Unignore(Said, frozen=True):
    """``unignore NAME``: hear that player again."""

    name: str


class Ignored(Said, frozen=True):
    """``ignored``: list the players who are ignored."""


class Admin(Said, frozen=True):
    """``admin WORD …``: commands of the server's administrators."""

    words: tuple[str, ...]


FromServer = (
    Hello | Debug | IsReady | SetOption | Register | NewGame | Position | Go | Clock | Stop
    | PonderHit | Eval | Bench | Perft | Query | Lobby | Quit | Info | Report | Unknown
)  # fmt: skip
LobbyWord = (
    Seek | Seeks | Unseek | Accept | Challenge | Decline | ChooseColor | Resign | Draw | Takeback
    | Claim | GiveTime | Abort | Rematch | Games | Watch | Unwatch | Who | Ping | Say | TellPlayer
    | Ignore | Unignore | Ignored | Admin
)  # fmt: skip
FromClient = (
    Id | Option | HelloOk | ReadyOk | BestMove | Response | CopyProtection | Registration | Info
    | Report | Quit | LobbyWord | Unknown
)  # fmt: skip
Message = FromServer | FromClient
