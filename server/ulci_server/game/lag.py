"""Lag compensation: the rules by which time lost in the network is given back.

    none        nothing: network time counts as thinking time, as under a match runner
    quota       for every move the round trip that the server measured, from a quota
    equalised   only the excess of a player's round trip over the opponent's, from the same quota

The amount is decided when a side is asked, from the least round trip that the server measured on
its connection, never from a client's claim or an estimate that includes its pauses. A player could
raise that only by answering everything late; the quota bounds the gain.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from ulci.rules import Side

RoundTrips = tuple[float | None, float | None]
"""White's and Black's, in s, as the server measured them; None where nothing could be measured, or
the rule does not need it."""

UNMEASURED: RoundTrips = (None, None)


class LagRule(enum.StrEnum):
    """The rule's name in offers."""

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
    """The quota of a side. full: ms that it has at first, and at most. gain: ms that every move
    adds. A round trip over a satellite takes 600 ms, one over an ocean 200."""

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
        """The sides whose round trips decide the time that White and that Black gets back."""
        self._quota = quota or LagQuota()
        self._left = [self._quota.full, self._quota.full]

    def offer(self, side: Side, trips: RoundTrips) -> int:
        """ms given back to the side for the move that it is now asked for."""
        if self.rule is LagRule.NONE:
            return 0
        lost = trips[side] or 0.0
        if self.rule is LagRule.EQUALISED:
            lost -= trips[side.other] or 0.0
        return max(0, min(int(lost * 1000), self._left[side]))

    def left(self, side: Side) -> int:
        """The most ms that the side can get back for its next move."""
        return 0 if self.rule is LagRule.NONE else self._left[side]

    def take(self, side: Side, given: int) -> None:
        """Take `given` ms from the side's quota, and add the gain of a move."""
        left = self._left[side] - given + self._quota.gain
        self._left[side] = max(0, min(self._quota.full, left))
