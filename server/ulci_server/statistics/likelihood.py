"""The likeliest distribution of points that a hypothesis allows, given the counted games.

A hypothesis fixes the expected points (logistic Elo), or their distance from one half in standard
deviations (normalized Elo). Formulas: Michel Van den Bergh, "Comparing the approximations for the
generalized log likelihood ratio of a multinomial distribution", proposition 1.1, and "Comments on
normalized Elo", section 4.1.
"""

import math
from collections.abc import Sequence

Distribution = tuple[float, ...]
"""The probabilities of 0 points, of the most points, and of equal steps between."""

MOST_STEPS = 100
"""Of the search for a root: bisection alone would take half of them."""

NARROW = 1e-12
"""A root is found when a step is smaller than this part of the root, or of 1."""

MOST_ROUNDS = 20
"""Of the iteration for normalized Elo, which takes a few."""

SETTLED = 1e-9
"""The iteration ends when no probability changes by more."""


def with_score(found: Distribution, score: float) -> Distribution:
    """The likeliest distribution whose expected points are `score`, above 0 and below 1."""
    distances = [points - score for points in _points(found)]
    return _tilted(found, distances, _root(found, distances))


def with_deviations(found: Distribution, deviations: float) -> Distribution:
    """The likeliest distribution whose expected points are that many of its own standard deviations
    above one half. As these depend on the distribution, it is found by iteration."""
    points = _points(found)
    likeliest, theta = (1 / len(found),) * len(found), 0.0
    for _ in range(MOST_ROUNDS):
        mean = expected(likeliest, points)
        sigma = math.sqrt(expected(likeliest, [(each - mean) ** 2 for each in points]))
        half = deviations * sigma / 2
        distances = [each - 0.5 - half * (1 + ((each - mean) / sigma) ** 2) for each in points]
        theta = _root(found, distances, theta)
        before, likeliest = likeliest, _tilted(found, distances, theta)
        if max(abs(a - b) for a, b in zip(before, likeliest, strict=True)) < SETTLED:
            break
    return likeliest


def expected(distribution: Distribution, values: Sequence[float]) -> float:
    """The mean of the values."""
    return math.fsum(chance * each for chance, each in zip(distribution, values, strict=True))


def _points(distribution: Distribution) -> list[float]:
    most = len(distribution) - 1
    return [step / most for step in range(len(distribution))]


def _tilted(found: Distribution, distances: Sequence[float], theta: float) -> Distribution:
    return tuple(chance / (1 + theta * each) for chance, each in zip(found, distances, strict=True))


def _root(found: Distribution, distances: Sequence[float], theta: float = 0.0) -> float:
    """The theta for which the mean of the distances is 0 in the tilted distribution: the likeliest
    one of which that is true. The mean falls as theta grows; no probability can be above 1, which
    keeps theta away from the poles. Newton's method from the theta given, with bisection where it
    would leave the interval."""
    parts = list(zip(found, distances, strict=True))
    low = max((chance - 1) / each for chance, each in parts if each > 0)
    high = min((chance - 1) / each for chance, each in parts if each < 0)
    theta = theta if low < theta < high else 0.0
    for _ in range(MOST_STEPS):
        value = slope = 0.0
        for chance, each in parts:
            part = each / (1 + theta * each)
            value += chance * part
            slope -= chance * part * part
        low, high = (theta, high) if value > 0 else (low, theta)
        following = theta - value / slope
        if not low <= following <= high:
            following = (low + high) / 2
        step, theta = abs(following - theta), following
        if step <= NARROW * max(1.0, abs(theta)):
            break
    return theta
