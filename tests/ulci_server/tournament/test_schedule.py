"""Which games are played, in which order, with which colours and openings."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.tournament import Format, Schedule, ScheduleError


def colours(schedule: Schedule) -> str:
    """``AB BA AC``: White and Black of each game."""
    games = map(schedule.game, range(1, schedule.total + 1))
    return " ".join("ABCDE"[game.white] + "ABCDE"[game.black] for game in games)


def test_two_engines_play_pairs_with_colours_swapped() -> None:
    schedule = Schedule(engines=2, rounds=2)
    assert colours(schedule) == "AB BA AB BA"
    games = [schedule.game(number) for number in range(1, 5)]
    assert [game.number for game in games] == [1, 2, 3, 4]
    assert [(game.round, game.pair, game.opening) for game in games] == [
        (1, 1, 0), (1, 1, 0), (2, 2, 1), (2, 2, 1),
    ]  # fmt: skip


def test_in_a_round_robin_each_round_has_every_encounter_once() -> None:
    schedule = Schedule(engines=3, rounds=2)
    once = "AB BA AC CA BC CB"
    assert colours(schedule) == f"{once} {once}"
    games = [schedule.game(number) for number in range(1, 13)]
    assert [game.pair for game in games] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert [game.opening for game in games] == [0] * 6 + [1] * 6
    assert [game.encounter for game in games[::2]] == [(0, 1), (0, 2), (1, 2)] * 2


def test_in_a_gauntlet_only_seeds_meet_all_others() -> None:
    one = Schedule(engines=4, rounds=1, format=Format.GAUNTLET)
    assert one.encounters == ((0, 1), (0, 2), (0, 3))
    two = Schedule(engines=4, rounds=1, format=Format.GAUNTLET, seeds=2)
    assert two.encounters == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3))
    everyone = Schedule(engines=3, rounds=1, format=Format.GAUNTLET, seeds=9)
    assert everyone.encounters == Schedule(engines=3, rounds=1).encounters


def test_a_round_robin_knows_no_seeds() -> None:
    assert Schedule(engines=3, rounds=1, seeds=1).encounters == ((0, 1), (0, 2), (1, 2))


def test_reversed_pairs_begin_with_the_second_engine() -> None:
    assert colours(Schedule(engines=2, rounds=1, reverse=True)) == "BA AB"


def test_colours_stay_where_they_are_not_swapped() -> None:
    assert colours(Schedule(engines=2, rounds=2, swap=False)) == "AB AB AB AB"
    assert colours(Schedule(engines=2, rounds=1, swap=False, reverse=True)) == "BA BA"


def test_lone_games_are_swapped_from_round_to_round_for_any_number_of_engines() -> None:
    assert colours(Schedule(engines=2, rounds=3, games=1)) == "AB BA AB"
    assert colours(Schedule(engines=3, rounds=2, games=1)) == "AB CA BC BA AC CB"
    schedule = Schedule(engines=4, rounds=2, games=1)
    first, second = colours(schedule).split()[:6], colours(schedule).split()[6:]
    assert [game[::-1] for game in first] == second


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"engines": 1}, "at least two engines"),
        ({"rounds": 0}, "at least 1"),
        ({"seeds": 0}, "at least 1"),
        ({"games": 3}, "once or twice"),
    ],
)
def test_numbers_that_give_no_games_are_refused(numbers, said) -> None:
    with pytest.raises(ScheduleError, match=said):
        Schedule(**{"engines": 2, "rounds": 1, **numbers})


def test_there_is_no_game_before_the_first_and_none_after_the_last() -> None:
    schedule = Schedule(engines=2, rounds=2)
    for number in (0, 5):
        with pytest.raises(IndexError, match="1 to 4"):
            schedule.game(number)


SCHEDULES = st.builds(
    Schedule,
    engines=st.integers(2, 7),
    rounds=st.integers(1, 5),
    games=st.sampled_from([1, 2]),
    format=st.sampled_from(Format),
    seeds=st.integers(1, 8),
    reverse=st.booleans(),
)


@given(SCHEDULES)
def test_every_encounter_has_each_opening_once_or_with_both_colours(schedule) -> None:
    games = [schedule.game(number) for number in range(1, schedule.total + 1)]
    played = Counter((game.encounter, game.opening) for game in games)
    assert {*played.values()} == {schedule.games}
    assert len(played) == schedule.rounds * len(schedule.encounters)
    if schedule.games == 2:
        assert len({(game.white, game.black, game.opening) for game in games}) == len(games)


@given(SCHEDULES)
def test_colours_of_an_encounter_differ_by_one_game_at_most(schedule) -> None:
    games = [schedule.game(number) for number in range(1, schedule.total + 1)]
    whites = Counter((game.encounter, game.white) for game in games)
    for first, second in schedule.encounters:
        both = (first, second)
        assert abs(whites[both, first] - whites[both, second]) <= schedule.rounds % 2


@given(SCHEDULES)
def test_the_games_of_a_pair_know_each_other(schedule) -> None:
    for number in range(1, schedule.total + 1):
        pair = schedule.pair_of(number)
        assert number in pair
        assert len(pair) == schedule.games
        assert {schedule.game(each).pair for each in pair} == {schedule.game(number).pair}
