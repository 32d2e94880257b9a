"""Lines of the server after the word ``lobby``, one class each.

Names are handles: one word per player. `id` is the number of a game, or of a seek or challenge,
which share their numbers. Other servers may omit a field with a default.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import NODEFAULT

from ulci.protocol.kinds import Tagged, leaves, union_of
from ulci.protocol.text import words

from .line_template import Row


class Said(Tagged, frozen=True):
    """A line. Its subclasses are the table of lines: a class is a row, and `usage` and `pairs` are
    the template by which it is written and read (`line_template`)."""

    usage: ClassVar[str] = ""
    pairs: ClassVar[str] = ""


# Coming in, and refusals


class Welcome(Said, frozen=True):
    """The player's name on this server. `account`: authenticated by a token. `resume`: a secret
    that resumes the session on a new connection (``id resume``)."""

    usage = "welcome"
    pairs = "name NAME account yes|no resume SECRET"

    name: str
    account: bool = False
    resume: str = ""


class ErrorLine(Said, frozen=True):
    """The command was not executed; `code` is for programs, `text` for people."""

    usage = "error CODE [TEXT]"

    code: str
    text: str = ""


class NoteLine(Said, frozen=True):
    """Information that is not an error."""

    usage = "note CODE [TEXT]"

    code: str
    text: str = ""


# Seeks and challenges


_OFFERED = (
    "player NAME kind KIND game GAME time TIME color COLOR rated yes|no lag RULE"
    " [games N] [start FEN] [conduct WORDS] [level N]"
    " [rating R] [range MIN-MAX]"
)


class Offer(Said, frozen=True):
    """An offered game. `kind`: human or engine. `color`: of the offering player, or random, or
    later. `lag`: the rule of lag compensation. `games`: of the match, which is accepted as a whole.
    `start`: None for the usual one. `conduct`: what players may not do, and what counts, as words
    with commas between (`ulci.conduct`); empty for the usual. `level`: of the engine that is
    wanted. `rating`: of the offering player, with a question mark as long as it is not sure; empty
    if there is none. `range`: of the ratings that are wanted, None for any."""

    id: int
    player: str
    kind: str = ""
    game: str = ""
    time: str = ""
    color: str = ""
    rated: bool = False
    lag: str = ""
    games: int = 1
    start: str | None = None
    conduct: str = ""
    level: int | None = None
    rating: str = ""
    range: tuple[int, int] | None = None


class OpenSeek(Offer, frozen=True):
    """Sent to all players when a seek opens, and in the list of ``seeks``; a long start is
    truncated and ends with an ellipsis."""

    usage = "seek ID"
    pairs = _OFFERED


class IncomingChallenge(Offer, frozen=True):
    """`player` challenges the recipient."""

    usage = "challenge ID"
    pairs = _OFFERED


class OutgoingChallenge(Said, frozen=True):
    """The number of the recipient's new challenge, which waits for `player`."""

    usage = "challenging ID"
    pairs = "player NAME"

    id: int
    player: str


class OutgoingInvitation(Said, frozen=True):
    """The number of the recipient's new invitation, which is open for `within` ms at most."""

    usage = "inviting ID"
    pairs = "token INVITATION within MS"

    id: int
    token: str
    within: int


class ChallengeDecline(Said, frozen=True):
    """`text`: the reason, if `by` gave one."""

    usage = "declined ID by NAME [TEXT]"

    id: int
    by: str
    text: str = ""


class Gone(Said, frozen=True):
    """A seek or challenge was withdrawn, declined, or became a game."""

    usage = "gone ID"

    id: int


# Matches: several games, or one whose colours are said later


class MatchGame(Said, frozen=True):
    """The next game of match `id`, the number of the seek or challenge that became it. `number`:
    from 1, `games` in all. `player`: the opponent. `chooser`: the player who sends ``color`` before
    the game begins, within `within` ms; empty: nobody, the game begins now, or is on for a client
    that has reconnected."""

    usage = "match ID game N"
    pairs = "of N player NAME [chooser NAME] [within MS]"

    id: int
    number: int
    games: int
    player: str
    chooser: str = ""
    within: int | None = None


