"""Admin commands: ``admin WORD …``, parsed.

The answers are ``lobby admin KEY VALUE …``, any number of them, then ``lobby admin done``; or one
``lobby error`` and nothing else.

A new command is a class, a member of `Asked`, its usage and its reader here, and a handler in
`ulci_server.hall.admin`; ``ulci-server admin`` takes its words from here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network

from ulci.protocol.lobby.lines import AdminAnswer, AdminDone
from ulci.protocol.messages import Lobby
from ulci.protocol.text import number_in, plain, quote
from ulci.rules import Side

from .terms import Refusal

LONGEST_SPAN = 10 * 366 * 86_400
"""Seconds. A longer span is a typing error; a ban without end is `FOREVER`."""

NO_SPAN = "is not a span of time: write 30m, 12h, 7d or 4w, at most 10y"

_SPAN = re.compile(r"(?P<number>[0-9]{1,9})(?P<unit>[smhdwy])")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}


def seconds_untrusted(word: str) -> int | None:
    """Seconds of a span such as ``30m``; None if it is not valid."""
    found = _SPAN.fullmatch(word)
    seconds = int(found["number"]) * _UNITS[found["unit"]] if found else 0
    return seconds if 0 < seconds <= LONGEST_SPAN else None


EVERYBODY = "all"
"""The name in ``tell`` that means every player."""

FOREVER = "forever"
"""The span of a ban without end. It is required: with an optional span, a mistyped one would be
taken for the first word of the reason."""

LONGEST_GIFT_SECONDS = 86_400
"""Maximum gift of time in s: more than a day is a typing error."""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """Show uptime and load."""


@dataclass(frozen=True, slots=True)
class Games:
    """List running games; with a `text`, only the game of that number or those of matching
    players."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Who:
    """List connected players with their addresses; with a `text`, only those whose name or address
    contains it."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Abort:
    """End the game without a result."""

    game: int
    why: str


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """End the game with this result; `winner` None is a draw."""

    game: int
    winner: Side | None
    why: str


@dataclass(frozen=True, slots=True)
class Kick:
    """Disconnect the player."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Ban:
    """Ban a name, or an address or network (`is_address`), for `seconds` (None: for ever), and
    disconnect matching players. `wide`: even if the network is unusually large."""

    who: str
    is_address: bool
    seconds: int | None
    why: str
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Unban:
    """Lift the ban."""

    who: str
    is_address: bool


@dataclass(frozen=True, slots=True)
class TellPlayers:
    """Send a text to one player, or to all (`name` None)."""

    name: str | None
    text: str


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back `plies`, without asking the players."""

    game: int
    plies: int
    why: str


@dataclass(frozen=True, slots=True)
class GiveTime:
    """Add `ms` to a side's clock."""

    game: int
    side: Side
    ms: int
    why: str


@dataclass(frozen=True, slots=True)
class ListComplaints:
    """List what players complain about; `closed`: also what was settled."""

    closed: bool = False


@dataclass(frozen=True, slots=True)
class SettleComplaint:
    """Somebody has dealt with the complaint."""

    number: int


@dataclass(frozen=True, slots=True)
class Drain:
    """End a server as SIGTERM does: the one of that name in the cluster, or that of the
    administrator's connection (`server` empty)."""

    server: str = ""


Asked = (
    ServerStatus
    | Games
    | Who
    | Abort
    | Adjudicate
    | Kick
    | Ban
    | Unban
    | TellPlayers
    | TakeBack
    | GiveTime
    | ListComplaints
    | SettleComplaint
    | Drain
)

USAGE: Mapping[str, str] = {
    "status": "status",
    "games": "games [NUMBER|NAME]",
    "who": "who [NAME|ADDRESS]",
    "abort": "abort GAME WHY",
    "adjudicate": "adjudicate GAME 1-0|0-1|1/2-1/2 WHY",
    "kick": "kick NAME WHY",
    "ban": "ban NAME|ADDRESS DURATION|forever WHY",
    "banwide": "banwide ADDRESS DURATION|forever WHY",
    "unban": "unban NAME|ADDRESS",
    "tell": "tell NAME|all TEXT",
    "takeback": "takeback GAME PLIES WHY",
    "givetime": "givetime GAME white|black SECONDS WHY",
    "complaints": "complaints [all]",
    "settle": "settle COMPLAINT",
    "drain": "drain [SERVER]",
}


def answer(key: str, *values: str) -> Lobby:
    """``lobby admin KEY VALUE …``."""
    return Lobby(AdminAnswer((key, *values)))


DONE = Lobby(AdminDone())
"""The last line of an answer."""


def read_untrusted(words: Sequence[str]) -> Asked:
    """Parse the words after ``admin``.

    Raises:
        Refusal: there is no such command, or its usage is wrong; the text shows the usage.
    """
    word, *rest = words or ("",)
    if word not in USAGE:
        known = " ".join(USAGE)
        said = f"there is no admin command {quote(word)}" if word else "no command is given"
        raise Refusal("admin-usage", f"{said}; the commands are: {known}")
    left = _Words(rest)
    try:
        asked = _READERS[word](left)
        left.end()
    except _WrongError as wrong:
        raise Refusal("admin-usage", f"{wrong}; use: admin {USAGE[word]}") from None
    return asked


