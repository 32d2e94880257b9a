"""Lag compensation: the rules by which time lost in the network is given back.

    none        nothing: the clock pays for the way, as over the board of a match runner
    quota       of every move the round trip that the server measured, from a quota
    equalised   only what a player's round trip is longer than the opponent's, from the same quota

What is given is decided when a side is asked, from the least round trip that the server measured
on its line, never from what a client claims nor from an estimate with its pauses in it. A player
could raise that only by answering everything late; the quota bounds what it would win by it.
"""

import enum
from collections.abc import Mapping
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


_MEASURES: Mapping[LagRule, tuple[tuple[Side, ...], tuple[Side, ...]]] = {
    LagRule.NONE: ((), ()),
    LagRule.QUOTA: ((Side.WHITE,), (Side.BLACK,)),
    LagRule.EQUALISED: (tuple(Side), tuple(Side)),
}


@dataclass(frozen=True, slots=True)
class LagQuota:
    """ms that a side has to begin with, which is also the most it can have; ms that every move
    brings back. A line over a satellite takes 600 ms, one over an ocean 200."""

    full: int = 1000
    gain: int = 100


class LagAccount:
    """The lag quota of both sides."""

    __slots__ = (
        "_left",
        "_quota",
        "measures",
        "rule",
    )

    def __init__(self, rule: LagRule = LagRule.NONE, quota: LagQuota | None = None) -> None:
        self.rule = rule
        self.measures = _MEASURES[rule]
        """Whose round trips decide what White and Black are given."""
        self._quota = quota or LagQuota()
        self._left = [self._quota.full, self._quota.full]

    def offer(self, side: Side, trips: RoundTrips) -> int:
        """ms that the side is given for the move it is asked for now."""
        if self.rule is LagRule.NONE:
            return 0
        lost = trips[side] or 0.0
        if self.rule is LagRule.EQUALISED:
            lost -= trips[side.other] or 0.0
        return max(0, min(int(lost * 1000), self._left[side]))

    def left(self, side: Side) -> int:
        """ms that the side can be given at most for its next move."""
        return 0 if self.rule is LagRule.NONE else self._left[side]

    def take(self, side: Side, given: int) -> None:
        """Take `given` ms from the side's quota, and add what a move brings back."""
        left = self._left[side] - given + self._quota.gain
        self._left[side] = max(0, min(self._quota.full, left))
