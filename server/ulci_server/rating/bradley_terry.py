"""The strengths that best explain all games: a Bradley-Terry fit, as in Ordo and BayesElo.

The expected score of a player who is 400 Elo stronger is ten to one, and a draw is half a win.
Newton's method finds the most likely strengths, one player at a time, from the score of each two
players against each other, so that the number of games does not matter.

Without a prior, a player who has won every game could have any strength, and two groups that never
met could be any distance apart. The prior is a number of drawn games of everybody against an
imaginary player of average strength.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Generic, TypeVar

from .matrix import inverse

SCALE = 400 / math.log(10)
"""Elo of one unit of the logistic scale."""

NORMAL_95 = 1.959963984540054
"""Standard deviations on either side of the mean within which 95 % of a normal distribution lie."""

DEFAULT_PRIOR = 2.0
"""Drawn games, as in BayesElo: 20 real games weigh ten times as much."""

PRECISION = 1e-4
"""Elo by which a strength still changes in the last round."""

MOST_ROUNDS = 2_000
"""Rounds over all players. A field in which everybody met everybody takes ten; in a chain, where
each player met two others, results at one end need many rounds to affect the other."""

MOST_STEP = 2.0
"""The most that a strength changes in one step, on the logistic scale: with games that hold little
information, Newton's method would overshoot."""

MOST_EXACT = 150
"""Players whose errors are computed together, which takes half a second for so many. For more, each
error is computed as if the strengths of all others were known: it is a bit too small."""

Player = TypeVar("Player", bound=Hashable)


