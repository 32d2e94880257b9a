"""A knockout: the winner of more of an encounter's games is through.

The bracket is drawn from the seeds, by rating and then in the order of entering: the first two can
meet in the final only, and byes go to the first ones. If an encounter is drawn, up to
`TIE_BREAKS` further pairs of games are played, and then the higher seed is through.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State

from .format import PairingRequest, Ties, Untested

TIE_BREAKS = 3
"""Further pairs of an encounter: openings and luck decide the next ones."""


def bracket(size: int) -> list[int]:
    """The seeds, from 1, from the top of a bracket of 2**n places to its bottom."""
    order = [1]
    while len(order) < size:
        doubled = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, doubled - one)]
    return order


class Knockout(Untested):
    """Openings: those of a round are the same for all encounters; each further pair has the next
    one."""

    names: ClassVar[tuple[str, ...]] = ("round reached", "wins")
    pairs_here: ClassVar[bool] = False
    late_entry: ClassVar[bool] = False

    def __init__(self, state: State) -> None:
        self._state = state
        self._known: tuple[int, list[int]] = -1, []
        self._won: dict[int, dict[tuple[int, int], int]] = {}
        """By entrant: who is through, by the other one and the round, as far as is known."""

    @property
    def _seeds(self) -> list[int]:
        state = self._state
        if self._known[0] != state.entrants_version:
            field = (one for one in state.entrants.values() if one.plays_in(1))
            order = sorted(field, key=lambda e: (-(e.rating or 0), e.number))
            self._known = state.entrants_version, [one.number for one in order]
            self._won.clear()
        return self._known[1]

    def _places(self) -> list[int | None]:
        """The entrants in the order of the bracket; None: nobody."""
        seeds = self._seeds
        size = 1
        while size < len(seeds):
            size *= 2
        return [seeds[seed - 1] if seed <= len(seeds) else None for seed in bracket(size)]

    def _renew(self) -> None:
        for entrant in self._state.take_changed():
            self._won.pop(entrant, None)

    def _through(self) -> tuple[int, list[int | None]]:
        """The round that is played, from 1, and who are in it, in the order of the bracket."""
        self._renew()
        places, round_ = self._places(), 1
        while len(places) > 1:
            winners = [
                self._winner(places[i], places[i + 1], round_) for i in range(0, len(places), 2)
            ]
            if 0 in winners:
                break
            places, round_ = winners, round_ + 1
        return round_, places

    def _winner(self, first: int | None, second: int | None, round_: int) -> int | None:
        """0: nobody yet. None: nobody was there."""
        if first is None or second is None:
            return first if second is None else second
        known = self._won.setdefault(first, {})
        if (found := known.get((second, round_))) is None:
            found = known[second, round_] = self._counted(first, second, round_)
        return found

    def _counted(self, first: int, second: int, round_: int) -> int:
        state = self._state
        numbers = state.encounter(first, second, round_)
        if not numbers or any(state.score(number) is None for number in numbers):
            return 0
        mine = sum(state.halves(number, first) or 0 for number in numbers)
        theirs = sum(state.halves(number, second) or 0 for number in numbers)
        if mine != theirs:
            return first if mine > theirs else second
        if len(numbers) < (1 + TIE_BREAKS) * state.settings.games:
            return 0
        return min(first, second, key=self._seeds.index)

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:  # noqa: ARG002
        state = self._state
        if len(self._seeds) < 2:
            return None
        if new := state.replays():
            return PairingRequest((*new,))
        round_, places = self._through()
        if len(places) == 1:
            return None
        if round_ > max(state.last_round, 0) and not self._may_begin(round_, at):
            return None
        games: list[Pairing] = []
        for i in range(0, len(places), 2):
            games += self._games(places[i], places[i + 1], round_, games)
        return PairingRequest((*games,)) if games else None

    def _may_begin(self, round_: int, at: float) -> bool:
        return not self._state.open and at >= self._state.settings.timetable.round_begins(round_)

    def _games(
        self, first: int | None, second: int | None, round_: int, after: Sequence[Pairing]
    ) -> list[Pairing]:
        if first is None or second is None or self._winner(first, second, round_) != 0:
            return []
        state = self._state
        numbers = state.encounter(first, second, round_)
        if any(state.score(number) is None for number in numbers):
            return []
        pairs = len(numbers) // state.settings.games
        both = (second, first) if (pairs + round_) % 2 == 0 else (first, second)
        opening = (round_ - 1) * (1 + TIE_BREAKS) + pairs
        return state.games_of(*both, round_, opening, after)

    def is_over(self, at: float) -> bool:  # noqa: ARG002
        return len(self._seeds) > 1 and len(self._through()[1]) == 1

    def wakes_at(self) -> float | None:
        state = self._state
        if state.settings.timetable.every is None or self.is_over(0):
            return None
        return state.settings.timetable.round_begins(state.last_round + 1)

    def ties(self) -> Mapping[int, Ties]:
        state = self._state
        reached = dict.fromkeys(state.entrants, 0)
        self._renew()
        places, round_ = self._places(), 1
        while True:
            for one in places:
                if one:
                    reached[one] = round_
            if len(places) <= 1 or 0 in places:
                break
            pairs = range(0, len(places), 2)
            places = [
                0 if 0 in (a := places[i : i + 2]) else self._winner(a[0], a[1], round_)
                for i in pairs
            ]
            round_ += 1
            if not any(places):
                break
        return {
            n: Ties(float(reached[n]), (float(reached[n]), float(state.tally(n).games.wins)))
            for n in state.entrants
        }

    @property
    def most_games(self) -> int | None:
        return None  # ties are broken by more
