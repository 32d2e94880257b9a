"""A ladder: for ever, those who are free meet somebody near in the standings."""

from collections.abc import Mapping
from math import inf, isinf
from typing import ClassVar

from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State

from .format import PairingRequest, Ties, Untested

PRIOR = 4
"""Draws that each is given: a winner of one game does not lead by it."""


class Ladder(Untested):
    """The rank is by points a game. It ends when somebody stops it."""

    names: ClassVar[tuple[str, ...]] = ("games",)
    pairs_here: ClassVar[bool] = True
    late_entry: ClassVar[bool] = True

    def __init__(self, state: State) -> None:
        self._state = state
        self._neighbours = Neighbours(state)

    def _strength(self, entrant: int) -> float:
        games = self._state.tally(entrant).games
        return (games.points + PRIOR / 2) / (games.total + PRIOR)

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:
        state = self._state
        games: list[Pairing] = []
        order = sorted(free, key=lambda n: (-self._strength(n), n))
        for first, second in self._neighbours.pairs(at, order):
            opening = state.last_number + len(games)
            both = whites_first(state, first, second)
            games += state.games_of(*both, state.last_round + 1, opening, games)
        return PairingRequest((*games,)) if games else None

    def is_over(self, at: float) -> bool:  # noqa: ARG002
        return False

    def wakes_at(self) -> float | None:
        wakes = self._neighbours.wakes_at
        return None if isinf(wakes) else wakes

    def ties(self) -> Mapping[int, Ties]:
        state = self._state
        return {
            n: Ties(round(self._strength(n), 4), (float(state.tally(n).games.total),))
            for n in state.entrants
        }

    @property
    def most_games(self) -> int | None:
        return None


LOOKED_AT = 8
"""Neighbours in the standings among whom another one than the last opponent is looked for."""

REMATCH = 4.0
"""Seconds for which two free entrants wait for others, while others play, if their last games were
with each other."""


class Neighbours:
    """Pairs free entrants that are near each other in the standings. Without a wait, two whose game
    is over would meet again and again: nobody else is free at that moment."""

    def __init__(self, state: State) -> None:
        self.wakes_at = inf
        """When two who wait for others meet again, in s since the tournament began."""
        self._state = state
        self._free_since: dict[int, float] = {}

    def pairs(self, at: float, order: list[int]) -> list[tuple[int, int]]:
        """The pairs to play now. at: s since the tournament began. order: free entrants, from the
        first in the standings on; those with an open pairing, or that have left, are left out."""
        state, self.wakes_at = self._state, inf
        waiting = [n for n in order if state.is_in(n) and not _is_paired(state, n)]
        self._free_since = {n: self._free_since.get(n, at) for n in waiting}
        found = _neighbours(state, waiting)
        return [pair for pair in found if not self._waits(at, *pair)] if state.open else found

    def _waits(self, at: float, first: int, second: int) -> bool:
        due = max(self._free_since[first], self._free_since[second]) + REMATCH
        if at >= due or not _met_last(self._state, first, second):
            return False
        self.wakes_at = min(self.wakes_at, due)
        return True


def _neighbours(state: State, waiting: list[int]) -> list[tuple[int, int]]:
    """Each with the next who is not its last opponent, if one of the next `LOOKED_AT` is not. Two
    who are left and met last change with a pair near them."""
    waiting = [*waiting]
    pairs: list[tuple[int, int]] = []
    while len(waiting) > 1:
        first = waiting.pop(0)
        others = waiting[:LOOKED_AT]
        fresh = (n for n in others if not _met_last(state, first, n))
        second = next(fresh, others[0])
        waiting.remove(second)
        pairs.append((first, second))
    if pairs and _met_last(state, *pairs[-1]):
        _exchange(state, pairs)
    return pairs


def _exchange(state: State, pairs: list[tuple[int, int]]) -> None:
    """Let the last two meet those of another pair, so that nobody meets its last opponent."""
    third, fourth = pairs[-1]
    for place in range(len(pairs) - 2, max(-1, len(pairs) - 2 - LOOKED_AT), -1):
        first, second = pairs[place]
        for one, other in ((third, fourth), (fourth, third)):
            if not (_met_last(state, first, one) or _met_last(state, second, other)):
                pairs[place], pairs[-1] = (first, one), (second, other)
                return


def _met_last(state: State, first: int, second: int) -> bool:
    return last_opponent(state, first) == second or last_opponent(state, second) == first


def _is_paired(state: State, entrant: int) -> bool:
    numbers = state.of_entrant.get(entrant, ())
    boards = state.entrants[entrant].boards
    return sum(number in state.open for number in numbers[-2 * boards :]) >= boards


def last_opponent(state: State, entrant: int) -> int | None:
    """None: it has had none."""
    numbers = state.of_entrant.get(entrant)
    return state.opponent(numbers[-1], entrant) if numbers else None


def whites_first(state: State, first: int, second: int) -> tuple[int, int]:
    """White and Black: whoever had White less often has it, or did not have it in its last game."""
    a, b = _balance(state, first), _balance(state, second)
    return (first, second) if a <= b else (second, first)


def _balance(state: State, entrant: int) -> tuple[int, bool]:
    numbers = state.of_entrant.get(entrant, [])
    whites = state.whites[entrant]
    had_white = bool(numbers) and state.pairings[numbers[-1]].white == entrant
    return 2 * whites - len(numbers), had_white
