"""The likeliest distribution under a hypothesis."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.statistics.likelihood import expected, with_deviations, with_score

POINTS = (0, 0.25, 0.5, 0.75, 1)
COUNTS = st.lists(st.integers(1, 10**6) | st.just(1e-3), min_size=5, max_size=5)


def of(counts: list[float]) -> tuple[float, ...]:
    return tuple(count / sum(counts) for count in counts)


@given(COUNTS, st.floats(0.01, 0.99))
def test_it_has_the_score_that_was_asked_for(counts, score) -> None:
    found = with_score(of(counts), score)
    assert math.fsum(found) == pytest.approx(1)
    assert expected(found, POINTS) == pytest.approx(score)


@given(COUNTS, st.floats(-0.8, 0.8))
def test_it_is_as_many_deviations_from_one_half_as_was_asked_for(counts, deviations) -> None:
    found = with_deviations(of(counts), deviations)
    mean = expected(found, POINTS)
    sigma = math.sqrt(expected(found, [(each - mean) ** 2 for each in POINTS]))
    assert math.fsum(found) == pytest.approx(1)
    assert (mean - 0.5) / sigma == pytest.approx(deviations, abs=1e-6)


def test_what_was_found_is_the_likeliest_if_it_has_that_score() -> None:
    found = of([1, 2, 4, 2, 1])
    assert with_score(found, 0.5) == pytest.approx(found)
    assert with_deviations(found, 0) == pytest.approx(found)
