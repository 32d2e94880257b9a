"""Counts of games and of pairs of games, always from the view of the first of two engines.

The two games of a pair have the same opening, with colours swapped. Their results depend on each
other, as an opening may favour one colour: errors that are computed from single games are too
large (Michel Van den Bergh, "A practical introduction to the GSPRT"). So pairs are counted by the
points that they brought, from 0 to 2 in five steps.
"""

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field
from typing import Literal

Points = Literal[0, 1, 2]
"""The points of one game, in half points: lost, drawn, won."""


@dataclass(frozen=True, slots=True)
class Trinomial:
    """Games, by their result."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @staticmethod
    def of(games: Iterable[Points]) -> "Trinomial":
        counted = [0, 0, 0]
        for points in games:
            counted[points] += 1
        losses, draws, wins = counted
        return Trinomial(wins, losses, draws)

    def __add__(self, other: "Trinomial") -> "Trinomial":
        return Trinomial(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def reversed(self) -> "Trinomial":
        """These games as the opponent sees them."""
        return Trinomial(self.losses, self.wins, self.draws)

    @property
    def counts(self) -> tuple[int, int, int]:
        """From the fewest points to the most."""
        return self.losses, self.draws, self.wins

    @property
    def total(self) -> int:
        return self.wins + self.losses + self.draws

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points a game; nan without games."""
        return ratio(self.points, self.total)

    @property
    def draw_ratio(self) -> float:
        """Draws a game; nan without games."""
        return ratio(self.draws, self.total)


@dataclass(frozen=True, slots=True)
class Pentanomial:
    """Pairs, by the results of their two games: ``wl`` is a win and a loss, in either order."""

    ll: int = 0
    ld: int = 0
    wl: int = 0
    dd: int = 0
    wd: int = 0
    ww: int = 0

    @staticmethod
    def of(pairs: Iterable[tuple[Points, Points]]) -> "Pentanomial":
        counted = dict.fromkeys(_PAIRS.values(), 0)
        for first, second in pairs:
            counted[_PAIRS[min(first, second), max(first, second)]] += 1
        return Pentanomial(**counted)

    def __add__(self, other: "Pentanomial") -> "Pentanomial":
        return Pentanomial(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def reversed(self) -> "Pentanomial":
        """These pairs as the opponent sees them."""
        return Pentanomial(self.ww, self.wd, self.wl, self.dd, self.ld, self.ll)

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """From the fewest points to the most: 0, 1/2, 1, 1 1/2, 2."""
        return self.ll, self.ld, self.wl + self.dd, self.wd, self.ww

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def draw_ratio(self) -> float:
        """The pairs that brought one point each; nan without pairs."""
        return ratio(self.wl + self.dd, self.total)

    @property
    def pairs_ratio(self) -> float:
        """Pairs won to pairs lost."""
        return ratio(self.ww + self.wd, self.ld + self.ll)

    @property
    def wl_dd_ratio(self) -> float:
        """Of the pairs that brought one point each: a win and a loss, to two draws."""
        return ratio(self.wl, self.dd)


_PAIRS = {(0, 0): "ll", (0, 1): "ld", (0, 2): "wl", (1, 1): "dd", (1, 2): "wd", (2, 2): "ww"}


@dataclass(frozen=True, slots=True)
class Tally:
    """All that two engines have played; `pairs` stays empty if games are not paired."""

    games: Trinomial = field(default_factory=Trinomial)
    pairs: Pentanomial = field(default_factory=Pentanomial)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.games + other.games, self.pairs + other.pairs)

    @property
    def reversed(self) -> "Tally":
        """This count as the opponent sees it."""
        return Tally(self.games.reversed, self.pairs.reversed)

    def counted(self, *, by_pairs: bool) -> Trinomial | Pentanomial:
        """The counts for the figures: those of pairs or of games."""
        return self.pairs if by_pairs else self.games


def ratio(part: float, whole: float) -> float:
    """The quotient of two counts by IEEE 754: infinite if only the divisor is 0, nan for 0/0."""
    if whole:
        return part / whole
    return math.copysign(math.inf, part) if part else math.nan
