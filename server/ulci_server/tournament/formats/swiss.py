"""A Swiss, paired by FIDE's Dutch system (Handbook C.04.3) in a process of its own, from a report
that is made in a thread: of 1,000 entrants and nine rounds it takes 80 ms.

An encounter counts as one game of the rules: whoever has more of its games has the point. A round
is paired when all of those before are decided. Who enters late has half a point for each round that
it missed; whom nobody is left for has a whole one.

The rules are those that were in force until January 2026, which py4swiss 0.3.1 follows: of 713
rounds drawn by chance, with late entrants and withdrawals, bbpPairings 5.0.1 pairs all but one the
same. bbpPairings 6.0.0, of the rules since, differs in 14: byes, and floats of those who were away.
"""

from collections.abc import Mapping
from typing import ClassVar

from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State
from ulci_server.tournament.ties import buchholz_cut_1, encounter_points, game_points
from ulci_server.tournament.trf import report, seeded

from .format import PairingRequest, Ties, Untested

MISSED = "it had not entered yet"


class Swiss(Untested):
    """Ties: Buchholz without the lowest opponent, Buchholz, Sonneborn-Berger (FIDE Handbook
    C.07), then the points of single games, and wins."""

    names: ClassVar[tuple[str, ...]] = (
        "Buchholz cut 1",
        "Buchholz",
        "Sonneborn-Berger",
        "game points",
        "wins",
    )
    pairs_here: ClassVar[bool] = False
    late_entry: ClassVar[bool] = True

    def __init__(self, state: State) -> None:
        self._state = state

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:  # noqa: ARG002
        state, settings = self._state, self._state.settings
        if new := state.replays():
            return PairingRequest((*new,))
        round_ = state.last_round + 1
        if state.open or round_ > settings.rounds:
            return None
        if at < settings.timetable.round_begins(round_):
            return None
        playing = (one for one in state.entrants.values() if one.plays_in(round_))
        if next(playing, None) is None or next(playing, None) is None:
            return None
        return PairingRequest(slow=True, round=round_)

    def is_over(self, at: float) -> bool:  # noqa: ARG002
        state = self._state
        if state.open or state.replays():
            return False
        left = sum(one.plays_in(state.last_round + 1) for one in state.entrants.values())
        return state.last_round >= state.settings.rounds or (state.last_round > 0 and left < 2)

    def wakes_at(self) -> float | None:
        state = self._state
        if state.settings.timetable.every is None or state.last_round >= state.settings.rounds:
            return None
        return state.settings.timetable.round_begins(state.last_round + 1)

    def ties(self) -> Mapping[int, Ties]:
        state = self._state
        points = encounter_points(state)
        cut, whole, berger = buchholz_cut_1(state)
        games = game_points(state)
        return {
            n: Ties(
                points[n] / 2,
                (
                    *(cut[n] / 2, whole[n] / 2, berger[n] / 4, games[n] / 2),
                    float(state.tally(n).games.wins),
                ),
            )
            for n in state.entrants
        }

    @property
    def most_games(self) -> int | None:
        state = self._state
        return len(state.entrants) // 2 * state.settings.rounds * state.settings.games


def prepared(state: State, round_: int) -> PairingRequest:
    """All that the worker process needs to pair that round."""
    settings = state.settings
    byes = _byes_of_late(state, round_)
    order = seeded(state, round_)
    return PairingRequest(
        (*byes,),
        slow=True,
        round=round_,
        swiss=report(state, order, round_, byes),
        entrants=(*order,),
        games=settings.games,
        swap=settings.swap,
        first_number=state.last_number + len(byes) + 1,
    )


def _byes_of_late(state: State, round_: int) -> list[Pairing]:
    byes: list[Pairing] = []
    for n, one in sorted(state.entrants.items()):
        if one.joined == round_ > 1 and not state.of_entrant[n]:  # it has not come back
            for missed in range(1, round_):
                number = state.last_number + len(byes) + 1
                byes.append(Pairing(number, missed, n, None, 0, "1/2-1/2", MISSED))
    return byes
