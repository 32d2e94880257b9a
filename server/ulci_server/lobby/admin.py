"""What may those say who look after the server? ``admin WORD …``, from words to what is asked for.

The answers are lines too: ``lobby admin KEY VALUE …`` as many as there are, then ``lobby admin
done``; or a ``lobby error`` and nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network

from ulci.protocol.messages import Lobby
from ulci.protocol.text import number_in, plain, quote
from ulci.rules.outcome import Side

from . import lines
from .spans import NO_SPAN, seconds_untrusted
from .terms import Refusal

EVERYBODY = "all"
"""Whom to tell something, if not one player."""

FOREVER = "forever"
"""How long a ban lasts that has no end. It must be said: a reason may begin with any word, and a
mistyped span of time would be taken for one."""

LONGEST_GIFT = 86_400
"""Seconds that may be given at once: more than a day is a slip."""


@dataclass(frozen=True, slots=True)
class Status:
    """Say how long the server has been up, and how much it has to do."""


@dataclass(frozen=True, slots=True)
class Games:
    """List the games that are played; with a `text`, those of that number or of such players."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Who:
    """List who is here, and from where; with a `text`, those in whose name or address it is."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Abort:
    """End it without a result."""

    game: int
    why: str


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """End it with this result; `winner` None is a draw."""

    game: int
    winner: Side | None
    why: str


@dataclass(frozen=True, slots=True)
class Kick:
    """Cut the player's connection."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Ban:
    """Let a name, or an address or network (`is_address`), in no more, for so many `seconds`
    (None: for ever); who is here is cut off. `wide`: also if that is more people than is usual."""

    who: str
    is_address: bool
    seconds: int | None
    why: str
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Unban:
    """Let them in again."""

    who: str
    is_address: bool


@dataclass(frozen=True, slots=True)
class Tell:
    """Say it to one player, or to everybody (`name` None)."""

    name: str | None
    text: str


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back so many plies, without asking the players."""

    game: int
    plies: int
    why: str


@dataclass(frozen=True, slots=True)
class GiveTime:
    """Give a side's clock so many `ms` more."""

    game: int
    side: Side
    ms: int
    why: str


Asked = Status | Games | Who | Abort | Adjudicate | Kick | Ban | Unban | Tell | TakeBack | GiveTime

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
}


def answer(key: str, *values: str) -> Lobby:
    """``lobby admin KEY VALUE …``."""
    return Lobby(("admin", key, *values))


DONE = answer("done")
"""The last line of an answer."""


def read_untrusted(words: Sequence[str]) -> Asked:
    """What is asked for by the words behind ``admin``.

    Raises:
        Refusal: they are no such word, or not used so; the text says how.
    """
    word, *rest = words or ("",)
    if word not in USAGE:
        known = " ".join(USAGE)
        said = f"{quote(word)} is not a word of admins" if word else "say what to do"
        raise Refusal("admin-usage", f"{said}; there are: {known}")
    left = _Words(rest)
    try:
        asked = _READERS[word](left)
        left.end()
    except _WrongError as wrong:
        raise Refusal("admin-usage", f"{wrong}; use: admin {USAGE[word]}") from None
    return asked


class _WrongError(Exception):
    """What is wrong with the words; how the word is used is added where it is caught."""


class _Words:
    """The words behind the first, taken one by one."""

    def __init__(self, words: Sequence[str]) -> None:
        self._left = list(words)

    def one(self, what: str) -> str:
        if not self._left:
            raise _WrongError(f"it does not say {what}")
        if not self._left[0].isprintable():
            raise _WrongError(f"{quote(self._left[0])} is not fit to be printed")
        return self._left.pop(0)

    def some(self) -> str:
        """The next one; empty if there is none."""
        return self.one("") if self._left else ""

    def number(self, what: str) -> int:
        word = self.one(what)
        if (number := number_in(word, 1)) is None:
            raise _WrongError(f"{quote(word)} is not {what}")
        return number

    def choice(self, what: str, choices: Mapping[str, Side | None]) -> Side | None:
        word = self.one(what)
        if word not in choices:
            raise _WrongError(f"{quote(word)} is none of {', '.join(choices)}")
        return choices[word]

    def text(self, what: str) -> str:
        """All that is left: it is kept in the record and told to the players."""
        text = plain(" ".join(self._left))
        self._left.clear()
        if not text:
            raise _WrongError(f"it does not say {what}")
        return text

    def duration(self) -> int | None:
        """``30m`` in s; None is for ever."""
        word = self.one("how long")
        seconds = seconds_untrusted(word)
        if seconds is None and word != FOREVER:
            raise _WrongError(f"{quote(word)} {NO_SPAN}, or {FOREVER}")
        return seconds

    def end(self) -> None:
        if self._left:
            raise _WrongError(f"{quote(self._left[0])} is one word too many")


_SECONDS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?")

_RESULTS: Mapping[str, Side | None] = {"1-0": Side.WHITE, "0-1": Side.BLACK, "1/2-1/2": None}

_GAME = "the number of a game"
_NAME = "whose name"
_WHY = "why"


def _side(words: _Words) -> Side:
    side = words.choice("which side", {side.word: side for side in Side})
    assert side is not None
    return side


def _ms(words: _Words) -> int:
    word = words.one("how many seconds")
    ms = round(float(word) * 1000) if _SECONDS.fullmatch(word) else 0
    if not 0 < ms <= LONGEST_GIFT * 1000:
        raise _WrongError(f"{quote(word)} is no number of seconds up to {LONGEST_GIFT}")
    return ms


def _whom(words: _Words) -> tuple[str, bool]:
    """A name, or an address or network in the one way in which it is compared."""
    word = words.one("whom")
    try:
        network = ip_network(word, strict=False)
    except ValueError:
        return word, False
    alone = network.prefixlen == network.max_prefixlen
    return str(network.network_address if alone else network), True


def _ban_wide(words: _Words) -> Ban:
    who, is_address = _whom(words)
    if not is_address:
        raise _WrongError(f"{quote(who)} is no address")
    return Ban(who, is_address, words.duration(), words.text(_WHY), wide=True)


def _tell(words: _Words) -> Tell:
    name = words.one("whom")
    return Tell(None if name == EVERYBODY else name, words.text("what"))


_READERS: Mapping[str, Callable[[_Words], Asked]] = {
    "status": lambda _: Status(),
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
        words.number(_GAME), words.number("how many plies"), words.text(_WHY)
    ),
    "givetime": lambda words: GiveTime(
        words.number(_GAME), _side(words), _ms(words), words.text(_WHY)
    ),
}


def refused(code: str, text: str) -> Lobby:
    """Why what was asked for cannot be done; nothing follows."""
    return lines.error(code, text)
