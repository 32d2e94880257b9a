"""Points at equal distances, in bounded memory."""

from itertools import pairwise

from ulci_server.tournament import Course, CoursePoint
from ulci_server.tournament.course import MOST_POINTS


def noted(results: int) -> tuple[Course, int]:
    """The course of so many results, and how many points were made for it."""
    course, made = Course(), 0
    for result in range(1, results + 1):

        def point(games: int = result) -> CoursePoint:
            nonlocal made
            made += 1
            return CoursePoint(games, 0.0, 0.0, None)

        course.note(point)
    return course, made


def test_few_results_are_all_kept() -> None:
    course, _ = noted(10)
    assert [point.games for point in course.points] == [*range(1, 11)]


def test_many_results_are_thinned_evenly() -> None:
    course, made = noted(100_000)
    games = [point.games for point in course.points]
    assert MOST_POINTS / 2 <= len(games) <= MOST_POINTS
    assert {after - before for before, after in pairwise(games)} == {games[0]}
    assert made < 10 * MOST_POINTS
