"""Pairing: the game of two who agree, its colours, and the seeks of players who accept a seek or
want a rematch."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ulci.protocol.messages import Color

from .effects import Pair
from .pool_openings import PoolOpenings
from .pools import Pool
from .profile import Profile
from .roster import Roster
from .seeks import StandingSeek, agreed, pick_start

Key = TypeVar("Key")
Value = TypeVar("Value")

REMEMBERED = 1_000
"""Names and pairs remembered, at 500 bytes a game; the longest unseen are forgotten first."""


class History:
    """Past meetings, so that colours alternate and nobody gets the same opponent twice in a row.
    Kept by name, not by connection: reconnecting does not give the same colour again."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._whites: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._balance: OrderedDict[str, int] = OrderedDict()
        self._last: OrderedDict[str, str] = OrderedDict()

    def met(self, white: str, black: str) -> None:
        """Record a game of these two."""
        self._keep(self._whites, _pair(white, black), white)
        self._keep(self._balance, white, self._balance.get(white, 0) + 1)
        self._keep(self._balance, black, self._balance.get(black, 0) - 1)
        self._keep(self._last, white, black)
        self._keep(self._last, black, white)

    def just_met(self, a: str, b: str) -> bool:
        """Whether each was the other's last opponent."""
        return self._last.get(a) == b and self._last.get(b) == a

    def white_of(self, a: str, b: str) -> str | None:
        """The player who should have White: the one who had Black when they met last, otherwise
        the one who had White less often; None if neither."""
        if (last := self._whites.get(_pair(a, b))) is not None and a != b:
            return b if last == a else a
        difference = self._balance.get(a, 0) - self._balance.get(b, 0)
        return None if difference == 0 else (b if difference > 0 else a)

    def _keep(self, book: OrderedDict[Key, Value], key: Key, value: Value) -> None:
        book[key] = value
        book.move_to_end(key)
        if len(book) > self._remembered:
            book.popitem(last=False)


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


OTHER_COLOR: dict[Color, Color] = {
    "white": "black",
    "black": "white",
    "random": "random",
    "later": "random",
}


def assign_colors(
    first: StandingSeek, second: StandingSeek, history: History, choose: Callable[[int], int]
) -> tuple[Profile, Profile]:
    """The players of White and Black: as they wish, otherwise by `History.white_of`, otherwise by
    chance (`choose(2)`). They must agree."""
    a, b = first.who, second.who
    if first.color == second.color == "random":
        white_name = history.white_of(a.name, b.name)
        a_is_white = choose(2) == 0 if white_name is None else white_name == a.name
    else:
        a_is_white = first.color == "white" or second.color == "black"
    return (a, b) if a_is_white else (b, a)


def answer(number: int, who: Profile, seek: StandingSeek) -> StandingSeek:
    """The seek of a player who accepts another's as it is."""
    return replace(
        seek,
        id=number,
        who=who,
        color=OTHER_COLOR[seek.color],
        against="any",
        flexible=True,
        auto=False,
        level=None,
        range=None,
    )


def rematch_seek(
    number: int, who: Profile, last: Pair, pool: Pool | None, *, of_book: bool = False
) -> StandingSeek:
    """The seek of a player for a rematch, with the other colour and the same pool rules: from a
    newly drawn start of the pool if the last one was its own, otherwise from the same start.
    `of_book`: that was an opening of the pool's book."""
    agreement = last.agreement
    starts: Sequence[str | None] = (agreement.start,)
    if pool is not None and (of_book or agreement.start in pool.starts):
        starts = pool.starts
    return StandingSeek(
        id=number,
        who=who,
        game=agreement.game,
        control=agreement.control,
        starts=starts,
        pool=agreement.pool,
        color="black" if last.white == who.handle else "white",
        rated=agreement.rated,
        pool_rules=agreement.pool_rules,
        self_play=True,
        level=agreement.level,
    )


class Pairing:
    """Makes the games. `closed`: why no game begins, for players; empty if games begin. `choose`:
    as in `Lobby`."""

    def __init__(
        self, roster: Roster, choose: Callable[[int], int], pools: Mapping[str, Pool]
    ) -> None:
        self.history = History()
        self.openings = PoolOpenings(pools)
        self.closed = ""
        self._roster = roster
        self._choose = choose

    def pair(self, first: StandingSeek, second: StandingSeek) -> Pair:
        """The game of two who agree, with its colours, and its start or opening."""
        agreement = agreed(first, second, pick_start(first, second, self._choose))
        white, black = assign_colors(first, second, self.history, self._choose)
        opening = self.openings.of((first, second), agreement.pool, white, black)
        if opening is not None:
            agreement = replace(agreement, start=opening.start, opening=opening.moves)
        self.history.met(white.name, black.name)
        pair = Pair(white.handle, black.handle, agreement)
        for seek, other in ((first, second), (second, first)):
            member = self._roster[seek.who.handle]
            member.playing, member.last, member.vain_waits = True, pair, 0
            member.alone = member.alone and other.who.of_server
        return pair
