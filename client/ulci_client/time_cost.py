"""What a time control costs: its kind, seconds at first and per move. Pure.

The notation is the server's (``300+3``, ``40/5400+30:900+30``, ``600/5x30``, ``60h``, ``3days``,
``depth=8``, ``inf``, and odds as ``WHITE|BLACK``).
"""

import re
from dataclasses import dataclass
from typing import Literal

ClockKind = Literal["clock", "days", "limit", "unlimited"]
"""A clock; days per move; a limit of the search (movetime, depth, nodes, mate); none."""

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_STAGE = re.compile(rf"(?:[0-9]+/)?(?P<base>{_NUMBER})(?:[+db](?P<bonus>{_NUMBER}))?")
_BYO_YOMI = re.compile(rf"(?P<base>{_NUMBER})/[0-9]+x(?P<bonus>{_NUMBER})")
_HOURGLASS = re.compile(rf"(?P<base>{_NUMBER})h")
_DAYS = re.compile(r"(?P<days>[0-9]+)days?")
_LIMIT = re.compile(r"(?:movetime|depth|nodes|mate)=[0-9]+")


@dataclass(frozen=True, slots=True)
class Cost:
    """`base`: seconds on the clock at first, of the first stage. `bonus`: seconds per move
    (increment, delay, a period of byo-yomi), of the stage that gives most."""

    kind: ClockKind
    base: float = 0.0
    bonus: float = 0.0


def costs_untrusted(text: str) -> tuple[Cost, ...]:
    """One side's cost or, with odds, both; empty if the notation is unknown: a newer server's."""
    costs = [_cost(side) for side in text.split("|")]
    return tuple(cost for cost in costs if cost is not None) if None not in costs else ()


def _cost(text: str) -> Cost | None:
    if text == "inf":
        return Cost("unlimited")
    if _LIMIT.fullmatch(text):
        return Cost("limit")
    if _DAYS.fullmatch(text):
        return Cost("days")
    for one in (_BYO_YOMI, _HOURGLASS):
        if found := one.fullmatch(text):
            values = found.groupdict()
            return Cost("clock", float(values["base"]), float(values.get("bonus") or 0))
    stages = [_STAGE.fullmatch(stage) for stage in text.split(":")]
    if None in stages:
        return None
    bonus = max(float(stage["bonus"] or 0) for stage in stages if stage is not None)
    assert stages[0] is not None
    return Cost("clock", float(stages[0]["base"]), bonus)
