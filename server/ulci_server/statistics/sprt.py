"""The sequential probability ratio test: which of two hypotheses about strength is true.

The log-likelihood ratio (LLR) of the hypotheses is computed after every pair of games. Above the
upper bound H1 is accepted (the strength is `elo1` or more), below the lower one H0; the bounds
follow from the errors that the tester allows (Wald). As strength does not determine how many games
are drawn, the likeliest distribution under each hypothesis is taken (GSPRT).
"""

import enum
import math
from dataclasses import dataclass

from .counts import Pentanomial, Trinomial
from .estimate import NELO_SCALE
from .likelihood import Distribution, expected, with_deviations, with_score

UNSEEN = 1e-3
"""Takes the place of a count of zero, whose logarithm would be infinite."""

MOST_ELO = 1000.0
"""The largest strength of a hypothesis: a score of 0.997."""

MOST_NELO = 200.0
"""The largest strength of a hypothesis in normalized Elo. With far more, no distribution may
satisfy the hypothesis."""


class SprtError(ValueError):
    """No such test; the text says why."""


class Model(enum.StrEnum):
    """What `elo0` and `elo1` mean."""

    NORMALIZED = "normalized"
    """Normalized Elo."""
    LOGISTIC = "logistic"
    """Elo."""
    BAYESIAN = "bayesian"
    """BayesElo: Elo of a game without draws; how often games are drawn is taken from the games.
    Unknown for pairs."""


class Hypothesis(enum.StrEnum):
    """What a finished test has accepted."""

    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test; `alpha` is the chance to accept H1 if H0 is true, `beta` that of the opposite.

    Raises:
        SprtError: these numbers make no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.NORMALIZED

    def __post_init__(self) -> None:
        most = MOST_NELO if self.model is Model.NORMALIZED else MOST_ELO
        if not self.elo0 < self.elo1:
            raise SprtError("elo0 must be less than elo1")
        if max(-self.elo0, self.elo1) > most:
            raise SprtError(f"elo0 and elo1 must be between {-most:g} and {most:g}")
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < error < 1:
                raise SprtError(f"{name} must be a decimal number between 0 and 1")
        if self.alpha + self.beta >= 1:
            raise SprtError("sum of alpha and beta must be less than 1")

    @property
    def lower(self) -> float:
        """The LLR at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    @property
    def takes_pairs(self) -> bool:
        """Whether pairs can be tested; otherwise only games."""
        return self.model is not Model.BAYESIAN

    def accepted(self, llr: float) -> Hypothesis | None:
        """None: more games are needed."""
        if llr >= self.upper:
            return Hypothesis.H1
        return Hypothesis.H0 if llr <= self.lower else None

    def llr(self, counted: Trinomial | Pentanomial) -> float:
        """The log-likelihood ratio of H1 to H0; nan for pairs in a model that does not take
        them."""
        seen = [count or UNSEEN for count in counted.counts]
        found = tuple(count / sum(seen) for count in seen)
        match self.model:
            case Model.NORMALIZED:
                first, second = (self._normalized(found, elo) for elo in (self.elo0, self.elo1))
            case Model.LOGISTIC:
                first, second = (_logistic(found, elo) for elo in (self.elo0, self.elo1))
            case Model.BAYESIAN if isinstance(counted, Pentanomial):
                return math.nan
            case Model.BAYESIAN:
                if not counted.counts[0] or not counted.counts[-1]:
                    return 0.0  # without wins or losses, nothing is known about draws
                first, second = (_bayesian(found, elo) for elo in (self.elo0, self.elo1))
        ratios = [math.log(one / zero) for zero, one in zip(first, second, strict=True)]
        return sum(seen) * expected(found, ratios)

    def _normalized(self, found: Distribution, elo: float) -> Distribution:
        games = (len(found) - 1) // 2
        return with_deviations(found, math.sqrt(games) * elo / NELO_SCALE)


def _logistic(found: Distribution, elo: float) -> Distribution:
    return with_score(found, _chance(elo))


def _bayesian(found: Distribution, elo: float) -> Distribution:
    loss, _, win = found
    draw_elo = 200 * math.log10((1 - loss) / loss * (1 - win) / win)
    wins, losses = _chance(elo - draw_elo), _chance(-elo - draw_elo)
    return with_score(found, wins + (1 - wins - losses) / 2)


def _chance(elo: float) -> float:
    """The expected points of a game."""
    return 1 / (1 + 10 ** (-elo / 400))
