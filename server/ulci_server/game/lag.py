"""How much of the time lost in the network is given back? The rules that an offer names.

    none        nothing: the clock pays for the way, as over the board of a match runner
    quota       of every move the round trip that the server measured, from a quota
    equalised   only what a player's round trip is longer than the opponent's, from the same quota

What is given is decided when a side is asked, from the least round trip that the server measured
on its line, never from what a client claims nor from an estimate with its pauses in it. A player
could raise that only by answering everything late; the quota bounds what it would win by it.
"""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ulci.rules.outcome import Side

RoundTrips = tuple[float | None, float | None]
"""White's and Black's, in s, as the server measured them; None where nothing could be measured, or
where nobody needs to know."""

UNMEASURED: RoundTrips = (None, None)


class LagRule(enum.StrEnum):
    """The word by which offers name the rule."""

    NONE = "none"
    QUOTA = "quota"
    EQUALISED = "equalised"

    def measures(self, side: Side) -> tuple[Side, ...]:
        """Whose round trips decide what the side is given."""
        return _MEASURES[self](side)


_MEASURES: Mapping[LagRule, Callable[[Side], tuple[Side, ...]]] = {
    LagRule.NONE: lambda _: (),
    LagRule.QUOTA: lambda side: (side,),
    LagRule.EQUALISED: lambda _: tuple(Side),
}


@dataclass(frozen=True, slots=True)
class LagQuota:
    """ms that a side has to begin with, which is also the most it can have; ms that every move
    brings back. A line over a satellite takes 600 ms, one over an ocean 200."""

    full: int = 1000
    gain: int = 100


class LagAccount:
    """What both sides may still be given back."""

    def __init__(self, rule: LagRule = LagRule.NONE, quota: LagQuota | None = None) -> None:
        self.rule = rule
        self._quota = quota or LagQuota()
        self._left = [self._quota.full, self._quota.full]

    def offer(self, side: Side, trips: RoundTrips) -> int:
        """ms that the side is given for the move it is asked for now."""
        if self.rule is LagRule.NONE:
            return 0
        trip, other = trips[side] or 0.0, trips[side.other] or 0.0
        lost = trip if self.rule is LagRule.QUOTA else trip - other
        return max(0, min(int(lost * 1000), self._left[side]))

    def left(self, side: Side) -> int:
        """ms that the side can be given at most for its next move."""
        return 0 if self.rule is LagRule.NONE else self._left[side]

    def take(self, side: Side, given: int) -> None:
        """The side has moved, and `given` ms were given back."""
        left = self._left[side] - given + self._quota.gain
        self._left[side] = max(0, min(self._quota.full, left))
