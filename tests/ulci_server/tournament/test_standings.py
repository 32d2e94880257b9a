"""What people are shown of a match."""

import pytest

from tests.support.standings import SCORES, match
from ulci_server.statistics import Sprt, estimate
from ulci_server.tournament import MatchStandings, Progress, Schedule


def test_the_course_ends_with_what_is_known_now() -> None:
    played = match(games=3000)
    now = played.now()
    found = estimate(played.progress.tally(0, 1).pairs)
    assert now.course[-1][:3] == (3000, found.elo, found.elo_error)
    assert now.test is not None
    assert now.course[-1].llr == now.test.llr
    assert 250 <= len(now.course) <= 501


def test_the_same_games_give_the_same_course_after_a_restart() -> None:
    before, after = match(games=1500), match(games=0)
    after.play(1500)
    assert before.now() == after.now()


def test_a_game_whose_pair_is_not_complete_is_finished_and_does_not_count_yet() -> None:
    now = match(games=3).now()
    assert now.finished == 3
    assert [entry.tally.games.total for entry in now.entries] == [2, 2]


def test_the_version_changes_with_each_game_that_counts() -> None:
    played = match(games=0)
    versions = [played.version]
    for _ in SCORES:
        played.play(1)
        versions.append(played.version)
    assert len({*versions}) == len(versions)


def test_a_decided_test_says_so() -> None:
    progress = Progress(Schedule(2, 1000), Sprt(0, 50), by_pairs=False)
    for number in range(1, 2001):
        progress.finish(number, "1-0" if number % 2 else "0-1")  # A wins them all
    now = MatchStandings(progress, ["A", "B"]).now()
    assert now.test is not None
    assert (now.test.accepted, now.is_over) == ("H1", True)
    assert now.finished < 2000


def test_engines_of_one_name_have_rows_of_their_own() -> None:
    progress = Progress(Schedule(2, 1), by_pairs=True)
    entries = MatchStandings(progress, ["same", "same"]).now().entries
    assert [entry.number for entry in entries] == [0, 1]


@pytest.mark.parametrize("by_pairs", [True, False])
def test_ranks_say_what_each_has_played_against_all(by_pairs: bool) -> None:
    now = match(games=30, engines=3, by_pairs=by_pairs).now()
    assert now.test is None
    assert sum(entry.points for entry in now.entries) == 30
    assert sum(tally.games.total for tally in now.encounters.values()) == 30
