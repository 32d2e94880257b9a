"""The messages: one frozen structure per verb.

Dialects define the spelling, the conversation defines the order. Times are milliseconds, scores
centipawns, as in the standards. Text fields hold one line with single blanks. Sources: ULCI v1
beta, UCI 2004, UCI 2006, UGI (``query``, ``response``); ``error``, ``clock``, ``perft`` and
``feature`` come from the newer ULCI text; the lobby verbs are this relay's extension.
"""

import enum
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from msgspec import Struct

from ulci.protocol.lobby.lines import Line

from .kinds import leaves
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


class PlayerCommand(Said, frozen=True):
    """What a player says beside UCI's verbs, in the lobby and during a game.

    Its subclasses are the table of commands: a class is a row. `usage` and `pairs` are the template
    by which it is read, written and explained (`lobby.line_template`); with `grouped` the pairs are
    the fields of that class.
    """

    usage: ClassVar[str]
    pairs: ClassVar[str] = ""
    grouped: ClassVar[type[Struct] | None] = None


_TERMS = (
    "[game G] [time TC] [color white|black|random|later] [rated yes|no] [against any|human|engine]"
    " [games N] [start F]"
)


class Seek(PlayerCommand, frozen=True):
    """Seek a game, or a match."""

    usage = "seek"
    pairs = _TERMS
    grouped = Terms

    terms: Terms = Terms()


class Seeks(PlayerCommand, frozen=True):
    """List the open seeks."""

    usage = "seeks"


class Unseek(PlayerCommand, frozen=True):
    """Withdraw one own seek, or end a match; without a number all of them."""

    usage = "unseek [ID]"

    id: int | None = None


class Accept(PlayerCommand, frozen=True):
    """Play this seek or challenge."""

    usage = "accept ID"

    id: int


class Challenge(PlayerCommand, frozen=True):
    """Ask a player for a game, or a match."""

    usage = "challenge NAME"
    pairs = _TERMS
    grouped = Terms

    name: str
    terms: Terms = Terms()


class Decline(PlayerCommand, frozen=True):
    """Refuse a challenge, and tell its maker why; or end a match."""

    usage = "decline ID [TEXT]"

    id: int
    text: str = ""


class ChooseColor(PlayerCommand, frozen=True):
    """The own colour in the next game of a match whose colours are said later, and its start; None
    leaves the start to the server."""

    usage = "color white|black [F]"

    color: Literal["white", "black"]
    start: str | None = None


class GameCommand(PlayerCommand, frozen=True):
    """A command to the player's own game."""


class Resign(GameCommand, frozen=True):
    """Lose the game."""

    usage = "resign"


class Draw(GameCommand, frozen=True):
    """Offer a draw, accept the opponent's offer, or claim a draw by the rules."""

    usage = "draw"


class Abort(GameCommand, frozen=True):
    """End a game in which a side has not moved yet."""

    usage = "abort"


class Takeback(GameCommand, frozen=True):
    """Ask to take back the last N plies, or accept the opponent's request.

    None: back to the player's own last move.
    """

    usage = "takeback [N]"

    plies: int | None = None


class Claim(GameCommand, frozen=True):
    """End a game whose opponent has been absent for too long, or claim a draw by the rules."""

    usage = "claim win|draw"

    what: Literal["win", "draw"]


class GiveTime(GameCommand, frozen=True):
    """Put time (ms) on the opponent's clock."""

    usage = "givetime SECONDS"

    ms: int


class Rematch(PlayerCommand, frozen=True):
    """The same game with colours swapped, if the opponent agrees."""

    usage = "rematch"


class Games(PlayerCommand, frozen=True):
    """List the running games."""

    usage = "games"


class Watch(PlayerCommand, frozen=True):
    """Follow this game."""

    usage = "watch ID"

    id: int


class Unwatch(PlayerCommand, frozen=True):
    """Stop to follow it."""

    usage = "unwatch [ID]"

    id: int | None = None


class Who(PlayerCommand, frozen=True):
    """List the players online."""

    usage = "who"


class Ping(PlayerCommand, frozen=True):
    """Answered by ``lobby pong`` at once, whatever else is going on."""

    usage = "ping"


class Say(PlayerCommand, frozen=True):
    """To the opponent."""

    usage = "say TEXT"

    text: str


class TellPlayer(PlayerCommand, frozen=True):
    """To any player online. A name in the lobby is one word."""

    usage = "tell NAME TEXT"

    name: str
    text: str


class Ignore(PlayerCommand, frozen=True):
    """Hear nothing more from that player."""

    usage = "ignore NAME"

    name: str


class Unignore(PlayerCommand, frozen=True):
    """Hear that player again."""

    usage = "unignore NAME"

    name: str


class Ignored(PlayerCommand, frozen=True):
    """List the players who are ignored."""

    usage = "ignored"


class Admin(PlayerCommand, frozen=True):
    """Commands of the server's administrators."""

    usage = "admin WORD ..."

    words: tuple[str, ...]


PLAYER_COMMANDS: Sequence[type[PlayerCommand]] = tuple(leaves(PlayerCommand))
"""All commands of players, in the order in which they are listed."""

GAME_COMMANDS: Sequence[type[PlayerCommand]] = tuple(leaves(GameCommand))


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
