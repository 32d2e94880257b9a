"""How far a match is: the games that are finished, and those still to be played.

After a restart the same is built from the results in the record, in the order in which the games
ended: a test that was decided then is decided again by the same game.
"""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from types import MappingProxyType

from ulci_server.statistics import (
    Hypothesis,
    Pentanomial,
    Points,
    Sprt,
    Tally,
    Trinomial,
    estimate,
)

from .course import Course, CoursePoint
from .schedule import Encounter, Schedule, ScheduledGame

WHITE_POINTS: dict[str, Points] = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""By the score of a game; a game with another one is void."""

MIRRORED: dict[Points, Points] = {0: 2, 1: 1, 2: 0}
"""The opponent's points."""


class Progress:
    """Counts results as they come in, and says what to play next.

    `by_pairs`: a pair counts once both its games are finished; otherwise each game counts at once.
    With an `sprt`, the match is over as soon as an encounter's games decide it.
    """

    __slots__ = (
        "_again",
        "_course",
        "_fresh",
        "_of_engine",
        "_points",
        "_tallies",
        "accepted",
        "by_pairs",
        "pairs",
        "running",
        "schedule",
        "sprt",
    )

    def __init__(self, schedule: Schedule, sprt: Sprt | None = None, *, by_pairs: bool) -> None:
        if by_pairs and schedule.games != 2:
            raise ValueError("games that are played once make no pairs")
        self.schedule = schedule
        self.sprt = sprt
        self.by_pairs = by_pairs
        self.running: set[int] = set()
        """The numbers of the games that have begun."""
        self.pairs = 0
        """How many pairs are complete."""
        self.accepted: Hypothesis | None = None
        """What the test has accepted."""
        self._points: dict[int, Points] = {}  # of each finished game's first engine
        self._tallies: dict[Encounter, Tally] = {}
        self._of_engine: dict[int, Tally] = {}
        self._course = Course()  # of two engines
        self._fresh = 1  # all smaller numbers have begun
        self._again: list[int] = []  # smaller numbers that are void, as a heap

    @property
    def finished(self) -> int:
        """How many games are finished."""
        return len(self._points)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played. Games may still run when a test is decided."""
        return self.accepted is not None or self.finished == self.schedule.total

    def is_finished(self, number: int) -> bool:
        return number in self._points

    def is_complete(self, number: int) -> bool:
        """Whether all games of that game's pair are finished."""
        return all(each in self._points for each in self.schedule.pair_of(number))

    @property
    def encounters(self) -> Mapping[Encounter, Tally]:
        """What each two have played that have met, as the first of them sees it."""
        return MappingProxyType(self._tallies)

    def course_until_now(self) -> Sequence[CoursePoint]:
        """How the figures of two engines changed, up to the last result."""
        points = self._course.points
        now = self.tally(0, 1).games.total
        if not now or (points and points[-1].games == now):
            return [*points]
        return [*points, self._point()]

    def tally(self, first: int, second: int) -> Tally:
        """What these two have played, as the first sees it."""
        if (first, second) in self._tallies:
            return self._tallies[first, second]
        return self._tallies.get((second, first), Tally()).reversed

    def tally_of(self, engine: int) -> Tally:
        """What it has played against all others."""
        return self._of_engine.get(engine, Tally())

    def llr(self, first: int, second: int) -> float:
        """The log-likelihood ratio of the test for these two.

        Raises:
            ValueError: there is no test.
        """
        if self.sprt is None:
            raise ValueError("there is no test")
        return self.sprt.llr(self.tally(first, second).counted(by_pairs=self.by_pairs))

    # What happens

    def begin(self) -> ScheduledGame | None:
        """The next game to be played, which now runs; None if all others run or are finished, or
        the match is over. The smallest number comes first, so that pairs are finished before others
        begin."""
        if self.is_over or (number := self._next()) is None:
            return None
        self.running.add(number)
        return self.schedule.game(number)

    def resume(self, number: int) -> ScheduledGame:
        """A game that had begun before a restart goes on."""
        self.running.add(number)
        return self.schedule.game(number)

    def finish(self, number: int, score: str) -> bool:
        """A game has ended. Whether it counts: one with the score ``*`` is void and is played
        again, and one that ends when the test is decided comes too late."""
        self.running.discard(number)
        if self.accepted is not None or number in self._points:
            return False
        if score not in WHITE_POINTS:
            if number < self._fresh:
                heappush(self._again, number)
            return False
        game, points = self.schedule.game(number), WHITE_POINTS[score]
        self._points[number] = points if game.white == game.encounter[0] else MIRRORED[points]
        self._count(number, game.encounter)
        return True

    def _next(self) -> int | None:
        while self._again:
            if self._is_open(number := heappop(self._again)):
                return number
        while self._fresh <= self.schedule.total:
            self._fresh += 1
            if self._is_open(number := self._fresh - 1):
                return number
        return None

    def _is_open(self, number: int) -> bool:
        return number not in self.running and number not in self._points

    def _count(self, number: int, encounter: Encounter) -> None:
        complete = self.is_complete(number)
        self.pairs += complete
        if self.by_pairs and not complete:
            return
        counted = self.schedule.pair_of(number) if self.by_pairs else (number,)
        points = [self._points[each] for each in counted]
        pairs = Pentanomial.of([(points[0], points[1])] if self.by_pairs else [])
        more = Tally(Trinomial.of(points), pairs)
        self._tallies[encounter] = self._tallies.get(encounter, Tally()) + more
        for engine, its in zip(encounter, (more, more.reversed), strict=True):
            self._of_engine[engine] = self.tally_of(engine) + its
        if self.schedule.engines == 2:
            self._course.note(self._point)
        if self.sprt is not None:
            self.accepted = self.sprt.accepted(self.llr(*encounter))

    def _point(self) -> CoursePoint:
        tally = self.tally(0, 1)
        found = estimate(tally.counted(by_pairs=self.by_pairs))
        llr = None if self.sprt is None else self.llr(0, 1)
        return CoursePoint(tally.games.total, found.elo, found.elo_error, llr)
