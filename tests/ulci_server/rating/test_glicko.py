"""Glicko-2 as the paper has it, and the limits of live ratings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.rating import LIVE, NEW, Rating, periods, rate, rate_game, settled, spelled

DAY = 86_400.0

RATINGS = st.builds(
    Rating,
    st.floats(-2000, 6000),
    st.floats(LIVE.least_deviation, LIVE.most_deviation),
    st.floats(0.01, LIVE.most_volatility),
)
POINTS = st.sampled_from([0.0, 0.5, 1.0])


def test_the_example_of_the_paper_comes_out() -> None:
    results = [
        (Rating(1400, 30, 0.06), 1.0),
        (Rating(1550, 100, 0.06), 0.0),
        (Rating(1700, 300, 0.06), 0.0),
    ]
    after = rate(Rating(1500, 200, 0.06), results, elapsed=1, tau=0.5)
    # The paper rounds on its way, and has 1464.06.
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.005)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_the_volatility_comes_from_the_deviation_and_not_from_the_rating() -> None:
    """The example of the paper cannot tell them apart. With the rating's square instead, it would
    be 0.06018 here."""
    losses = [(Rating(1500, 50, 0.06), 0.0)] * 8
    after = rate(Rating(1500, 160, 0.06), losses, elapsed=1, tau=0.5)
    assert after.volatility == pytest.approx(0.06002, abs=0.000005)


def test_without_games_only_the_deviation_grows() -> None:
    after = rate(Rating(1500, 200, 0.06), [], elapsed=1, tau=0.5)
    assert after == Rating(1500, pytest.approx(200.2714, abs=0.0001), 0.06)


def test_a_year_without_games_makes_a_sure_rating_provisional() -> None:
    sure = Rating(2000, 60, 0.06)
    assert spelled(sure) == "2000"
    assert spelled(settled(sure, periods(365 * DAY))) == "2000?"


def test_a_clock_that_is_behind_takes_no_time_back() -> None:
    assert periods(-5 * DAY) == 0
    assert periods(5 * DAY) == pytest.approx(1.0718)


def test_a_first_game_gives_and_takes_the_same() -> None:
    won, lost = rate_game(NEW, NEW, 1, 0), rate_game(NEW, NEW, 0, 0)
    assert won.rating - 1500 == pytest.approx(1500 - lost.rating)
    assert 200 < won.rating - 1500 < 300


def test_a_draw_of_equals_changes_no_rating() -> None:
    assert rate_game(NEW, NEW, 0.5, 0).rating == pytest.approx(1500)


@given(RATINGS, RATINGS, POINTS, st.floats(0, 1e6))
def test_no_game_leads_out_of_the_limits(
    player: Rating, opponent: Rating, points: float, elapsed: float
) -> None:
    after = rate_game(player, opponent, points, elapsed)
    assert all(map(math.isfinite, (after.rating, after.deviation, after.volatility)))
    assert abs(after.rating - player.rating) <= LIVE.most_change + 1e-9
    assert LIVE.least_deviation <= after.deviation <= LIVE.most_deviation
    assert 0 < after.volatility <= LIVE.most_volatility


@given(RATINGS, RATINGS)
def test_more_points_never_lead_to_a_lower_rating(player: Rating, opponent: Rating) -> None:
    lost, drawn, won = (rate_game(player, opponent, points, 0) for points in (0.0, 0.5, 1.0))
    assert lost.rating <= drawn.rating <= won.rating
    assert lost.rating <= player.rating <= won.rating
