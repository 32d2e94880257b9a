"""The first difference between what a server said and what it says in a replay."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .tape import TapeEvent


@dataclass(frozen=True, slots=True)
class Difference:
    """The first line that is not the same; None where one side has no line."""

    at: float
    who: str
    expected: str | None
    got: str | None

    def __str__(self) -> str:
        lines = (f"  expected  {_shown(self.expected)}", f"  got       {_shown(self.got)}")
        return "\n".join((f"connection {self.who} at {self.at:.6f} s:", *lines))


def _shown(line: str | None) -> str:
    return "nothing" if line is None else line


def first_difference(
    expected: Sequence[TapeEvent],
    said: Mapping[str, Sequence[TapeEvent]],
    cut_short_at: float = math.inf,
) -> Difference | None:
    """The earliest; of each connection the lines are compared in their order. More than expected
    may be said from `cut_short_at` on, s."""
    wanted: defaultdict[str, list[TapeEvent]] = defaultdict(list)
    for event in expected:
        wanted[event.who].append(event)
    found = [
        difference
        for who in dict.fromkeys((*wanted, *said))
        if (difference := _differs(who, wanted[who], said.get(who, ()))) is not None
        and not (difference.expected is None and difference.at >= cut_short_at)
    ]
    return min(found, key=lambda difference: difference.at, default=None)


def _differs(who: str, wanted: Sequence[TapeEvent], said: Sequence[TapeEvent]) -> Difference | None:
    for one, other in zip(wanted, said, strict=False):
        if one.rest != other.rest:
            return Difference(one.at, who, one.rest, other.rest)
    both = min(len(wanted), len(said))
    if len(wanted) > both:
        return Difference(wanted[both].at, who, wanted[both].rest, None)
    if len(said) > both:
        return Difference(said[both].at, who, None, said[both].rest)
    return None
