"""The pause before a reconnection, by what may be lost meanwhile. Pure."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ulci_client.reconnect import Backoff

# A connection that lasted this long (s) was good: after it the pauses start small again.
GOOD_LINE = 60.0

# First and longest pause (s) during a game: a clock may be running.
GAME_PAUSE = 0.25
LONGEST_GAME_PAUSE = 2.0

# Seconds for which these pauses also hold after an open seek: its game may have started. Only once
# until a connection was good, to spare a server that crashes at every seek. Then the longest pause
# until the server answers: it keeps a seat for a limited time.
DOUBT = 60.0
LONGEST_DOUBTFUL_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class LostConnection:
    """A connection that ended `at` (s), or an attempt that failed.

    lived: s since dialling. greeted: whether a relay answered. in_game: whether a game is on.
    asked: whether a seek was open on the last connection.
    """

    at: float
    lived: float = 0.0
    greeted: bool = True
    in_game: bool = False
    asked: bool = False

    @property
    def was_good(self) -> bool:
        return self.greeted and self.lived >= GOOD_LINE


class RedialPolicy:
    """One player's pauses. `chance` is for `Backoff`."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self._pauses = Backoff(chance)
        self._game_pauses = Backoff(chance, first=GAME_PAUSE, longest=LONGEST_GAME_PAUSE)
        self._doubt_ends = -math.inf
        self._doubted = False  # since a connection was good, or had a game

    def pause(self, lost: LostConnection) -> float:
        """Seconds until the next attempt."""
        good = lost.was_good
        if good:
            self._pauses.succeeded()
        if good or (lost.greeted and lost.in_game):
            self._game_pauses.succeeded()
            self._doubted = False
        if lost.greeted and lost.asked and not self._doubted:
            self._doubted, self._doubt_ends = True, lost.at + DOUBT
        return self._next(lost)

    def _next(self, lost: LostConnection) -> float:
        if lost.in_game or lost.at < self._doubt_ends:
            return self._game_pauses.next()
        pause = self._pauses.next()
        return min(pause, LONGEST_DOUBTFUL_PAUSE) if lost.asked and not lost.greeted else pause
