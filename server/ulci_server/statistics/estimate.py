"""Elo and its error, from counts of games or pairs.

Elo is the logistic model's: 400 for ten to one. Normalized Elo is the score's distance from one
half in standard deviations of a game, on a scale where it is near Elo; unlike Elo it does not
change with the share of draws, and says how many games a test takes (Michel Van den Bergh,
"Normalized Elo").
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .counts import Pentanomial, Trinomial, ratio

NORMAL_95 = 1.959963984540054
"""Standard deviations on either side of the mean within which 95 % of a normal distribution lie."""

NELO_SCALE = 800 / math.log(10)
"""Normalized Elo of one standard deviation of a game."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The strength of the first engine over the second; an error is half of the interval that holds
    the true value with a confidence of 95 %.

    `score` is in points a game, `los` the likelihood of superiority, from 0 to 1. Numbers are
    infinite or nan where the games cannot tell: all won, or none played.
    """

    score: float
    elo: float
    elo_error: float
    nelo: float
    nelo_error: float
    los: float


def estimate(counted: Trinomial | Pentanomial) -> Estimate:
    """Pairs give the better errors, where games come in pairs."""
    if not counted.total:
        return Estimate(*[math.nan] * 6)
    score, variance = _moments(counted.counts)
    deviation = math.sqrt(variance / counted.total)
    low, high = score - NORMAL_95 * deviation, score + NORMAL_95 * deviation
    games = (len(counted.counts) - 1) // 2
    of_game = math.sqrt(games * variance)
    return Estimate(
        score,
        _elo(score),
        (_elo(high) - _elo(low)) / 2,
        ratio((score - 0.5) * NELO_SCALE, of_game),
        ratio(NORMAL_95 * deviation * NELO_SCALE, of_game),
        (1 + math.erf(ratio(score - 0.5, math.sqrt(2) * deviation))) / 2,
    )


def _moments(counts: Sequence[int]) -> tuple[float, float]:
    """Mean and variance of the points, as a fraction of the most that there are."""
    total, most = sum(counts), len(counts) - 1
    mean = sum(count * step / most for step, count in enumerate(counts)) / total
    squares = sum(count * (step / most - mean) ** 2 for step, count in enumerate(counts))
    return mean, squares / total


def _elo(score: float) -> float:
    """Of a score in points a game; infinite where the score is out of what Elo can express."""
    if 0 < score < 1:
        return 400 * math.log10(score / (1 - score))
    return math.inf if score >= 1 else -math.inf
