"""Glicko-2 (Mark Glickman, "Example of the Glicko-2 system", 2022).

A rating has a deviation, how unsure it is, and a volatility, how much the strength changes. Each
game is a rating period of its own, as long as the time since the player's last one: a deviation
grows with time, in fractions of a period. The constants of live ratings are Lichess's, so that
people find the numbers that they know.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

SCALE = 400 / math.log(10)
"""Elo of one unit of Glicko-2's own scale (the paper: 173.7178)."""

CENTER = 1500.0
"""The rating that is zero on Glicko-2's own scale."""

CONVERGED = 1e-6
"""The step at which the search for a volatility ends, as in the paper."""

MOST_STEPS = 100
"""Steps of the search for a volatility, which takes about five."""

PROVISIONAL = 110.0
"""The deviation from which on a rating is shown with a question mark."""

DAY = 86_400.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength, on the scale of Elo."""

    rating: float
    deviation: float
    volatility: float

    @property
    def is_provisional(self) -> bool:
        return self.deviation >= PROVISIONAL


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of the system. tau: how much a volatility may change at once. The limits keep
    ratings plausible. most_change: of a rating, in one game. periods_a_day: the rating periods of a
    day."""

    tau: float
    least_deviation: float
    most_deviation: float
    most_volatility: float
    most_change: float
    periods_a_day: float


LIVE = Constants(
    tau=0.75,
    least_deviation=45.0,
    most_deviation=500.0,
    most_volatility=0.1,
    most_change=700.0,
    periods_a_day=0.21436,
)
"""The constants of live ratings: Lichess's."""

NEW = Rating(1500.0, 500.0, 0.09)
"""The rating of a player who has not played a rated game."""

Result = tuple[Rating, float]
"""An opponent, and the points of the player: 1, 0.5 or 0."""


def periods(seconds: float, constants: Constants = LIVE) -> float:
    """How many rating periods that time is; none if it is negative, as servers' clocks differ."""
    return max(0.0, seconds) / DAY * constants.periods_a_day


def settled(rating: Rating, elapsed: float, constants: Constants = LIVE) -> Rating:
    """The rating of a player who has not played for so many periods."""
    deviation = math.hypot(rating.deviation, math.sqrt(elapsed) * rating.volatility * SCALE)
    return Rating(rating.rating, min(deviation, constants.most_deviation), rating.volatility)


def rate(player: Rating, results: Sequence[Result], elapsed: float, tau: float) -> Rating:
    """The rating after these results in a period of that length, by the paper: without limits."""
    if not results:
        return settled(player, elapsed)
    mu, phi = (player.rating - CENTER) / SCALE, player.deviation / SCALE
    variance, gain = _information(mu, results)
    sigma = _volatility(phi, player.volatility, variance, variance * gain, tau)
    before = phi * phi + elapsed * sigma * sigma
    after = 1 / (1 / before + 1 / variance)
    return Rating(CENTER + SCALE * (mu + after * gain), SCALE * math.sqrt(after), sigma)


def rate_game(
    player: Rating, opponent: Rating, points: float, elapsed: float, constants: Constants = LIVE
) -> Rating:
    """The rating after a game; `elapsed` periods since the player's last one. The opponent's is the
    one of the moment of the game (`settled`)."""
    raw = rate(player, [(opponent, points)], elapsed, constants.tau)
    least, most = player.rating - constants.most_change, player.rating + constants.most_change
    return Rating(
        min(max(raw.rating, least), most),
        min(max(raw.deviation, constants.least_deviation), constants.most_deviation),
        min(raw.volatility, constants.most_volatility),
    )


def spelled(rating: Rating) -> str:
    """A rating for people: a question mark shows that it is provisional."""
    return f"{round(rating.rating)}{'?' if rating.is_provisional else ''}"


def _information(mu: float, results: Sequence[Result]) -> tuple[float, float]:
    """The variance of what the results say about the strength, and their sum of weighted surprise
    (the paper's v, and its delta divided by that)."""
    information = gain = 0.0
    for opponent, points in results:
        phi = opponent.deviation / SCALE
        weight = 1 / math.sqrt(1 + 3 * (phi / math.pi) ** 2)
        expected = _expected(weight * (mu - (opponent.rating - CENTER) / SCALE))
        information += weight * weight * expected * (1 - expected)
        gain += weight * (points - expected)
    return 1 / information, gain


MOST_APART = 30.0
"""Of two strengths, weighted, on Glicko-2's scale: 5,200 Elo. Beyond it, a result says nothing
that a float can hold."""


def _expected(apart: float) -> float:
    return 1 / (1 + math.exp(-min(max(apart, -MOST_APART), MOST_APART)))


def _volatility(phi: float, sigma: float, variance: float, delta: float, tau: float) -> float:
    """Step 5 of the paper: the zero of its f, by the Illinois algorithm. What stands there squared
    beside the variance is the deviation, phi, not the rating. After a great surprise there are
    three zeros, of which the paper's first interval has all: the one next to the volatility before
    is taken, the others are far beyond what a volatility can be."""
    spread, squared = phi * phi + variance, delta * delta
    start = math.log(sigma * sigma)

    def slope(x: float) -> float:
        ex = math.exp(x)
        return ex * (squared - spread - ex) / (2 * (spread + ex) ** 2) - (x - start) / tau**2

    sign = 1 if squared > spread else -1
    low, high = start, start + sign * tau
    while sign * slope(high) > 0:
        high += sign * tau
    at_low, at_high = slope(low), slope(high)
    for _ in range(MOST_STEPS):
        if abs(high - low) <= CONVERGED:
            break
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)
