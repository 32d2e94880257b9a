"""The rank table of three engines or more, each against all its opponents."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .counts import Tally
from .estimate import Estimate, estimate


@dataclass(frozen=True, slots=True)
class Standing:
    """A row; the first rank is 1."""

    rank: int
    name: str
    tally: Tally
    estimate: Estimate


def standings(tallies: Mapping[str, Tally], *, by_pairs: bool) -> list[Standing]:
    """The strongest engine first. Engines of whom nothing is known come last, in their order."""
    rows = [
        (name, tally, estimate(tally.counted(by_pairs=by_pairs))) for name, tally in tallies.items()
    ]
    rows.sort(key=lambda row: math.inf if math.isnan(row[2].elo) else -row[2].elo)
    return [Standing(rank, *row) for rank, row in enumerate(rows, 1)]
