"""The Bradley-Terry fit. The expected strengths are those of Ordo 1.2.6 for the same games, with
its scale set to that of Elo (-z 200.2404: it has 202 points for a score of 76 %)."""

import random

import pytest

from ulci_server.rating import FitError, Fitted, Met, fit

# The first one's games won, drawn and lost.
CROSSTABLE = {
    "AB": (12, 6, 4),
    "AC": (9, 8, 3),
    "AD": (15, 3, 2),
    "BC": (8, 10, 7),
    "BD": (11, 5, 4),
    "CD": (10, 6, 5),
    "CE": (7, 4, 2),
    "DE": (6, 6, 9),
}
GAMES = [
    Met(a, b, won + drawn / 2, won + drawn + lost, drawn)
    for (a, b), (won, drawn, lost) in CROSSTABLE.items()
]


def _elo(fitted: list[Fitted[str]]) -> dict[str, float]:
    return {each.player: round(each.elo, 2) for each in fitted}


def test_strengths_are_those_of_ordo() -> None:
    fitted = fit(GAMES, prior=0)
    assert _elo(fitted) == {"A": 1646.0, "B": 1522.7, "C": 1516.44, "E": 1420.01, "D": 1394.85}
    assert [each.player for each in fitted] == ["A", "B", "C", "E", "D"]
    assert [(each.points, each.games) for each in fitted][:2] == [(44.5, 62), (33.5, 67)]


def test_strengths_relative_to_an_anchor_are_those_of_ordo() -> None:
    fitted = fit(GAMES, {"C": 2000}, prior=0)
    assert _elo(fitted) == {"A": 2129.56, "B": 2006.26, "C": 2000.0, "E": 1903.57, "D": 1878.41}
    assert [each.player for each in fitted if each.is_anchored] == ["C"]
    assert [each.error > 0 for each in fitted] == [True, True, False, True, True]


def test_between_two_anchors_everybody_scores_what_is_expected() -> None:
    """Ordo stops two points short of it here."""
    elo = {each.player: each.elo for each in fit(GAMES, {"A": 1700, "D": 1500}, prior=0)}
    assert (elo["A"], elo["D"]) == (1700, 1500)
    for player, points in (("B", 33.5), ("C", 41), ("E", 16)):
        expected = sum(
            met.games / (1 + 10 ** ((elo[other] - elo[player]) / 400))
            for met in GAMES
            for other in [{met.first: met.second, met.second: met.first}.get(player)]
            if other is not None
        )
        assert expected == pytest.approx(points, abs=0.001)


def test_errors_are_about_those_that_ordo_finds_by_simulation() -> None:
    """By 5,000 simulated tournaments (-D -s 5000), and on its own scale, a hundredth wider."""
    simulated = {"A": 69.4, "B": 61.7, "C": 54.1, "E": 86.5, "D": 54.9}
    for each in fit(GAMES, prior=0):
        assert each.error * 202 / 200.24 == pytest.approx(simulated[each.player], rel=0.05)


def test_the_order_of_the_games_does_not_matter() -> None:
    turned = [Met(m.second, m.first, m.games - m.points, m.games, m.draws) for m in GAMES[::-1]]
    assert _elo(fit(turned)) == _elo(fit(GAMES))


def test_a_game_at_a_time_is_the_same_as_all_at_once() -> None:
    single = [
        Met(a, b, points, 1, int(points == 0.5))
        for (a, b), counts in CROSSTABLE.items()
        for points, count in zip((1, 0.5, 0), counts, strict=True)
        for _ in range(count)
    ]
    assert _elo(fit(single)) == _elo(fit(GAMES))


def test_who_wins_all_games_has_a_strength_by_the_prior() -> None:
    perfect = [Met("A", "B", 10, 10)]
    assert fit(perfect)[0].elo < 2300
    assert fit(perfect)[0].player == "A"
    with pytest.raises(FitError, match="won and lost"):
        fit(perfect, prior=0)


def test_two_groups_that_never_met_need_a_prior() -> None:
    apart = [Met("A", "B", 1, 2), Met("C", "D", 1, 2)]
    with pytest.raises(FitError):
        fit(apart, prior=0)
    assert {round(each.elo) for each in fit(apart)} == {1500}


def test_more_games_make_the_errors_smaller() -> None:
    few, many = [Met("A", "B", 6, 10)], [Met("A", "B", 600, 1000)]
    assert fit(many)[0].error < fit(few)[0].error / 5


def test_nobody_and_anchors_of_nobody_are_no_trouble() -> None:
    assert fit([]) == []
    assert fit([Met("A", "A", 1, 2), Met("A", "B", 0, 0)]) == []
    assert {each.player for each in fit(GAMES, {"Z": 3000})} == {*"ABCDE"}


def test_true_strengths_lie_within_the_errors_as_often_as_they_say() -> None:
    chance = random.Random(7)
    true = [chance.gauss(0, 150) for _ in range(40)]
    mean = sum(true) / len(true)
    met = [
        Met(a, b, sum(chance.random() < 1 / (1 + 10 ** ((true[b] - true[a]) / 400))
                      for _ in range(20)), 20)
        for a in range(40) for b in chance.sample(range(40), 10) if a != b
    ]  # fmt: skip
    within = sum(abs(each.elo - 1500 - true[each.player] + mean) < each.error for each in fit(met))
    assert within >= 35
