"""What people are shown of a match or tournament while it is played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ulci_server.statistics import Estimate, Hypothesis, Sprt, Tally, standings

from .course import CoursePoint
from .progress import Progress
from .schedule import Encounter


@dataclass(frozen=True, slots=True)
class StandingsEntry:
    """A row. `number`: the entrant's place in the list of entrants, from 0. `points`: as the format
    counts them. `tally`: all its games that count. `ties`: the figures that break ties, by their
    names. `note`: what else is to be said of the entrant now."""

    rank: int
    number: int
    name: str
    points: float
    tally: Tally
    estimate: Estimate
    ties: tuple[tuple[str, float], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunningTest:
    """How far a test of two entrants is. `accepted`: None until it is decided."""

    sprt: Sprt
    llr: float
    accepted: Hypothesis | None


@dataclass(frozen=True, slots=True)
class Standings:
    """How it stands now. `total`: the most games that there may be; None if nobody knows.
    `entries`: by rank. `encounters`: what entrants, by their numbers, have played against each
    other. `course`: of two entrants, as the first sees it. `rounds`: those that have begun.
    """

    finished: int
    total: int | None
    is_over: bool
    by_pairs: bool
    entries: Sequence[StandingsEntry]
    encounters: Mapping[Encounter, Tally]
    test: RunningTest | None = None
    course: Sequence[CoursePoint] = ()
    rounds: int = 0


class StandingsSource(Protocol):
    """What the standings are read from. Both are asked often, and may cost no more than a sort of
    the entrants."""

    @property
    def version(self) -> int:
        """Changes whenever the standings do."""
        ...

    def now(self) -> Standings: ...


class MatchStandings:
    """The standings of a match, made when they are asked for: a game that ends costs nothing."""

    def __init__(self, progress: Progress, names: Sequence[str]) -> None:
        self._progress = progress
        self._names = names

    @property
    def version(self) -> int:
        """Changes whenever the standings do."""
        return self._progress.finished

    def now(self) -> Standings:
        progress = self._progress
        tallies = {str(number): progress.tally_of(number) for number in range(len(self._names))}
        ranked = standings(tallies, by_pairs=progress.by_pairs)
        entries = []
        for row in ranked:
            number, points = int(row.name), row.tally.games.points
            name = self._names[number]
            entries.append(StandingsEntry(row.rank, number, name, points, row.tally, row.estimate))
        two = len(self._names) == 2
        return Standings(
            progress.finished,
            progress.schedule.total,
            progress.is_over,
            progress.by_pairs,
            entries,
            progress.encounters,
            self._test() if two else None,
            progress.course_until_now() if two else (),
        )

    def _test(self) -> RunningTest | None:
        progress = self._progress
        if progress.sprt is None:
            return None
        return RunningTest(progress.sprt, progress.llr(0, 1), progress.accepted)
