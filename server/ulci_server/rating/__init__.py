"""How strong a player is. Pure.

* `glicko`: the live rating of an account in a pool, by Glicko-2; every game changes it.
* `rated`: which games change ratings.
* `bradley_terry`: the strength of all who met, from all their games at once and whatever their
  order, with error bars: for players that do not change, such as engines. `matrix`: its algebra.

The first number is kept and the second is computed on demand. Another system of rating is another
module.
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
