"""Absences: which players are away, and until when each may come back."""

import math
from dataclasses import dataclass

from ulci.rules import Side

TRIES = 3
"""Grace periods in a row for a player who reconnects and is disconnected again before it is ready:
a bad connection needs several tries, and the opponent must not wait forever."""


@dataclass(slots=True)
class Absence:
    """One absence: from `since`, at most until `until` (both in s); `why` is the reason for the
    loss after that.

    final: the side has left for good. told: the opponent was notified that it may claim the game.
    """

    since: float
    until: float
    why: str
    final: bool = False
    told: bool = False


class Presence:
    """Both sides' absences. graces: the seconds that White and Black may stay away. patient:
    whether each side decides itself, by a claim, what follows when the opponent's grace is over."""

    __slots__ = (
        "_grace",
        "_patient",
        "gone",
    )

    def __init__(
        self, graces: tuple[float, float], patient: tuple[bool, bool] = (False, False)
    ) -> None:
        self._grace = graces
        self._patient = patient
        self.gone: dict[Side, Absence] = {}

    def here(self, side: Side) -> bool:
        return side not in self.gone

    def grace(self, side: Side) -> float:
        """Seconds the side may stay away; infinite if only its clock counts."""
        return self._grace[side]

    def left_for(self, side: Side, at: float) -> float:
        """Seconds until the opponent of an absent side may claim the game."""
        return max(0.0, self.gone[side].until - at)

    def stands_until(self, side: Side) -> float:
        """When (s) the clock of a side that a restart disconnected starts: after its grace, or at
        once in correspondence games."""
        absence = self.gone[side]
        return absence.since if math.isinf(absence.until) else absence.until

    def why(self, side: Side) -> str:
        """The reason for the loss of an absent side."""
        return self.gone[side].why

    def away(self, side: Side, at: float) -> None:
        """The side lost its connection and may come back within its grace."""
        seconds = self._grace[side]
        self.gone[side] = Absence(at, at + seconds, f"did not come back within {seconds:g} s")

    def tried(self, side: Side, at: float) -> bool:
        """Renew the grace of a side that reconnected and was disconnected before it was ready, up
        to `TRIES` graces in all. True if this moved the end of its grace."""
        absence, before = self.gone[side], self.gone[side].until
        if not absence.final and not absence.told:
            seconds = self._grace[side]
            absence.until = max(before, min(at + seconds, absence.since + TRIES * seconds))
        return absence.until > before

    def excuse(self, side: Side, late: float) -> None:
        """Extend the grace by `late` seconds, in which nobody could reconnect."""
        absence = self.gone[side]
        if not absence.final:
            absence.until += late

    def left(self, side: Side, at: float, why: str) -> None:
        """The side has left for good: there is no grace."""
        self.gone[side] = Absence(at, at, f"left: {why}", final=True)

    def back(self, side: Side) -> None:
        self.gone.pop(side, None)

    def claimable(self, side: Side, at: float) -> bool:
        """Whether the opponent of an absent side may claim the game at `at`."""
        return side in self.gone and self.gone[side].until <= at

    def tell(self, at: float) -> Side | None:
        """The absent side whose grace is over and whose opponent is to be notified, once, that it
        may claim the game; None if there is none, or the absence ends the game by itself."""
        if len(self.gone) != 1:
            return None
        [(side, absence)] = self.gone.items()
        if not self._patient[side.other] or absence.final or absence.told or absence.until > at:
            return None
        absence.told = True
        return side

    def deadline(self, *, clock_decides: bool) -> float:
        """When (s) an absence ends the game or may be claimed.

        If both are absent the clock decides, if there is one; otherwise the last grace does.
        """
        if not self.gone:
            return math.inf
        if len(self.gone) == 2:
            ends = max(absence.until for absence in self.gone.values())
            return math.inf if clock_decides else ends
        [absence] = self.gone.values()
        return math.inf if absence.told else absence.until
