"""A test of two: pairs of games until one of two hypotheses is accepted."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ulci_server.statistics import (
    Hypothesis,
    Pentanomial,
    Points,
    Sprt,
    Trinomial,
    estimate,
)
from ulci_server.tournament.course import Course, CoursePoint
from ulci_server.tournament.records import SCORES, Pairing, PairKey
from ulci_server.tournament.state import State
from ulci_server.tournament.ties import points_of

from .format import PairingRequest, Ties

POINTS: tuple[Points, Points, Points] = (0, 1, 2)


class TestOfTwo:
    """`rounds` pairs are played at most. A pair is tested when its last game ends, in the order of
    those ends, and the first bound that is crossed decides for good: games that are on then are
    played to the end and count for the standings alone. So does what was decided without a game.
    """

    __test__ = False  # pytest looks at names

    names: ClassVar[tuple[str, ...]] = ("wins",)
    pairs_here: ClassVar[bool] = False
    late_entry: ClassVar[bool] = False

    def __init__(self, state: State) -> None:
        self._state = state
        self._test: Sprt | None = state.settings.test
        self._corrections = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Corrections may change what was known long ago."""
        self._tested = 0  # results
        self._llr = 0.0
        self._accepted: Hypothesis | None = None
        self._course = Course()
        self._halves: dict[PairKey, list[Points]] = {}  # of the first entrant, in unfinished pairs
        self._counts = Pentanomial() if self._state.settings.by_pairs else Trinomial()

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:  # noqa: ARG002
        state = self._state
        if len(state.entrants) < 2 or self.accepted is not None:
            return None
        if new := state.replays():
            return PairingRequest((*new,))
        first, second = sorted(state.entrants)[:2]
        games: list[Pairing] = []
        round_ = state.last_round
        settings = state.settings
        while len(state.open) + len(games) < settings.at_once and round_ < settings.rounds:
            round_ += 1
            games += state.games_of(first, second, round_, round_ - 1, games)
        return PairingRequest((*games,)) if games else None

    def is_over(self, at: float) -> bool:  # noqa: ARG002
        state = self._state
        left = any(one.left is not None for one in state.entrants.values())
        if self.accepted is not None or left:
            return True
        return state.last_round >= state.settings.rounds and not (state.open or state.replays())

    def wakes_at(self) -> float | None:
        return None

    def ties(self) -> Mapping[int, Ties]:
        state = self._state
        points = points_of(state)
        return {n: Ties(points[n] / 2, (float(state.tally(n).games.wins),)) for n in state.entrants}

    @property
    def most_games(self) -> int | None:
        return self._state.settings.rounds * self._state.settings.games

    @property
    def llr(self) -> float:
        """Of what has been tested, up to the decision."""
        self._go_on()
        return self._llr

    @property
    def accepted(self) -> Hypothesis | None:
        self._go_on()
        return self._accepted

    @property
    def course(self) -> Sequence[CoursePoint]:
        """As far as it has been tested."""
        self._go_on()
        return [*self._course.points]

    def _go_on(self) -> None:
        """Test what has ended meanwhile."""
        state = self._state
        if self._corrections != state.corrections:
            self._corrections = state.corrections
            self._begin_anew()
        while self._tested < len(state.ended) and self._accepted is None:
            number = state.ended[self._tested]
            self._tested += 1
            if self._test is not None and self._add(number):
                self._llr = self._test.llr(self._counts)
                self._accepted = self._test.accepted(self._llr)
                self._course.note(self._point)

    def _point(self) -> CoursePoint:
        games = self._counts.total * (2 if isinstance(self._counts, Pentanomial) else 1)
        found = estimate(self._counts)
        return CoursePoint(games, found.elo, found.elo_error, self._llr)

    def _add(self, number: int) -> bool:
        """Whether there is more to be tested."""
        state = self._state
        pairing = state.pairings.get(number)
        if pairing is None or (score := state.score(number)) is None:
            return False
        halves = POINTS[SCORES[score][pairing.white > (pairing.black or 0)]]
        if isinstance(self._counts, Trinomial):
            self._counts += Trinomial.of([halves])
            return True
        games = self._halves.setdefault(pairing.key, [])
        games.append(halves)
        if len(games) != 2:
            return False
        self._counts += Pentanomial.of([(games[0], games[1])])
        del self._halves[pairing.key]
        return True
