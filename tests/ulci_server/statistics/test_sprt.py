"""The sequential test. The figures are those which the match runner fastchess expects of itself
(app/tests/sprt_test.cpp at 74deac2)."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.statistics import Hypothesis, Model, Pentanomial, Sprt, SprtError, Trinomial
from ulci_server.statistics.sprt import MOST_ELO, MOST_NELO

NORMALIZED, LOGISTIC, BAYESIAN = Model

FIGURES = [
    (NORMALIZED, Trinomial(36433, 36027, 68692), (0, 2), 0.92),
    (NORMALIZED, Trinomial(10871, 10650, 20431), (-1.75, 0.25), 2.30),
    (LOGISTIC, Trinomial(21404, 21184, 40708), (0.5, 2.5), -1.57),
    (LOGISTIC, Trinomial(57433, 57030, 106593), (0, 2), -2.59),
    (BAYESIAN, Trinomial(68965, 68526, 128429), (0, 2), -1.26),
    (BAYESIAN, Trinomial(21629, 21484, 41111), (0.5, 2.5), -1.13),
    (NORMALIZED, Pentanomial(365, 16618, 36029, 200, 16974, 390), (0, 2), 2.25),
    (NORMALIZED, Pentanomial(127, 4883, 10311, 401, 5150, 104), (-1.75, 0.25), 3.01),
    (LOGISTIC, Pentanomial(223, 9863, 20279, 1000, 10037, 246), (0.5, 2.5), -3.07),
    (LOGISTIC, Pentanomial(871, 26175, 55003, 980, 26678, 821), (0, 2), -4.98),
]

# There the runner's own search ends a little early.
ROUGH = [
    (NORMALIZED, Trinomial(4250, 0, 0), (0, 10), 120.56),
    (NORMALIZED, Pentanomial(0, 0, 0, 0, 0, 5550), (0, 5), 111.82),
]


@pytest.mark.parametrize(("model", "counted", "elos", "llr"), FIGURES)
def test_ratios_are_those_of_the_runner(model, counted, elos, llr) -> None:
    assert round(Sprt(*elos, model=model).llr(counted), 2) == llr


@pytest.mark.parametrize(("model", "counted", "elos", "llr"), ROUGH)
def test_ratios_of_games_all_won_are_nearly_those_of_the_runner(model, counted, elos, llr) -> None:
    assert Sprt(*elos, model=model).llr(counted) == pytest.approx(llr, abs=0.03)


def test_bounds_follow_from_the_errors_allowed() -> None:
    sprt = Sprt(0, 5)
    assert (round(sprt.lower, 2), round(sprt.upper, 2)) == (-2.94, 2.94)
    strict = Sprt(0, 5, alpha=0.01, beta=0.1)
    assert (round(strict.lower, 2), round(strict.upper, 2)) == (-2.29, 4.5)


def test_a_hypothesis_is_accepted_at_its_bound() -> None:
    sprt = Sprt(0, 5)
    assert sprt.accepted(sprt.upper) is Hypothesis.H1
    assert sprt.accepted(sprt.lower) is Hypothesis.H0
    assert sprt.accepted(2.9) is sprt.accepted(-2.9) is sprt.accepted(math.nan) is None


def test_nothing_is_accepted_before_the_first_game() -> None:
    for model in Model:
        assert Sprt(0, 5, model=model).llr(Trinomial()) == pytest.approx(0, abs=1e-4)
    assert Sprt(0, 5).llr(Pentanomial()) == pytest.approx(0, abs=1e-4)


def test_the_bayesian_model_takes_no_pairs_and_needs_wins_and_losses() -> None:
    sprt = Sprt(0, 5, model=BAYESIAN)
    assert not sprt.takes_pairs
    assert math.isnan(sprt.llr(Pentanomial(ww=3, ll=1)))
    assert sprt.llr(Trinomial(wins=50)) == 0
    assert Sprt(0, 5, model=LOGISTIC).takes_pairs


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ({"elo0": 5, "elo1": -1.5}, "elo0 must be less than elo1"),
        ({"elo0": 5, "elo1": 5}, "elo0 must be less than elo1"),
        ({"elo0": math.nan, "elo1": 5}, "elo0 must be less than elo1"),
        ({"elo0": 0, "elo1": 201}, "elo0 and elo1 must be between -200 and 200"),
        ({"alpha": 1.05}, "alpha must be a decimal number between 0 and 1"),
        ({"beta": 0}, "beta must be a decimal number between 0 and 1"),
        ({"alpha": 0.55, "beta": 0.55}, "sum of alpha and beta must be less than 1"),
    ],
)
def test_numbers_that_make_no_test_are_refused(given_as, said) -> None:
    with pytest.raises(SprtError, match=f"^{said}$"):
        Sprt(**{"elo0": 0, "elo1": 5, **given_as})


COUNTS = st.integers(0, 10**6) | st.sampled_from([0, 0, 1])
COUNTED = st.builds(Pentanomial, *[COUNTS] * 6) | st.builds(Trinomial, *[COUNTS] * 3)


@given(COUNTED, st.floats(-MOST_NELO, MOST_NELO), st.floats(-MOST_NELO, MOST_NELO))
def test_every_count_has_a_ratio_by_normalized_elo(counted, one, other) -> None:
    if one != other:
        assert math.isfinite(Sprt(min(one, other), max(one, other)).llr(counted))


@given(COUNTED, st.floats(-MOST_ELO, MOST_ELO), st.floats(-MOST_ELO, MOST_ELO))
def test_every_count_has_a_ratio_by_elo(counted, one, other) -> None:
    if one != other:
        sprt = Sprt(min(one, other), max(one, other), model=LOGISTIC)
        assert math.isfinite(sprt.llr(counted))


@given(COUNTED, st.sampled_from([NORMALIZED, LOGISTIC]))
def test_the_opponents_test_has_the_opposite_ratio(counted, model) -> None:
    ours, theirs = Sprt(-3, 5, model=model), Sprt(-5, 3, model=model)
    assert ours.llr(counted) == pytest.approx(-theirs.llr(counted.reversed), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(("strength", "accepted"), [(-0.2, Hypothesis.H0), (0.2, Hypothesis.H1)])
def test_a_clear_difference_is_found_in_a_few_hundred_pairs(strength, accepted) -> None:
    chance, sprt, pairs = random.Random(5), Sprt(0, 10), Pentanomial()
    while (found := sprt.accepted(sprt.llr(pairs))) is None:
        points = [round(chance.gauss(1 + strength, 0.5)) for _ in range(2)]
        pairs += Pentanomial.of([tuple(min(2, max(0, each)) for each in points)])
    assert found is accepted
    assert pairs.total < 500