class FitError(ValueError):
    """The games do not determine the strengths; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class Met(Generic[Player]):
    """The games of two players: the points of the first one, the number of games, and how many were
    drawn."""

    first: Player
    second: Player
    points: float
    games: int = 1
    draws: int = 0


@dataclass(frozen=True, slots=True)
class Fitted(Generic[Player]):
    """A player's strength in Elo. error: half of the interval that holds it with a confidence of
    95 %, 0 for an anchored player. points: of that many games."""

    player: Player
    elo: float
    error: float
    points: float
    games: int
    is_anchored: bool = False


def fit(
    met: Iterable[Met[Player]],
    anchors: Mapping[Player, float] | None = None,
    *,
    mean: float = 1500.0,
    prior: float = DEFAULT_PRIOR,
) -> list[Fitted[Player]]:
    """The fitted players, the strongest first. Anchored players keep their strength, and the others
    are relative to it; without anchors the strengths have that mean. Two players of equal strength
    come in the order of their first games. Anchors of players without games have no effect.

    Raises:
        FitError: there is no prior, and the games alone do not determine the strengths.
    """
    met = [each for each in met if each.games and each.first != each.second]
    players = [*dict.fromkeys(player for each in met for player in (each.first, each.second))]
    fixed = {player: elo for player, elo in (anchors or {}).items() if player in {*players}}
    center = sum(fixed.values()) / len(fixed) if fixed else mean
    field = _Field(players, met, {p: (elo - center) / SCALE for p, elo in fixed.items()}, prior)
    if not prior:
        field.require_comparable()
    field.solve()
    errors, together = field.errors(), field.mean()
    fitted = [
        Fitted(
            player,
            center + SCALE * (field.strength[index] - together),
            SCALE * NORMAL_95 * errors[index],
            field.points[index],
            field.games[index],
            player in fixed,
        )
        for index, player in enumerate(players)
    ]
    return sorted(fitted, key=lambda each: -each.elo)


class _Field(Generic[Player]):
    """All players, by their place. Strengths are on the logistic scale, where the player of the
    prior is at 0."""

    def __init__(
        self,
        players: Sequence[Player],
        met: Sequence[Met[Player]],
        fixed: Mapping[Player, float],
        prior: float,
    ) -> None:
        place = {player: index for index, player in enumerate(players)}
        self.strength = [fixed.get(player, 0.0) for player in players]
        self.points = [0.0] * len(players)
        self.games = [0] * len(players)
        self._prior = prior
        self._free = [index for index, player in enumerate(players) if player not in fixed]
        self._is_fixed = len(self._free) < len(players)
        self._draws = sum(each.draws for each in met)
        self._against: list[dict[int, int]] = [defaultdict(int) for _ in players]
        self._scored: list[dict[int, float]] = [defaultdict(float) for _ in players]
        for each in met:
            one, two = place[each.first], place[each.second]
            for a, b, points in ((one, two, each.points), (two, one, each.games - each.points)):
                self.points[a] += points
                self.games[a] += each.games
                self._against[a][b] += each.games
                self._scored[a][b] += points

    def require_comparable(self) -> None:
        """Raises `FitError` unless a chain of points leads from everybody to everybody: otherwise
        the most likely distance of two is infinite. Anchored players need no such chain."""
        anchored = {*range(len(self.games))} - {*self._free}
        start = anchored or {0}
        beaten = [{b for b, scored in row.items() if scored} for row in self._scored]
        beaters: list[set[int]] = [set() for _ in beaten]
        for a, those in enumerate(beaten):
            for b in those:
                beaters[b].add(a)
        for step in (beaten, beaters):
            if len(_reached(start, step)) < len(self.games):
                raise FitError("without a prior, everybody must have won and lost points")

    def solve(self) -> None:
        """Improve one player after the other, until no strength changes any more."""
        for _ in range(MOST_ROUNDS):
            moved = max((abs(self._step(index)) for index in self._free), default=0.0)
            if moved * SCALE < PRECISION:
                return

    def _step(self, index: int) -> float:
        strength = self.strength[index]
        expected = information = 0.0
        for other, games in self._against[index].items():
            chance = _chance(strength - self.strength[other])
            expected += games * chance
            information += games * chance * (1 - chance)
        chance = _chance(strength)
        expected += self._prior * chance
        information += self._prior * chance * (1 - chance)
        step = (self.points[index] + self._prior / 2 - expected) / max(information, 1e-12)
        step = min(max(step, -MOST_STEP), MOST_STEP)
        self.strength[index] += step
        return step

    def mean(self) -> float:
        """The mean of all strengths; 0 if anchors fix the strengths."""
        return 0.0 if self._is_fixed or not self.strength else fmean(self.strength)

    # Errors

    def errors(self) -> list[float]:
        """The standard deviation of every strength. Where games are drawn, results vary less than a
        Bradley-Terry model alone would have it: by the share of draws between equals."""
        table = [self._row(index) for index in self._free]
        variances = self._exact(table) if len(table) <= MOST_EXACT else _alone(table)
        less = math.sqrt(1 - self._drawn())
        found = [0.0] * len(self.games)
        for index, variance in zip(self._free, variances, strict=True):
            found[index] = less * math.sqrt(max(variance, 0.0))
        return found

    def _row(self, index: int) -> dict[int, float]:
        """What the games say, of the player and of whom it met: a row of the information."""
        row = {}
        for other, games in self._against[index].items():
            chance = _chance(self.strength[index] - self.strength[other])
            row[other] = -games * chance * (1 - chance)
        chance = _chance(self.strength[index])
        row[index] = self._prior * chance * (1 - chance) - sum(row.values())
        return row

    def _exact(self, table: Sequence[Mapping[int, float]]) -> list[float]:
        """The exact errors, relative to the anchors, or else to the mean of all."""
        size = len(table)
        # Nothing tells where all are together: any value for that is right, as the mean is known.
        floating = 0.0 if self._is_fixed or self._prior else 1.0
        rows = [[row.get(column, 0.0) + floating for column in self._free] for row in table]
        covariance = inverse(rows)
        if self._is_fixed or not size:
            return [covariance[index][index] for index in range(size)]
        sums = [sum(row) / size for row in covariance]
        mean = sum(sums) / size
        return [covariance[index][index] - 2 * sums[index] + mean for index in range(size)]

    def _drawn(self) -> float:
        """The share of draws between equals, as it is rarer between others."""
        chances = 0.0
        for index, row in enumerate(self._against):
            for other, games in row.items():
                chance = _chance(self.strength[index] - self.strength[other])
                chances += games * 4 * chance * (1 - chance) / 2  # each two are here twice
        return min(self._draws / chances, MOST_DRAWN) if chances else 0.0


MOST_DRAWN = 0.96
"""The share of draws from which on a further one makes no error smaller: where all are drawn, the
error would be 0."""


def _alone(table: Sequence[Mapping[int, float]]) -> list[float]:
    """The errors, as if the strengths of all others were known."""
    return [1 / max(*row.values(), 1e-12) for row in table]


def _chance(apart: float) -> float:
    """The expected points of a player who is so much stronger."""
    if apart < 0:
        power = math.exp(max(apart, -700.0))
        return power / (1 + power)
    return 1 / (1 + math.exp(-apart))


def _reached(start: Iterable[int], step: Sequence[Iterable[int]]) -> set[int]:
    found = {*start}
    waiting = [*found]
    while waiting:
        new = {*step[waiting.pop()]} - found
        found |= new
        waiting += new
    return found
