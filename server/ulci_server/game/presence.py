"""Who is away, and until when may each come back?"""

import math
from dataclasses import dataclass

from ulci.rules.outcome import Side

from .control import ByoYomi, Control, Correspondence, Hourglass, Staged

SHORTEST = 10.0
"""Seconds: to dial again takes some, however fast the game is."""

MOVES = 40
"""Moves by which the length of a game is estimated, as usual with time controls."""

SHARE = 5
"""One so-manieth of a side's time for a whole game may be spent away."""


def grace(control: Control, longest: float) -> float:
    """Seconds that a side may be away: less where the whole game is short, at most `longest`; who
    has days for a move is expected to go away, and only the clock counts."""
    if isinstance(control, Correspondence):
        return math.inf
    time = _whole(control)
    return longest if time is None else min(longest, max(SHORTEST, time / 1000 / SHARE))


def _whole(control: Control) -> int | None:
    """ms that a side may take for a game of `MOVES` moves; None if no clock says."""
    match control:
        case Staged((first, *_)):
            return first.base + MOVES * first.amount
        case ByoYomi(base, periods, period):
            return base + (periods + MOVES) * period
        case Hourglass(base):
            return 2 * base
        case _:
            return None


TRIES = 3
"""Graces that somebody may use up who comes back and loses the line again at once: a bad line needs
more than one try, and an opponent need not wait for ever."""


@dataclass(slots=True)
class Absence:
    """A side is gone since `since`: it may come back until `until` (both seconds), after that `why`
    it lost.

    final: it has left for good. told: its opponent knows that it may claim the game, and decides.
    """

    since: float
    until: float
    why: str
    final: bool = False
    told: bool = False


class Presence:
    """Both sides' absences. `graces` is how many seconds White and Black may stay away, `patient`
    whether each may decide itself what becomes of the other's absence."""

    def __init__(
        self, graces: tuple[float, float], patient: tuple[bool, bool] = (False, False)
    ) -> None:
        self._grace = graces
        self._patient = patient
        self._gone: dict[Side, Absence] = {}

    @property
    def absent(self) -> tuple[Side, ...]:
        return tuple(self._gone)

    def here(self, side: Side) -> bool:
        return side not in self._gone

    def grace(self, side: Side) -> float:
        """Seconds the side may stay away; infinite if only its clock counts."""
        return self._grace[side]

    def left_for(self, side: Side, at: float) -> float:
        """Seconds until the opponent of an absent side may claim the game."""
        return max(0.0, self._gone[side].until - at)

    def stands_until(self, side: Side) -> float:
        """How long the clock of an absent side stands, where it was not its fault that it had to
        go: for its grace, and not at all if it has days to come back."""
        absence = self._gone[side]
        return absence.since if math.isinf(absence.until) else absence.until

    def why(self, side: Side) -> str:
        """Why an absent side does not come back any more."""
        return self._gone[side].why

    def away(self, side: Side, at: float) -> None:
        """The side lost its line and may come back within its grace."""
        seconds = self._grace[side]
        self._gone[side] = Absence(at, at + seconds, f"did not come back within {seconds:g} s")

    def tried(self, side: Side, at: float) -> bool:
        """An absent side came back and lost its line again before it was ready: it is trying, and
        has its grace anew, `TRIES` times altogether at most. Whether it may come back until later
        than before."""
        absence, before = self._gone[side], self._gone[side].until
        if not absence.final and not absence.told:
            seconds = self._grace[side]
            absence.until = min(at + seconds, absence.since + TRIES * seconds)
        return absence.until > before

    def excuse(self, side: Side, late: float) -> None:
        """For `late` seconds nobody could have come back."""
        absence = self._gone[side]
        if not absence.final:
            absence.until += late

    def left(self, side: Side, at: float, why: str) -> None:
        """The side is gone for good: there is no grace."""
        self._gone[side] = Absence(at, at, f"left: {why}", final=True)

    def back(self, side: Side) -> None:
        self._gone.pop(side, None)

    def claimable(self, side: Side, at: float) -> bool:
        """Whether the opponent of an absent side may claim the game by now."""
        return side in self._gone and self._gone[side].until <= at

    def tell(self, at: float) -> Side | None:
        """An absent side whose grace is over, and whose opponent is to be told, once, that the
        game may be claimed; None if the absence ends the game by itself."""
        if len(self._gone) != 1:
            return None
        [(side, absence)] = self._gone.items()
        if not self._patient[side.other] or absence.final or absence.told or absence.until > at:
            return None
        absence.told = True
        return side

    def deadline(self, *, clock_decides: bool) -> float:
        """When the absence of one, or of both, ends the game or may be claimed.

        If both are gone the clock decides, if there is one; otherwise the last grace does.
        """
        if not self._gone:
            return math.inf
        if len(self._gone) == 2:
            ends = max(absence.until for absence in self._gone.values())
            return math.inf if clock_decides else ends
        [absence] = self._gone.values()
        return math.inf if absence.told else absence.until
