"""How the answer of a match changed as games were played, in bounded memory."""

from collections.abc import Callable
from typing import NamedTuple

MOST_POINTS = 500
"""Readers of a page cannot tell more apart."""


class CoursePoint(NamedTuple):
    """The figures after so many games. `llr` is None without a test; numbers may be infinite or
    nan, as in `ulci_server.statistics.Estimate`."""

    games: int
    elo: float
    elo_error: float
    llr: float | None


class Course:
    """Points at equal distances: each time that there are too many, every second one is dropped,
    and new ones come half as often."""

    __slots__ = ("_every", "_results", "points")

    def __init__(self) -> None:
        self.points: list[CoursePoint] = []
        self._every = 1
        self._results = 0

    def note(self, point: Callable[[], CoursePoint]) -> None:
        """A result has been counted. `point` is called only if it is kept."""
        self._results += 1
        if self._results % self._every:
            return
        self.points.append(point())
        if len(self.points) > MOST_POINTS:
            del self.points[::2]
            self._every *= 2