class _WrongError(Exception):
    """Wrong arguments; the usage is added where this is caught."""


class _Words:
    """The arguments of a command, taken one by one."""

    def __init__(self, words: Sequence[str]) -> None:
        self._left = list(words)

    def one(self, what: str) -> str:
        if not self._left:
            raise _WrongError(f"missing: {what}")
        if not self._left[0].isprintable():
            raise _WrongError(f"{quote(self._left[0])} contains control characters")
        return self._left.pop(0)

    def some(self) -> str:
        """The next argument; empty if there is none."""
        return self.one("") if self._left else ""

    def rest(self) -> str:
        """All remaining arguments; empty if there are none."""
        rest = " ".join(self._left)
        self._left.clear()
        return rest

    def number(self, what: str) -> int:
        word = self.one(what)
        if (number := number_in(word, 1)) is None:
            raise _WrongError(f"{quote(word)} is not {what}")
        return number

    def choice(self, what: str, choices: Mapping[str, Side | None]) -> Side | None:
        word = self.one(what)
        if word not in choices:
            raise _WrongError(f"{quote(word)} is not one of {', '.join(choices)}")
        return choices[word]

    def text(self, what: str) -> str:
        """All remaining words: they are recorded and shown to the players."""
        text = plain(" ".join(self._left))
        self._left.clear()
        if not text:
            raise _WrongError(f"missing: {what}")
        return text

    def duration(self) -> int | None:
        """``30m`` in s; None for ever."""
        word = self.one("the duration")
        seconds = seconds_untrusted(word)
        if seconds is None and word != FOREVER:
            raise _WrongError(f"{quote(word)} {NO_SPAN}, or {FOREVER}")
        return seconds

    def end(self) -> None:
        if self._left:
            raise _WrongError(f"{quote(self._left[0])} is an extra word")


_SECONDS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?")

_RESULTS: Mapping[str, Side | None] = {"1-0": Side.WHITE, "0-1": Side.BLACK, "1/2-1/2": None}

_GAME = "the number of a game"
_NAME = "the name"
_WHY = "the reason"


def _side(words: _Words) -> Side:
    side = words.choice("the side", {side.word: side for side in Side})
    assert side is not None
    return side


def _ms(words: _Words) -> int:
    word = words.one("a number of seconds")
    ms = round(float(word) * 1000) if _SECONDS.fullmatch(word) else 0
    if not 0 < ms <= LONGEST_GIFT_SECONDS * 1000:
        raise _WrongError(f"{quote(word)} is not a number of seconds up to {LONGEST_GIFT_SECONDS}")
    return ms


def _whom(words: _Words) -> tuple[str, bool]:
    """A name, or an address or network in its canonical form."""
    word = words.one("the name or address")
    try:
        network = ip_network(word, strict=False)
    except ValueError:
        return word, False
    alone = network.prefixlen == network.max_prefixlen
    return str(network.network_address if alone else network), True


def _ban_wide(words: _Words) -> Ban:
    who, is_address = _whom(words)
    if not is_address:
        raise _WrongError(f"{quote(who)} is not an address")
    return Ban(who, is_address, words.duration(), words.text(_WHY), wide=True)


def _tell(words: _Words) -> TellPlayers:
    name = words.one("the name")
    return TellPlayers(None if name == EVERYBODY else name, words.text("the text"))


def _all(words: _Words) -> bool:
    word = words.some()
    if word not in ("", EVERYBODY):
        raise _WrongError(f"{quote(word)} is not {EVERYBODY}")
    return bool(word)


_READERS: Mapping[str, Callable[[_Words], Asked]] = {
    "status": lambda _: ServerStatus(),
    "games": lambda words: Games(words.some()),
    "who": lambda words: Who(words.some()),
    "abort": lambda words: Abort(words.number(_GAME), words.text(_WHY)),
    "adjudicate": lambda words: Adjudicate(
        words.number(_GAME), words.choice("the result", _RESULTS), words.text(_WHY)
    ),
    "kick": lambda words: Kick(words.one(_NAME), words.text(_WHY)),
    "ban": lambda words: Ban(*_whom(words), words.duration(), words.text(_WHY)),
    "banwide": _ban_wide,
    "unban": lambda words: Unban(*_whom(words)),
    "tell": _tell,
    "takeback": lambda words: TakeBack(
        words.number(_GAME), words.number("a number of plies"), words.text(_WHY)
    ),
    "givetime": lambda words: GiveTime(
        words.number(_GAME), _side(words), _ms(words), words.text(_WHY)
    ),
    "complaints": lambda words: ListComplaints(_all(words)),
    "settle": lambda words: SettleComplaint(words.number("the number of a complaint")),
    "drain": lambda words: Drain(words.rest()),
}
