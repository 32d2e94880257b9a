"""What games and pairs of games are counted as."""

import math

import pytest

from ulci_server.statistics import Pentanomial, Tally, Trinomial
from ulci_server.statistics.counts import ratio

GAMES = Trinomial(wins=5, losses=2, draws=3)
PAIRS = Pentanomial(ll=1, ld=2, wl=3, dd=4, wd=5, ww=6)


def test_games_are_counted_by_their_points() -> None:
    assert Trinomial.of([2, 2, 0, 1]) == Trinomial(wins=2, losses=1, draws=1)
    assert Trinomial.of([]) == Trinomial()


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [(0, 0, "ll"), (0, 1, "ld"), (2, 0, "wl"), (1, 1, "dd"), (2, 1, "wd"), (2, 2, "ww")],
)
def test_a_pair_is_counted_by_its_two_results_in_either_order(first, second, name) -> None:
    counted = Pentanomial(**{name: 1})
    assert Pentanomial.of([(first, second)]) == Pentanomial.of([(second, first)]) == counted


def test_counts_go_from_the_fewest_points_to_the_most() -> None:
    assert GAMES.counts == (2, 3, 5)
    assert PAIRS.counts == (1, 2, 7, 5, 6)


def test_totals_points_and_ratios() -> None:
    assert (GAMES.total, GAMES.points, GAMES.score, GAMES.draw_ratio) == (10, 6.5, 0.65, 0.3)
    assert (PAIRS.total, PAIRS.draw_ratio) == (21, 1 / 3)
    assert (PAIRS.pairs_ratio, PAIRS.wl_dd_ratio) == (11 / 3, 3 / 4)


def test_the_opponent_sees_wins_as_losses() -> None:
    assert GAMES.reversed == Trinomial(wins=2, losses=5, draws=3)
    assert PAIRS.reversed == Pentanomial(ll=6, ld=5, wl=3, dd=4, wd=2, ww=1)
    assert Tally(GAMES, PAIRS).reversed == Tally(GAMES.reversed, PAIRS.reversed)


def test_counts_are_added() -> None:
    double = Tally(GAMES, PAIRS) + Tally(GAMES, PAIRS)
    assert double == Tally(Trinomial(10, 4, 6), Pentanomial(2, 4, 6, 8, 10, 12))


def test_a_tally_is_looked_at_by_pairs_or_by_games() -> None:
    tally = Tally(GAMES, PAIRS)
    assert tally.counted(by_pairs=True) == PAIRS
    assert tally.counted(by_pairs=False) == GAMES


def test_a_ratio_to_nothing_is_infinite_or_no_number() -> None:
    assert ratio(3, 0) == math.inf
    assert ratio(-3, 0) == -math.inf
    assert math.isnan(ratio(0, 0))
    assert math.isnan(Trinomial().score)
    assert math.isnan(Pentanomial().draw_ratio)
