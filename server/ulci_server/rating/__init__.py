"""Ratings: how strong players are. Pure.

* `glicko`: the live rating of an account in a pool, by Glicko-2; every game changes it.
* `rated`: which games change ratings.
* `bradley_terry`: the strengths of all players from all their games at once, in any order, with
  error bars: for players that do not change, such as engines. `matrix`: its algebra.

The database keeps live ratings; a Bradley-Terry fit is computed on demand. A new system of rating
is a new module.
"""

from .bradley_terry import DEFAULT_PRIOR, FitError, Fitted, Met, fit
from .glicko import (
    LIVE,
    NEW,
    PROVISIONAL,
    Constants,
    Rating,
    periods,
    rate,
    rate_game,
    settled,
    spelled,
)
from .rated import MOST_A_DAY, Ended, why_unrated

__all__ = [
    "DEFAULT_PRIOR",
    "LIVE",
    "MOST_A_DAY",
    "NEW",
    "PROVISIONAL",
    "Constants",
    "Ended",
    "FitError",
    "Fitted",
    "Met",
    "Rating",
    "fit",
    "periods",
    "rate",
    "rate_game",
    "settled",
    "spelled",
    "why_unrated",
]
