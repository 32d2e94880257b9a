"""How near in rating two players who wait in a pool must be: the longer one waits, the less.

This limits only two players whose ratings in the pool are known and sure. A player without a
rating, or with a new one, meets anybody: a rating comes from games.
"""

import math
from collections.abc import Sequence

from .profile import KnownRating, Profile
from .seeks import StandingSeek

STEPS: Sequence[tuple[float, float]] = ((2.0, 150.0), (2.0, 400.0))
"""For so many seconds only opponents who are so near in Elo, then for the next. After the last one
anybody: nobody shall wait for longer while somebody is free."""

NEAR = 50.0
"""Elo that make no difference: of two who are so near, the one who has waited longer is first."""


class Nearness:
    """Of the open seeks, by their numbers."""

    def __init__(self) -> None:
        self._steps: dict[int, int] = {}

    def begin(self, seek: StandingSeek) -> None:
        """The seek is open from now on."""
        picky = seek.auto and _sure(seek.who, seek.pool) is not None
        self._steps[seek.id] = 0 if picky else len(STEPS)

    def end(self, number: int) -> None:
        """The seek is open no more."""
        self._steps.pop(number, None)

    def due(self, number: int) -> float | None:
        """Seconds from the last step until the seek is to be `widen`ed; None: never."""
        step = self._steps.get(number, len(STEPS))
        return STEPS[step][0] if step < len(STEPS) else None

    def widen(self, number: int) -> None:
        """The seek has waited for so long."""
        if self.due(number) is not None:
            self._steps[number] += 1

    def take_any(self, number: int) -> None:
        """How long the seek has waited is not known."""
        self._steps[number] = len(STEPS)

    def refuses(self, waiting: StandingSeek, seek: StandingSeek) -> bool:
        """Whether these two should still wait for others who are nearer. `seek` may be new."""
        if not (waiting.auto and seek.auto):
            return False
        distance = _apart(waiting, seek)
        return distance is not None and distance > max(self._most(waiting.id), self._most(seek.id))

    def _most(self, number: int) -> float:
        step = self._steps.get(number, 0)
        return STEPS[step][1] if step < len(STEPS) else math.inf


def rank(waiting: StandingSeek, seek: StandingSeek) -> int:
    """Of several who wait, the lowest is the nearest."""
    distance = _apart(waiting, seek)
    return 0 if distance is None else int(distance / NEAR)


def _apart(one: StandingSeek, other: StandingSeek) -> float | None:
    """The distance in Elo; None: a rating is unknown or not sure."""
    mine, theirs = _sure(one.who, one.pool), _sure(other.who, other.pool)
    if mine is None or theirs is None:
        return None
    return abs(mine.rating - theirs.rating)


def _sure(who: Profile, pool: str) -> KnownRating | None:
    known = who.ratings.get(pool)
    return None if known is None or known.is_provisional else known
