"""The Berger tables."""

import pytest

from tests.ulci_server.tournament.play import field, made
from ulci_server.tournament import pair
from ulci_server.tournament.formats.rounds import berger


def test_the_table_of_six() -> None:
    """FIDE Handbook C.05, annex 1."""
    assert [{*berger(6, round_)} for round_ in range(1, 6)] == [
        {(1, 6), (2, 5), (3, 4)},
        {(6, 4), (5, 3), (1, 2)},
        {(2, 6), (3, 1), (4, 5)},
        {(6, 5), (1, 4), (2, 3)},
        {(3, 6), (4, 2), (5, 1)},
    ]


@pytest.mark.parametrize("entrants", range(2, 15))
def test_all_meet_once_and_have_white_about_as_often_as_black(entrants: int) -> None:
    rounds = entrants - 1 + entrants % 2
    games = [game for round_ in range(1, rounds + 1) for game in berger(entrants, round_)]
    assert len({frozenset(game) for game in games}) == len(games) == entrants * (entrants - 1) // 2
    for one in range(1, entrants + 1):
        whites = sum(white == one for white, _ in games)
        blacks = sum(black == one for _, black in games)
        assert abs(whites - blacks) <= 1


@pytest.mark.parametrize("entrants", range(2, 15))
def test_each_plays_once_in_a_round(entrants: int) -> None:
    for round_ in range(1, entrants + entrants % 2):
        players = [one for game in berger(entrants, round_) for one in game]
        assert len({*players}) == len(players)
        assert len(players) == entrants - entrants % 2


def colours_of_gauntlet(settings: str) -> list[list[tuple[int, int]]]:
    """White and Black of the games of each of two rounds, with one seed and three others."""
    tournament = made(f'format = "gauntlet"\nseeds = 1\nrounds = 2\n{settings}', field(4))
    while (request := tournament.request(0, {})) is not None:
        tournament.put_pairings(pair(request))
    rows = tournament.pairings.values()
    return [[(row.white, row.black or 0) for row in rows if row.round == one] for one in (1, 2)]


def test_a_seed_has_both_colours_in_turn_if_an_encounter_is_one_game() -> None:
    first, second = [(1, 2), (3, 1), (1, 4)], [(2, 1), (1, 3), (4, 1)]
    assert colours_of_gauntlet("games = 1\nconcurrency = 9") == [first, second]


def test_a_seed_begins_with_white_if_it_has_both_colours_in_an_encounter() -> None:
    games = [(1, 2), (2, 1), (1, 3), (3, 1), (1, 4), (4, 1)]
    assert colours_of_gauntlet("games = 2\nconcurrency = 9") == [games, games]
