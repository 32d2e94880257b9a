"""No game that python-chess knows differs from it, as far as random moves lead."""

import pytest

from ulci.rules import GAMES
from ulci.rules.pgn import is_chess

from .random_games import compare
from .reference import KINDS, WORDS

PLIES = 300
"""Of each game: its share of a few seconds. The command plays as many as it is told."""


def test_every_game_that_python_chess_knows_has_its_reference():
    assert {*KINDS} == {game for game in GAMES if is_chess(game)}


@pytest.mark.parametrize("game", KINDS)
def test_random_games_are_judged_as_python_chess_judges_them(game: str):
    tally = compare(game, PLIES, seed=1)
    assert tally.plies >= PLIES
    assert [*map(str, tally.differences)] == []


@pytest.mark.slow
def test_random_games_end_in_every_way():
    tallies = [compare(game, 6 * PLIES, seed=2) for game in KINDS]
    assert [str(difference) for tally in tallies for difference in tally.differences] == []
    assert {end.split()[1] for tally in tallies for end in tally.ends} == {*WORDS.values()}


@pytest.mark.parametrize(
    ("game", "other"),
    [("chess", "kingofthehill"), ("chess", "crazyhouse"), ("antichess", "suicide")],
)
def test_rules_of_another_game_are_found_out(game: str, other: str):
    (difference,) = compare(game, 20_000, seed=1, rules=GAMES[other], enough=1).differences
    assert str(difference).startswith(f"{game}, with")
