"""Who is away, and until when may each come back?"""

import math
from dataclasses import dataclass

from ulci.rules.outcome import Side


@dataclass(frozen=True, slots=True)
class Absence:
    """A side is gone: it may come back until `until` (seconds), after that `why` it lost."""

    until: float
    why: str


class Presence:
    """Both sides' absences. `grace` is how many seconds White and Black may stay away."""

    def __init__(self, grace: tuple[float, float]) -> None:
        self._grace = grace
        self._gone: dict[Side, Absence] = {}

    @property
    def absent(self) -> tuple[Side, ...]:
        return tuple(self._gone)

    def here(self, side: Side) -> bool:
        return side not in self._gone

    def grace(self, side: Side) -> float:
        """Seconds the side may stay away; infinite if only its clock counts."""
        return self._grace[side]

    def why(self, side: Side) -> str:
        """Why an absent side does not come back any more."""
        return self._gone[side].why

    def away(self, side: Side, at: float) -> None:
        """The side lost its line and may come back within its grace."""
        grace = self._grace[side]
        self._gone[side] = Absence(at + grace, f"did not come back within {grace:g} s")

    def left(self, side: Side, at: float, why: str) -> None:
        """The side is gone for good: there is no grace."""
        self._gone[side] = Absence(at, f"left: {why}")

    def back(self, side: Side) -> None:
        self._gone.pop(side, None)

    def deadline(self, *, clock_decides: bool) -> float:
        """When the absence of one, or of both, ends the game.

        If both are gone the clock decides, if there is one; otherwise the last grace does.
        """
        if not self._gone:
            return math.inf
        if len(self._gone) == 2 and clock_decides:
            return math.inf
        return max(absence.until for absence in self._gone.values())
