"""Glicko-2, once more, from the paper: it shares no code with what rated the games.

The volatility is found by halving an interval, where the live ratings use the paper's own search.
"""

from math import exp, log, pi, sqrt
from typing import NamedTuple

ELO = 173.7178
"""Of one unit of the paper's scale, as the paper rounds it."""

TAU = 0.75
LEAST, MOST = 45.0, 500.0
"""Deviations."""
MOST_VOLATILITY = 0.1
MOST_GAIN = 700.0
PERIODS = 0.21436
"""A day."""

HALVINGS = 40
STEP = 0.1


class Numbers(NamedTuple):
    rating: float
    deviation: float
    volatility: float


BEGINNER = Numbers(1500.0, 500.0, 0.09)


def idle(player: Numbers, days: float) -> Numbers:
    """After so many days without a game."""
    unsure = sqrt(player.deviation**2 + days * PERIODS * (player.volatility * ELO) ** 2)
    return player._replace(deviation=min(unsure, MOST))


def after_game(player: Numbers, opponent: Numbers, points: float, days: float) -> Numbers:
    """days: since the player's last game."""
    deviation, periods = player.deviation / ELO, days * PERIODS
    doubt = 1 / sqrt(1 + 3 * (opponent.deviation / ELO / pi) ** 2)
    apart = min(max(doubt * (player.rating - opponent.rating) / ELO, -30.0), 30.0)
    expected = 1 / (1 + exp(-apart))
    v = 1 / (doubt**2 * expected * (1 - expected))
    surprise = doubt * (points - expected)
    volatility = _volatility(deviation, player.volatility, v, (v * surprise) ** 2)
    inflated = deviation**2 + periods * volatility**2
    variance = inflated * v / (inflated + v)
    gain = min(max(ELO * variance * surprise, -MOST_GAIN), MOST_GAIN)
    return Numbers(
        player.rating + gain,
        min(max(ELO * sqrt(variance), LEAST), MOST),
        min(volatility, MOST_VOLATILITY),
    )


def _volatility(deviation: float, volatility: float, v: float, delta2: float) -> float:
    """Where the likelihood of the logarithm of its square has its maximum, next to what it was."""
    start = log(volatility**2)

    def rises(x: float) -> bool:
        whole = deviation**2 + v + exp(x)
        return exp(x) * (delta2 - whole) / (2 * whole**2) > (x - start) / TAU**2

    high = start
    while rises(high):
        high += STEP
    low = high
    while not rises(low):
        low -= STEP
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) else (low, middle)
    return exp(low / 2)
