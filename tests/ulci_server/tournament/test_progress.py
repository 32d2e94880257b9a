"""How far a match is, while it runs and after a restart."""

import random

import pytest

from ulci_server.statistics import Hypothesis, Pentanomial, Sprt, Tally, Trinomial
from ulci_server.tournament import Progress, Schedule

WON, DRAWN, LOST = "1-0", "1/2-1/2", "0-1"


def match(rounds: int = 2, engines: int = 2, **kwargs) -> Progress:
    return Progress(Schedule(engines, rounds), **{"by_pairs": True, **kwargs})


def begun(progress: Progress, most: int = 1000) -> list[int]:
    """The numbers of the games that are begun, until there is no other."""
    numbers = []
    while len(numbers) < most and (game := progress.begin()) is not None:
        numbers.append(game.number)
    return numbers


def test_games_begin_in_their_order_until_all_run() -> None:
    progress = match()
    assert begun(progress) == [1, 2, 3, 4]
    assert progress.running == {1, 2, 3, 4}
    assert not progress.is_over


def test_a_match_is_over_when_all_games_are_finished() -> None:
    progress = match(rounds=1)
    begun(progress)
    progress.finish(2, DRAWN)
    assert (progress.finished, progress.is_over) == (1, False)
    progress.finish(1, DRAWN)
    assert (progress.finished, progress.is_over) == (2, True)
    assert progress.begin() is None


def test_a_pair_counts_once_both_its_games_are_finished() -> None:
    progress = match()
    progress.finish(2, LOST)  # the first engine had Black
    assert progress.tally(0, 1) == Tally()
    assert not progress.is_complete(1)
    progress.finish(1, DRAWN)
    assert progress.tally(0, 1) == Tally(Trinomial(wins=1, draws=1), Pentanomial(wd=1))
    assert progress.is_complete(1)
    assert progress.pairs == 1


def test_without_pairs_each_game_counts_at_once() -> None:
    progress = match(by_pairs=False)
    progress.finish(2, LOST)
    assert progress.tally(0, 1) == Tally(Trinomial(wins=1))


def test_games_that_are_played_once_make_no_pairs() -> None:
    with pytest.raises(ValueError, match="make no pairs"):
        Progress(Schedule(2, 2, games=1), by_pairs=True)


def test_a_void_game_is_played_again_before_new_ones() -> None:
    progress = match()
    begun(progress, 3)
    assert not progress.finish(1, "*")
    assert (progress.finished, progress.is_finished(1)) == (0, False)
    assert begun(progress) == [1, 4]


def test_a_game_counts_once_whatever_is_heard_of_it_later() -> None:
    progress = match()
    begun(progress, 2)
    counted = [progress.finish(1, score) for score in (WON, LOST, "*")]
    assert counted == [True, False, False]
    progress.finish(2, LOST)
    assert progress.tally(0, 1).pairs == Pentanomial(ww=1)
    assert begun(progress) == [3, 4]


def test_the_opponent_sees_the_same_from_the_other_side() -> None:
    progress = match()
    progress.finish(1, WON)
    progress.finish(2, DRAWN)
    assert progress.tally(1, 0) == progress.tally(0, 1).reversed
    assert progress.tally(1, 0).pairs == Pentanomial(ld=1)


def test_an_engines_tally_is_that_of_all_its_encounters() -> None:
    progress = match(rounds=1, engines=3)
    for number, score in enumerate([WON, DRAWN, DRAWN, DRAWN, LOST, WON], 1):
        progress.finish(number, score)
    assert progress.tally_of(0).games == Trinomial(wins=1, draws=3)
    assert progress.tally_of(1).games == Trinomial(losses=3, draws=1)
    assert progress.tally_of(2).pairs == Pentanomial(ww=1, dd=1)


def test_after_a_restart_a_half_played_pair_is_finished_first() -> None:
    progress = match(rounds=3)
    for number in (1, 2, 4):
        progress.finish(number, WON)
    assert begun(progress) == [3, 5, 6]


def test_after_a_restart_a_game_that_runs_is_not_begun_again() -> None:
    progress = match()
    progress.finish(1, WON)
    assert progress.resume(2).number == 2
    assert begun(progress) == [3, 4]
    progress.finish(2, "*")
    assert begun(progress) == [2]


def test_a_void_game_of_before_the_restart_is_begun_once() -> None:
    progress = match()
    progress.finish(2, "*")
    assert begun(progress) == [1, 2, 3, 4]


SPRT = Sprt(-100, 100)


def test_a_test_ends_the_match_at_its_bound_while_other_games_run() -> None:
    progress = match(rounds=1000, sprt=SPRT)
    while progress.accepted is None:
        game = progress.begin()
        progress.finish(game.number, WON if game.white == 0 else LOST)
    assert progress.accepted is Hypothesis.H1
    assert progress.is_over
    assert progress.begin() is None
    assert progress.llr(0, 1) >= SPRT.upper


def test_what_ends_after_the_decision_does_not_count() -> None:
    progress = match(rounds=1000, sprt=SPRT)
    while progress.accepted is None:
        game = progress.begin()
        progress.finish(game.number, LOST if game.white == 0 else WON)
    assert progress.accepted is Hypothesis.H0
    before = progress.tally(0, 1)
    for number in range(progress.finished + 1, 2001):
        progress.finish(number, WON if number % 2 else LOST)
    assert (progress.accepted, progress.tally(0, 1)) == (Hypothesis.H0, before)


def test_without_a_test_there_is_no_ratio() -> None:
    with pytest.raises(ValueError, match="no test"):
        match().llr(0, 1)


@pytest.mark.parametrize("seed", range(20))
def test_a_match_that_is_cut_off_at_any_time_has_the_same_games_in_the_end(seed: int) -> None:
    """Results are those of the numbers, so that the same games give the same tally."""
    chance = random.Random(seed)
    score = {number: chance.choice([WON, DRAWN, LOST]) for number in range(1, 61)}
    whole = match(rounds=10, engines=3)
    for number in score:
        whole.finish(number, score[number])
    record: list[tuple[int, str]] = []
    while not (progress := match(rounds=10, engines=3)).is_over:
        for number, result in record:
            progress.finish(number, result)
        if progress.is_over:
            break
        for _ in range(chance.randrange(20)):
            while len(progress.running) < 4 and progress.begin() is not None:
                pass
            if progress.running:
                number = chance.choice(sorted(progress.running))
                result = "*" if chance.random() < 0.1 else score[number]
                progress.finish(number, result)
                record.append((number, result))
    assert sorted(number for number, result in record if result != "*") == sorted(score)
    assert [progress.tally_of(each) for each in range(3)] == [
        whole.tally_of(each) for each in range(3)
    ]
