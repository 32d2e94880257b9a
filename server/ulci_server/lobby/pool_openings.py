"""From which openings of a pool's book the games of two players begin.

Openings favour one side, so two players who meet again have the same one with colours swapped, and
then a new one.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from .pools import Pool, PoolOpening
from .profile import Profile
from .seeks import Agreement, StandingSeek, wanted_starts

REMEMBERED = 1_000
"""Pairs of players whose last opening is known, at up to 5 kB; the longest unseen are forgotten
first."""

MOST_TRIES = 8
"""Openings that are drawn for two programs, one of which cannot play them, until the game begins
from a usual start."""


@dataclass(frozen=True, slots=True)
class _Last:
    """The last opening of two players. `open`: its game with colours swapped is still to come."""

    opening: PoolOpening
    white: str
    open: bool


class PoolOpenings:
    """The openings of `pools`, by their names."""

    def __init__(self, pools: Mapping[str, Pool], remembered: int = REMEMBERED) -> None:
        self._pools = pools
        self._remembered = remembered
        self._last: OrderedDict[tuple[str, str, str], _Last] = OrderedDict()

    def of(
        self, seeks: tuple[StandingSeek, StandingSeek], pool: str, white: Profile, black: Profile
    ) -> PoolOpening | None:
        """The opening of their game in that pool; None: it begins from the start that they agreed
        on, as one of them requests it, or the pool has no book."""
        known = self._pools.get(pool)
        if known is None or known.openings is None or not _leave_it_to(known, *seeks):
            return None
        key = _key(pool, white.name, black.name)
        last = self._last.get(key)
        if last is not None and last.open and black.name == last.white:
            opening, still_open = last.opening, False
            if not _can_play(known, opening, white, black):
                return None
        else:
            drawn = (known.openings() for _ in range(MOST_TRIES))
            found = next((each for each in drawn if _can_play(known, each, white, black)), None)
            if found is None:
                return None
            opening, still_open = found, True
        self._last[key] = _Last(opening, white.name, still_open)
        self._last.move_to_end(key)
        if len(self._last) > self._remembered:
            self._last.popitem(last=False)
        return opening

    def gave(self, agreement: Agreement, white: str, black: str) -> bool:
        """Whether the last game of these two, by name, began from an opening of its pool's book."""
        last = self._last.get(_key(agreement.pool, white, black))
        if last is None:
            return False
        return (last.opening.start, last.opening.moves) == (agreement.start, agreement.opening)


def _leave_it_to(pool: Pool, first: StandingSeek, second: StandingSeek) -> bool:
    """Whether both would begin as that pool has it: one may be of another pool, if it plays as the
    other one asks."""
    if first.pool != second.pool and first.flexible == second.flexible:
        return False
    return wanted_starts(first, second) is pool.starts


def _can_play(pool: Pool, opening: PoolOpening, *players: Profile) -> bool:
    needs = pool.game.needs(opening.start)
    return not any(who.lacks(needs) for who in players)


def _key(pool: str, one: str, other: str) -> tuple[str, str, str]:
    return (pool, min(one, other), max(one, other))