class MatchOver(Said, frozen=True):
    """No game of the match begins any more; one that is on is played to its end. `played`: games
    begun. `reason`: complete, ended (by ``unseek`` or ``decline``), left, late (no ``color`` in
    time) or closed."""

    usage = "match ID over"
    pairs = "played COUNT reason REASON"

    id: int
    played: int
    reason: str = ""


# Lists: how many lines follow, and these


class SeekList(Said, frozen=True):
    """The answer to ``seeks``: the number of `OpenSeek` that follow."""

    usage = "seeks COUNT"

    count: int


class PlayerList(Said, frozen=True):
    """The answer to ``who``: the number of `ListedPlayer` that follow."""

    usage = "who COUNT"

    count: int


class GameList(Said, frozen=True):
    """The answer to ``games``: the number of `ListedGame` that follow."""

    usage = "games COUNT"

    count: int


class ListedPlayer(Said, frozen=True):
    """`kind`: human or engine. `state`: playing, waiting (for a game) or idle. `levels`: how many
    an engine of the server has, of which a seek or a challenge may name one. `rating`: as in
    `Offer`, in the pool of the player's listener or else where it has played most."""

    usage = "player NAME"
    pairs = "kind KIND state STATE [levels N] [rating R]"

    name: str
    kind: str = ""
    state: str = ""
    levels: int | None = None
    rating: str = ""


_PLAYERS = "white NAME black NAME game GAME time TIME"
_STRENGTHS = "[white-level N] [black-level N] [white-rating R] [black-rating R]"


class ListedGame(Said, frozen=True):
    """`white_level`, `black_level`: at which an engine of the server plays; None: without one.
    `white_rating`, `black_rating`: when the game began; empty: without one."""

    usage = "game ID playing"
    pairs = f"{_PLAYERS} ply PLY {_STRENGTHS}"

    id: int
    white: str = ""
    black: str = ""
    game: str = ""
    time: str = ""
    ply: int | None = None
    white_level: int | None = None
    black_level: int | None = None
    white_rating: str = ""
    black_rating: str = ""


# A game


class GameStart(Said, frozen=True):
    """Sent again to a player who returns to the game. `conduct`: as in `Offer`. `book`: how many
    plies of a book it begins with, which no clock paid for and no takeback reaches. `white_level`,
    `black_level` and the ratings: as in `ListedGame`."""

    usage = "game ID start"
    pairs = f"{_PLAYERS} rated yes|no lag RULE [conduct WORDS] [book PLIES] {_STRENGTHS}"

    id: int
    white: str = ""
    black: str = ""
    game: str = ""
    time: str = ""
    rated: bool = False
    lag: str = ""
    conduct: str = ""
    book: int = 0
    white_level: int | None = None
    black_level: int | None = None
    white_rating: str = ""
    black_rating: str = ""


class DrawOffer(Said, frozen=True):
    usage = "game ID offer draw"
    pairs = "from NAME"

    id: int
    by: str


class DrawDecline(Said, frozen=True):
    """`by` made a move instead."""

    usage = "game ID decline draw"
    pairs = "from NAME"

    id: int
    by: str


class TakebackOffer(Said, frozen=True):
    """`by` asks to take back `plies` half-moves."""

    usage = "game ID offer takeback PLIES"
    pairs = "from NAME"

    id: int
    plies: int
    by: str


class TakebackDecline(Said, frozen=True):
    usage = "game ID decline takeback"
    pairs = "from NAME"

    id: int
    by: str


class TakenBack(Said, frozen=True):
    """`plies` half-moves were taken back, and `ply` are left; the position follows."""

    usage = "game ID takeback PLIES"
    pairs = "ply PLY"

    id: int
    plies: int
    ply: int


