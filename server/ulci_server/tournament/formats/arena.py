"""An arena: for so many minutes, free players meet others near them in the standings.

Lichess's points (lichess.org/tournament/help): a win has two, a draw one, a loss none; whoever has
won two games in a row has doubled points until a game is not won. A win with half the time
(berserk) has one point more, if the winner has made seven moves. Games that are on at the end
count.
"""

from collections.abc import Mapping
from typing import ClassVar

from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State

from .format import PairingRequest, Ties, Untested
from .ladder import Neighbours, whites_first

STREAK = 2
"""Wins in a row by which points are doubled."""

BERSERK_MOVES = 7
"""Own moves, without those of the opening, of a win with half the time that has one point more."""


class Arena(Untested):
    """Points of an entrant are counted again when one of its games is decided: in the order of its
    games, which are one after the other."""

    names: ClassVar[tuple[str, ...]] = ("wins", "games")
    pairs_here: ClassVar[bool] = True
    late_entry: ClassVar[bool] = True

    def __init__(self, state: State) -> None:
        self._state = state
        self._points: dict[int, tuple[int, int]] = {}  # and the streak
        self._neighbours = Neighbours(state)

    @property
    def _ends_at(self) -> float:
        return 60 * self._state.settings.minutes

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:
        state = self._state
        if at >= self._ends_at:
            return None
        self._renew()
        order = sorted(free, key=lambda n: (-self._points.get(n, (0, 0))[0], n))
        games: list[Pairing] = []
        for first, second in self._neighbours.pairs(at, order):
            number = state.last_number + len(games) + 1
            white, black = whites_first(state, first, second)
            games.append(Pairing(number, 1, white, black, number - 1))
        return PairingRequest((*games,)) if games else None

    def _renew(self) -> None:
        for entrant in self._state.take_changed():
            self._points[entrant] = self._counted(entrant)

    def _counted(self, entrant: int) -> tuple[int, int]:
        state, points, streak = self._state, 0, 0
        for number in state.decided(entrant):
            halves = state.halves(number, entrant) or 0
            points += halves * (2 if streak >= STREAK else 1)
            streak = streak + 1 if halves == 2 else 0
            if halves == 2 and self._was_berserk(number, entrant):
                points += 1
        return points, streak

    def _was_berserk(self, number: int, entrant: int) -> bool:
        result = self._state.results.get(number)
        if result is None:
            return False
        side = int(self._state.pairings[number].white != entrant)
        return result.berserk[side] and result.moves[side] >= BERSERK_MOVES

    def is_over(self, at: float) -> bool:
        return at >= self._ends_at

    def wakes_at(self) -> float | None:
        return min(self._ends_at, self._neighbours.wakes_at)

    def ties(self) -> Mapping[int, Ties]:
        self._renew()
        state = self._state
        found = {}
        for n in state.entrants:
            points, streak = self._points.get(n, (0, 0))
            games = state.tally(n).games
            note = "on fire" if streak >= STREAK else ""
            found[n] = Ties(float(points), (float(games.wins), -float(games.total)), note)
        return found

    @property
    def most_games(self) -> int | None:
        return None
