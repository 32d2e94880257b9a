"""Round robin and gauntlet: who meets whom is known beforehand.

Rounds follow the Berger tables (FIDE Handbook C.05, annex 1): with an even number of entrants all
play in each round, with an odd number one rests. Who has left loses what it was to play, so that
nobody has met fewer.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State
from ulci_server.tournament.ties import direct_encounter, points_of, sonneborn_berger

from .format import PairingRequest, Ties, Untested


def berger(entrants: int, round_: int) -> Iterator[tuple[int, int]]:
    """The places, from 1, of those who meet in that round, from 1; the first has White."""
    even = entrants + entrants % 2
    turns = even - 1
    wanted = (round_ + 1) % turns if turns > 1 else 0
    for first in range(1, even):
        second = (wanted - first) % turns or turns
        if second == first and turns > 1:
            if even == entrants:
                yield (first, even) if first <= even // 2 else (even, first)
        elif turns == 1:
            if even == entrants:
                yield 1, 2
        elif first < second:
            yield (first, second) if (first + second) % 2 else (second, first)


class _Rounds(Untested):
    """The field is those who were in when the first round began. A round begins as soon as fewer
    games are left of those before than may be played at once; by a timetable or by hand, once those
    are over."""

    names: ClassVar[tuple[str, ...]] = ("direct encounter", "Sonneborn-Berger", "wins")
    pairs_here: ClassVar[bool] = False
    late_entry: ClassVar[bool] = False

    def __init__(self, state: State) -> None:
        self._state = state
        self._known: tuple[int, list[int]] = -1, []

    @property
    def _field(self) -> list[int]:
        state = self._state
        if self._known[0] != state.entrants_version:
            field = sorted(n for n, one in state.entrants.items() if one.plays_in(1))
            self._known = state.entrants_version, field
        return self._known[1]

    @property
    def rounds_in_all(self) -> int:
        raise NotImplementedError

    def _meetings(self, round_: int) -> Iterator[tuple[int, int, int]]:
        """First, second and opening of the encounters of that round."""
        raise NotImplementedError

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:  # noqa: ARG002
        state = self._state
        if new := state.replays():
            return PairingRequest((*new,))
        round_ = state.last_round + 1
        if round_ > self.rounds_in_all or len(self._field) < 2 or not self._may_begin(round_, at):
            return None
        games: list[Pairing] = []
        for first, second, opening in self._meetings(round_):
            games += state.games_of(first, second, round_, opening, games)
        return PairingRequest((*games,)) if games else None

    def _may_begin(self, round_: int, at: float) -> bool:
        settings = self._state.settings
        if settings.by_hand or settings.timetable.every is not None:
            begins = settings.timetable.round_begins(round_)
            return not self._state.open and at >= begins
        return len(self._state.open) < settings.at_once

    def is_over(self, at: float) -> bool:  # noqa: ARG002
        state = self._state
        over = state.last_round >= self.rounds_in_all and not state.open
        return over and not state.replays()

    def wakes_at(self) -> float | None:
        state = self._state
        if state.settings.timetable.every is None or state.last_round >= self.rounds_in_all:
            return None
        return state.settings.timetable.round_begins(state.last_round + 1)

    def ties(self) -> Mapping[int, Ties]:
        state = self._state
        points = points_of(state)
        direct = direct_encounter(state, points)
        berger_points = sonneborn_berger(state, points)
        return {
            n: Ties(
                points[n] / 2,
                (direct[n] / 2, berger_points[n] / 4, float(state.tally(n).games.wins)),
            )
            for n in state.entrants
        }

    @property
    def most_games(self) -> int | None:
        field = len(self._field)
        return self._encounters(field) * self._state.settings.rounds * self._state.settings.games

    def _encounters(self, field: int) -> int:
        raise NotImplementedError


class RoundRobin(_Rounds):
    """Each meets every other, as often as there are repetitions. The opening of an encounter is the
    number of its repetition: all meet in the same ones."""

    @property
    def _turns(self) -> int:
        field = len(self._field)
        return field - 1 + field % 2

    @property
    def rounds_in_all(self) -> int:
        return self._turns * self._state.settings.rounds

    def _meetings(self, round_: int) -> Iterator[tuple[int, int, int]]:
        field = self._field
        repetition, turn = divmod(round_ - 1, self._turns)
        settings = self._state.settings
        swapped = repetition % 2 and settings.games == 1 and settings.swap
        for white, black in berger(len(field), turn + 1):
            first, second = field[white - 1], field[black - 1]
            yield (second, first, repetition) if swapped else (first, second, repetition)

    def _encounters(self, field: int) -> int:
        return field * (field - 1) // 2


class Gauntlet(_Rounds):
    """The first entrants, the seeds, meet all others and each other. A round is a repetition."""

    @property
    def rounds_in_all(self) -> int:
        return self._state.settings.rounds

    def _meetings(self, round_: int) -> Iterator[tuple[int, int, int]]:
        field, settings = self._field, self._state.settings
        swapped = settings.games == 1 and settings.swap
        for place, first in enumerate(field[: settings.seeds]):
            for other, second in enumerate(field[place + 1 :]):
                turn = swapped and (round_ - 1 + other) % 2
                yield (second, first, round_ - 1) if turn else (first, second, round_ - 1)

    def _encounters(self, field: int) -> int:
        seeds = min(self._state.settings.seeds, field)
        return sum(field - 1 - place for place in range(seeds))
