"""How long a game waits for players: before it begins, in absences, and after a fixed time."""

import math
from dataclasses import dataclass

from .side_clock import MARGIN
from .time_control import ByoYomi, Control, Correspondence, Hourglass, Limit, Staged


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a game waits for players, in seconds."""

    ready: float = 30.0
    """The wait for ``readyok`` before the game, while engines load networks and tablebases."""
    away: float = 60.0
    """Maximum absence of a disconnected player; less in short games (`grace`). A modem
    needs half a minute to dial again."""
    overshoot: float = MARGIN / 1000
    """The wait for the answer to ``go movetime`` after its time."""


MIN_GRACE = 10.0
"""Minimum grace, in s: reconnecting takes time, however fast the game is."""

AVERAGE_MOVES = 40
"""Moves of a side in an average game, to estimate how long the game takes."""

MAX_FRACTION = 0.2
"""Maximum absence, as a fraction of a side's time for the whole game."""


def grace(control: Control, longest: float) -> float:
    """Seconds that a side may be away: less in a short game, at most `longest`. Infinite in
    correspondence games, where players go away and only the clock counts."""
    if isinstance(control, Correspondence):
        return math.inf
    time = _whole(control)
    return longest if time is None else min(longest, max(MIN_GRACE, time / 1000 * MAX_FRACTION))


def _whole(control: Control) -> int | None:
    """ms that a side may take for a game of `AVERAGE_MOVES` moves; None without a clock."""
    match control:
        case Staged(stages):
            return stages[0].base + AVERAGE_MOVES * stages[0].amount
        case ByoYomi(base, periods, period):
            return base + (periods + AVERAGE_MOVES) * period
        case Hourglass(base):
            return 2 * base
        case Correspondence() | Limit():
            return None
