"""Kinds of time: how long a game takes by its time control."""

from typing import Literal

from .scanner import ControlError
from .time_control import ByoYomi, Control, Controls, Correspondence, Hourglass, Stage, Staged

Speed = Literal["bullet", "blitz", "rapid", "classical", "correspondence", "unclocked"]

MOVES = 60
"""Moves of a side by which FIDE classifies a time control (Laws of Chess, appendices A and B)."""

_MINUTE = 60_000

BULLET, BLITZ, RAPID = 3 * _MINUTE, 10 * _MINUTE, 60 * _MINUTE
"""In ms. Below 3 minutes is bullet; FIDE calls up to 10 minutes blitz, and below 60 rapid."""


def speed_of(control: str) -> Speed:
    """The kind of time of a control in its notation; at odds, of the side with more time."""
    try:
        controls = Controls.parse(control)
    except ControlError:  # a notation of another version
        return "unclocked"
    both = controls.white, controls.black
    if any(isinstance(one, Correspondence) for one in both):
        return "correspondence"
    known = [time for time in map(_whole, both) if time is not None]
    if not known:
        return "unclocked"
    longest = max(known)
    if longest < BULLET:
        return "bullet"
    return "blitz" if longest <= BLITZ else "rapid" if longest < RAPID else "classical"


def _whole(control: Control) -> int | None:
    """ms of a side for `MOVES` moves; None without a clock."""
    match control:
        case Staged(stages):
            return _staged(stages)
        case ByoYomi(base, periods, period):
            return base + (periods + MOVES) * period
        case Hourglass(base):
            return 2 * base
        case _:
            return None


def _staged(stages: tuple[Stage, ...]) -> int:
    time, left = 0, MOVES
    for stage in stages:
        if left > 0:
            moves = left if stage.moves is None else min(stage.moves, left)
            time, left = time + stage.base + moves * stage.amount, left - moves
    last = stages[-1]
    while left > 0 and last.moves is not None:  # it repeats
        moves = min(last.moves, left)
        time, left = time + last.base + moves * last.amount, left - moves
    return time