class TimeGift(Said, frozen=True):
    """`by` gave `ms` to a clock."""

    usage = "game ID givetime MS"
    pairs = "to white|black from NAME"

    id: int
    ms: int
    to: str
    by: str


class WentBerserk(Said, frozen=True):
    """`by`, of that side, plays with half the time; the clocks follow."""

    usage = "game ID berserk white|black"
    pairs = "from NAME"

    id: int
    side: str
    by: str


class Pause(Said, frozen=True):
    """The server shuts down, and the game continues when it is back; no clock runs."""

    usage = "game ID paused"

    id: int


class Resumption(Said, frozen=True):
    """The server was down for `downtime` ms, which no clock is charged for; None: it does not know
    for how long."""

    usage = "game ID resumed"
    pairs = "[downtime MS]"

    id: int
    downtime: int | None = None


class OpponentState(Said, frozen=True):
    """`state`: away or back; for the side to move also thinking, hung, line-down or gone.
    `claim_in`: ms until the game of an absent opponent may be claimed; None: only the clock
    counts."""

    usage = "game ID opponent STATE"
    pairs = "[claim-in MS]"

    id: int
    state: str
    claim_in: int | None = None


class PlayerState(Said, frozen=True):
    """The state of a player, for spectators; they see an absent player as line-down."""

    usage = "game ID white|black STATE"

    id: int
    side: str
    state: str


class GameOver(Said, frozen=True):
    """`result`: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``."""

    usage = "game ID over"
    pairs = "result RESULT reason REASON"

    id: int
    result: str
    reason: str = ""


# Watching


class WatchStart(Said, frozen=True):
    """The position, the clock and what the players think follow. `book`: as in `GameStart`;
    `white_level`, `black_level`: as in `ListedGame`."""

    usage = "watch ID"
    pairs = f"{_PLAYERS} rated yes|no ply PLY [book PLIES] {_STRENGTHS}"

    id: int
    white: str
    black: str
    game: str
    time: str = ""
    rated: bool = False
    ply: int | None = None
    book: int = 0
    white_level: int | None = None
    black_level: int | None = None
    white_rating: str = ""
    black_rating: str = ""


class WatchEnd(Said, frozen=True):
    usage = "unwatch ID"

    id: int


# Tournaments


class TournamentList(Said, frozen=True):
    """The answer to ``tournaments``: the number of `ListedTournament` that follow."""

    usage = "tournaments COUNT"

    count: int


class ListedTournament(Said, frozen=True):
    """`state`: created (it has not begun), running or paused. `entrants`: how many have not left.
    `open`: whether players may enter."""

    usage = "tournament NAME"
    pairs = "format FORMAT state STATE game GAME time TIME entrants COUNT open yes|no"

    name: str
    format: str = ""
    state: str = ""
    game: str = ""
    time: str = ""
    entrants: int = 0
    open: bool = False


class Entered(Said, frozen=True):
    """The recipient plays in that tournament, as `player`, from `round` on."""

    usage = "entered NAME"
    pairs = "player NAME round N"

    name: str
    player: str
    round: int = 1


class Withdrawn(Said, frozen=True):
    """The recipient, who is `player` there, plays no further game of that tournament; `text` tells
    why."""

    usage = "withdrawn NAME player PLAYER [TEXT]"

    name: str
    player: str
    text: str = ""


class NextPairing(Said, frozen=True):
    """The recipient is to play in that tournament. The game begins as soon as both are free: the
    time for which one is waited for is its own, and after `late` ms it has lost."""

    usage = "pairing NAME round N"
    pairs = "white NAME black NAME late MS"

    name: str
    round: int
    white: str
    black: str
    late: int = 0


class StandingsList(Said, frozen=True):
    """The answer to ``standings``: the number of `StandingsLine` that follow."""

    usage = "standings NAME COUNT"

    name: str
    count: int


