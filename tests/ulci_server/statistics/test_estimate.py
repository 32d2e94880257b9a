"""Elo and its error. The figures are those which the match runner fastchess expects of itself
(app/tests/elo_test.cpp at 74deac2): whoever compares the two programs finds the same numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.statistics import Estimate, Pentanomial, Trinomial, estimate

HUNDREDTH = 0.0051

GAMES = [
    (Trinomial(76, 89, 123), {"nelo": -20.76, "nelo_error": 40.13}, "15.53", 0.477),
    (
        Trinomial(136, 96, 111),
        {"nelo": 49.77, "nelo_error": 36.77, "elo": 40.70, "elo_error": 30.43},
        "99.60",
        0.558,
    ),
    (Trinomial(34, 356, 0), {"nelo": -508.44, "nelo_error": 34.48}, "0.00", 0.087),
]
PAIRS = [
    (
        Pentanomial(34, 54, 31, 32, 64, 75),
        {"nelo": 57.94, "nelo_error": 28.28, "elo": 55.58, "elo_error": 27.65},
        "100.00",
        0.579,
    ),
    (
        Pentanomial(332, 433, 457, 41, 333, 334),
        {"nelo": -9.17, "nelo_error": 10.96, "elo": -8.64, "elo_error": 10.33},
        "5.05",
        0.488,
    ),
    (
        Pentanomial(7895, 8757, 5485, 200, 568, 9999),
        {"nelo": -19.01, "nelo_error": 2.65, "elo": -21.04, "elo_error": 2.95},
        "0.00",
        0.470,
    ),
]


@pytest.mark.parametrize(("counted", "figures", "los", "score"), GAMES + PAIRS)
def test_figures_are_those_of_the_runner(counted, figures, los, score) -> None:
    found = estimate(counted)
    assert {name: getattr(found, name) for name in figures} == pytest.approx(figures, abs=HUNDREDTH)
    assert f"{100 * found.los:.2f}" == los
    assert found.score == pytest.approx(score, abs=0.0006)


def test_nothing_is_known_without_games() -> None:
    for nothing in (Trinomial(), Pentanomial()):
        found = estimate(nothing)
        assert all(math.isnan(getattr(found, name)) for name in Estimate.__slots__)


def test_all_won_is_infinitely_stronger_and_certain() -> None:
    found = estimate(Pentanomial(ww=2))
    assert (found.elo, found.nelo, found.los) == (math.inf, math.inf, 1.0)
    assert math.isnan(found.elo_error)
    lost = estimate(Trinomial(losses=3))
    assert (lost.elo, lost.nelo, lost.los) == (-math.inf, -math.inf, 0.0)


def test_only_draws_are_equal_without_any_evidence_who_is_stronger() -> None:
    found = estimate(Pentanomial(dd=3))
    assert (found.elo, found.elo_error) == (0, 0)
    assert math.isnan(found.los)


def test_pairs_whose_games_depend_on_each_other_have_the_smaller_error() -> None:
    """Each opening is won by the same colour: alone, the games look random."""
    pairs, games = Pentanomial(ld=1, wl=98, wd=1), Trinomial(99, 99, 2)
    assert estimate(pairs).elo_error < estimate(games).elo_error / 5


COUNTS = st.integers(0, 10**6)


@given(st.builds(Pentanomial, *[COUNTS] * 6) | st.builds(Trinomial, *[COUNTS] * 3))
def test_the_opponent_has_the_opposite_strength(counted) -> None:
    ours, theirs = estimate(counted), estimate(counted.reversed)
    same = {"rel": 1e-6, "abs": 1e-6, "nan_ok": True}
    assert ours.elo == pytest.approx(-theirs.elo, **same)
    assert ours.nelo == pytest.approx(-theirs.nelo, **same)
    assert ours.elo_error == pytest.approx(theirs.elo_error, **same)
    assert ours.los == pytest.approx(1 - theirs.los, **same)
