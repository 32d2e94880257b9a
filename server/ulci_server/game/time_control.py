"""The notation of time controls.

    300+3                 300 s, and 3 s more after every move
    40/300+2              300 s for every 40 moves, again and again
    40/5400+30:900+30     stages; the last repeats if it has a number of moves
    60d2  60b2            2 s before the clock runs; up to 2 s given back after the move
    600/5x30              byo-yomi: when 600 s are gone, five periods of 30 s
    60h                   hourglass: what one side spends the other gains
    3days                 correspondence: three days for every move
    movetime=1000         ms a move;  depth=8  nodes=10000  mate=3  inf: no clock
    300+3|60+1            odds: White's, then Black's

Times are written in seconds with at most three decimals, and kept in whole milliseconds. The
notation has no blanks: it is one word of a line.

A new kind runs in `side_clock`, has a length in `timeouts` and a tag in `storage.export.tags`;
`ulci_client.time_cost` reads the notation for clients.
"""

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ulci.rules import Side

from .scanner import ControlError, Number, Scanner, spell_seconds

DAY = 86_400_000
"""A day in ms."""

LONGEST_TIME = 24 * DAY
"""The longest time on a clock in ms: engines keep it in 32 bits, which hold 24.8 days."""

LONGEST_BONUS = DAY
"""The longest increment, delay or period in ms: more is days, not seconds."""

MOST_STAGES = 8
"""FIDE and national federations use three at most; more than eight is a mistake."""

MOST_MOVES = 1000
"""The most moves of a session: more than any game has in which the number matters."""

MOST_PERIODS = 100
"""Byo-yomi periods: the longest title matches have ten."""

LIMITS: dict[str, int] = {
    "movetime": LONGEST_TIME,
    "depth": 1000,
    "nodes": 10**15,
    "mate": 1000,
}
"""The limits of ``go`` other than a clock, and the maximum of each: a 64-bit number of nodes, and
depths and distances to mate that no program reaches."""

LimitName = Literal["movetime", "depth", "nodes", "mate", "infinite"]


class Bonus(enum.Enum):
    """The bonus for a move; the value is its sign in the notation."""

    FISCHER = "+"
    """The whole amount after every move: time can be saved up."""
    DELAY = "d"
    """The clock waits that long before it runs (US delay)."""
    BRONSTEIN = "b"
    """The time spent, at most the amount, is given back after the move."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A session: `base` ms for `moves` moves (None: for the rest), `amount` ms of bonus."""

    base: int
    amount: int = 0
    bonus: Bonus = Bonus.FISCHER
    moves: int | None = None

    def __str__(self) -> str:
        moves = "" if self.moves is None else f"{self.moves}/"
        bonus = f"{self.bonus.value}{spell_seconds(self.amount)}" if self.amount else ""
        return f"{moves}{spell_seconds(self.base)}{bonus}"


@dataclass(frozen=True, slots=True)
class Staged:
    """A clock with a bank of time. All stages but the last have a number of moves."""

    stages: tuple[Stage, ...]

    def __str__(self) -> str:
        return ":".join(map(str, self.stages))


@dataclass(frozen=True, slots=True)
class ByoYomi:
    """`base` ms, then `periods` of `period` ms; a period is lost only when it is used up."""

    base: int
    periods: int
    period: int

    def __str__(self) -> str:
        return f"{spell_seconds(self.base)}/{self.periods}x{spell_seconds(self.period)}"


@dataclass(frozen=True, slots=True)
class Hourglass:
    """`base` ms, and all time that the opponent spends."""

    base: int

    def __str__(self) -> str:
        return f"{spell_seconds(self.base)}h"


@dataclass(frozen=True, slots=True)
class Correspondence:
    """`days` for every move."""

    days: int

    def __str__(self) -> str:
        return f"{self.days}day{'s' if self.days > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Limit:
    """No clock, but a limit in ``go``. `amount` is ms for movetime, 1 for infinite."""

    name: LimitName
    amount: int = 1

    def __str__(self) -> str:
        return "inf" if self.name == "infinite" else f"{self.name}={self.amount}"


Control = Staged | ByoYomi | Hourglass | Correspondence | Limit


@dataclass(frozen=True, slots=True)
class Controls:
    """The time control of a game, White's and Black's."""

    white: Control
    black: Control

    @staticmethod
    def parse(text: str) -> "Controls":
        """Read the notation at the head of this module.

        Raises:
            ControlError: names the column, the text there, and what was expected.
        """
        return _parsed(text)

    @property
    def halves(self) -> bool:
        """Whether both sides may halve their time (berserk)."""
        return isinstance(self.white, Staged) and isinstance(self.black, Staged)

    def __getitem__(self, side: Side) -> Control:
        return (self.white, self.black)[side]

    def __str__(self) -> str:
        return _spelled(self)