class StandingsLine(Said, frozen=True):
    """An entrant of that tournament. `points`: as its format counts them."""

    usage = "standing NAME rank N"
    pairs = "player NAME points POINTS games COUNT"

    name: str
    rank: int
    player: str
    points: str = "0"
    games: int = 0


class TournamentOver(Said, frozen=True):
    """No further game of that tournament begins. `first`: the leader; several are equal as far as
    the tie-breaks tell."""

    usage = "tournament-over NAME"
    pairs = "[first NAME]"

    name: str
    first: str = ""


# Talk


class Chat(Said, frozen=True):
    """The opponent says `text`, or another spectator of the game that the recipient watches."""

    usage = "say NAME [TEXT]"

    by: str
    text: str = ""


class PrivateChat(Said, frozen=True):
    """`by` tells `text` to the recipient."""

    usage = "tell NAME [TEXT]"

    by: str
    text: str = ""


class IgnoreStart(Said, frozen=True):
    """The recipient gets nothing more from `name`; also a line of the list of ``ignored``."""

    usage = "ignore NAME"

    name: str


class IgnoreEnd(Said, frozen=True):
    """The recipient no longer ignores `name`."""

    usage = "unignore NAME"

    name: str


class IgnoreList(Said, frozen=True):
    """The answer to ``ignored``: the number of `IgnoreStart` that follow."""

    usage = "ignored COUNT"

    count: int


class Pong(Said, frozen=True):
    """The answer to ``ping``."""

    usage = "pong"


# Admins


class AdminDone(Said, frozen=True):
    """The command was executed; no answer follows."""

    usage = "admin done"


class AdminAnswer(Said, frozen=True):
    """A part of the answer: keys and values alternate."""

    usage = "admin WORD ..."

    words: tuple[str, ...]


# What is not in the table


class UnknownLine(Said, frozen=True):
    """A newer server's, or one without what such a line must have."""

    words: tuple[str, ...]


ROWS: Sequence[Row[Any]] = tuple(
    Row(kind, kind.usage, kind.pairs) for kind in leaves(Said) if kind.usage
)

if TYPE_CHECKING:
    Line = Said
else:
    Line = union_of(leaves(Said))

_BY_CLASS = {row.kind: row for row in ROWS}
_BY_WORD: Mapping[str, Sequence[Row[Any]]] = {
    word: [row for row in ROWS if row.word == word] for word in {row.word for row in ROWS}
}


def write(line: Line) -> str:
    """The line without ``lobby``. Raises LocalProtocolError if a value cannot be spelled."""
    if isinstance(line, UnknownLine):
        return words(line.words)
    return _BY_CLASS[type(line)].write(line)


def read_untrusted(said: Sequence[str]) -> Line:
    """Parse the words after ``lobby``. Never raises: an unknown line is an `UnknownLine`.

    Surplus words, unknown keys and invalid values of fields with a default are skipped.
    """
    for row in _BY_WORD.get(said[0], ()) if said else ():
        try:
            values = dict(_values(row, said))
        except (ValueError, IndexError):
            continue
        line: Line = row.kind(**values)
        return line
    return UnknownLine(tuple(said))


def _values(row: Row[Any], said: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The fields of a line of this row; ValueError or IndexError if it is none."""
    at = 0
    for part in row.head:
        if isinstance(part, str):
            if said[at] != part:
                raise ValueError
        elif at < len(said):
            text = " ".join(said[at:]) if part.kind.rest else said[at]
            yield part.name, part.kind.read(text)
        elif not part.optional:
            raise ValueError
        at += 1
    known = dict(zip(said[at::2], said[at + 1 :: 2], strict=False))
    for key, field in row.pairs.items():
        try:
            yield field.name, field.kind.read(known[key])
        except (ValueError, KeyError):
            if field.default is NODEFAULT:
                raise ValueError from None
