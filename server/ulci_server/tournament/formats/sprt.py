"""A test of two: pairs of games until one of two hypotheses is accepted."""

from collections.abc import Mapping
from typing import ClassVar

from ulci_server.statistics import Hypothesis
from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State
from ulci_server.tournament.ties import points_of

from .format import PairingRequest, Ties


class TestOfTwo:
    """`rounds` pairs are played at most. Those that are on when it is decided are played to the
    end, and count."""

    __test__ = False  # pytest looks at names

    names: ClassVar[tuple[str, ...]] = ("wins",)
    pairs_here: ClassVar[bool] = False
    late_entry: ClassVar[bool] = False

    def __init__(self, state: State) -> None:
        self._state = state
        self._decided_at: tuple[int, Hypothesis | None] = -1, None

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
        while len(state.open) + len(games) < settings.concurrency and round_ < settings.rounds:
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
    def accepted(self) -> Hypothesis | None:
        state, test = self._state, self._state.settings.test
        if test is None or len(state.entrants) < 2:
            return None
        version, known = self._decided_at
        if version != state.version:
            tally = state.tally_against(*sorted(state.entrants)[:2])
            llr = test.llr(tally.counted(by_pairs=state.settings.by_pairs))
            known = test.accepted(llr)
            self._decided_at = state.version, known
        return known