@lru_cache(maxsize=256)  # a pool's control is read and spelled for each of its games
def _parsed(text: str) -> Controls:
    scan = Scanner(text)
    white = _side(scan)
    black = white
    odds = scan.take(_ODDS) is not None
    if odds:
        column = scan.column
        black = _side(scan)
        if isinstance(white, Hourglass) is not isinstance(black, Hourglass):
            raise scan.fail("an hourglass for both sides, or for neither", column)
    if not scan.ended:
        raise scan.fail(_after(black, odds=odds))
    return Controls(white, black)


@lru_cache(maxsize=256)
def _spelled(controls: Controls) -> str:
    if controls.white == controls.black:
        return str(controls.white)
    return f"{controls.white}|{controls.black}"


# The grammar. The text after the first number decides the kind.

_ODDS = re.compile(r"\|")
_NEXT = re.compile(":")
_SLASH = re.compile("/")
_WORD = re.compile("[A-Za-z]+")
_EQUALS = re.compile("=")
_BONUS = re.compile("[+db]")
_TIMES = re.compile("x")
_PERIODS = re.compile(r"/(?=[0-9.]+x)")
_DAYS = re.compile("days?")
_HOURGLASS = re.compile("h")

_A_TIME = "a time in seconds"
_FIRST = f"{_A_TIME}, a number of moves and '/', inf, or one of {'=, '.join(LIMITS)}="


def _after(control: Control, *, odds: bool) -> str:
    """What may follow the control, for an error. odds: it is Black's control of two."""
    more = []
    if isinstance(control, Staged):
        last = control.stages[-1]
        if not last.amount:
            more.append(f"'+', 'd' or 'b' and {_A_TIME}")
        if last.moves is not None:
            more.append("':' and the next stage")
    if not odds:
        more.append("'|' and Black's control")
    return ", ".join([*more, "or the end"]) if more else "the end"


def _side(scan: Scanner) -> Control:
    word = scan.take(_WORD)
    if word is not None:
        return _limit(scan, word)
    first = scan.number(_FIRST)
    for pattern, make in _KINDS:
        if scan.take(pattern):
            return make(scan, first)
    return _staged(scan, first)


def _limit(scan: Scanner, word: str) -> Limit:
    if word == "inf":
        return Limit("infinite")
    for name in ("movetime", "depth", "nodes", "mate"):
        if word == name:
            if not scan.take(_EQUALS):
                raise scan.fail("'=' and a number")
            what = f"{name}" + (" in ms" if name == "movetime" else "")
            return Limit(name, scan.number(what).whole(what, 1, LIMITS[name]))
    raise scan.fail(_FIRST, scan.column - len(word))


def _byo_yomi(scan: Scanner, first: Number) -> ByoYomi:
    periods = scan.number("a number of periods").whole("the periods", 1, MOST_PERIODS)
    scan.take(_TIMES)
    period = scan.number("the time of a period in seconds")
    return ByoYomi(
        first.milliseconds("the time before byo-yomi", 0, LONGEST_TIME),
        periods,
        period.milliseconds("the time of a period", 1, LONGEST_BONUS),
    )


def _hourglass(_: Scanner, first: Number) -> Hourglass:
    return Hourglass(first.milliseconds("the time of an hourglass", 1, LONGEST_TIME))


def _correspondence(_: Scanner, first: Number) -> Correspondence:
    return Correspondence(first.whole("the days for a move", 1, LONGEST_TIME // DAY))


def _staged(scan: Scanner, first: Number) -> Staged:
    stages = [_stage(scan, first, 0)]
    while scan.take(_NEXT):
        column = scan.column - 1
        if stages[-1].moves is None:
            raise scan.fail("the end: only the last stage may be without a number of moves", column)
        if len(stages) == MOST_STAGES:
            raise scan.fail(f"the end: there are at most {MOST_STAGES} stages", column)
        stages.append(_stage(scan, scan.number("the next stage"), len(stages)))
    return Staged(tuple(stages))


def _stage(scan: Scanner, first: Number, index: int) -> Stage:
    moves = None
    base = first
    if scan.take(_SLASH):
        moves = first.whole("the moves of a session", 1, MOST_MOVES)
        base = scan.number(_A_TIME)
    bonus, amount = Bonus.FISCHER, 0
    if sign := scan.take(_BONUS):
        bonus = Bonus(sign)
        amount = scan.number(_A_TIME).milliseconds("the time", 0, LONGEST_BONUS)
    # Without a bank there must be other time: a delay, or the rest of earlier stages.
    may_be_empty = amount > 0 and (index > 0 or bonus is Bonus.DELAY)
    least, what = (0, "the time of a stage") if may_be_empty else (1, "a time above 0")
    time = base.milliseconds(what, least, LONGEST_TIME)
    return Stage(time, amount, bonus if amount else Bonus.FISCHER, moves)


_KINDS: tuple[tuple[re.Pattern[str], Callable[[Scanner, Number], Control]], ...] = (
    (_PERIODS, _byo_yomi),
    (_HOURGLASS, _hourglass),
    (_DAYS, _correspondence),
)

__all__ = [
    "Bonus",
    "ByoYomi",
    "Control",
    "ControlError",
    "Controls",
    "Correspondence",
    "Hourglass",
    "Limit",
    "LimitName",
    "Stage",
    "Staged",
]
