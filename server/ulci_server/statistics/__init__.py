"""Statistics of matches: the strength of one engine against another, with its error. Pure.

* `counts`: games won, lost and drawn, and pairs of games by their points.
* `estimate`: Elo and normalized Elo with their errors, the likelihood of superiority.
* `sprt`: the sequential probability ratio test, by three models of strength; `likelihood`: the
  distributions that it compares.
* `standings`: the rank table of three engines or more.

All figures are those that engine testers know from fishtest and from match runners. A new figure
of games or pairs is a property in `counts`; one that has an error belongs in `estimate`.
"""

from .counts import Pentanomial, Points, Tally, Trinomial
from .estimate import Estimate, estimate
from .sprt import Hypothesis, Model, Sprt, SprtError
from .standings import Standing, standings

__all__ = [
    "Estimate",
    "Hypothesis",
    "Model",
    "Pentanomial",
    "Points",
    "Sprt",
    "SprtError",
    "Standing",
    "Tally",
    "Trinomial",
    "estimate",
    "standings",
]
