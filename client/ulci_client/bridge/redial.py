"""How long a bridge waits before it calls again, by what it may be missing. Pure."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ulci_client.backoff import Backoff

# A line that lived this long (s) was a good one: when it breaks, waiting starts from the beginning.
GOOD_LINE = 60.0

# Seconds before a line is dialled again while a game is on, at first and at most: a clock runs.
GAME_PAUSE = 0.25
LONGEST_GAME_PAUSE = 2.0

# Seconds for which this also holds where we asked for a game, and cannot know whether it has begun.
# Only once until a line is a good one: a server that falls over at every seek is left in peace. And
# the longest pause after that until a server is met again, which keeps a seat for some time only.
DOUBT = 60.0
LONGEST_DOUBTFUL_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class Lost:
    """A line that ended `at` (s), or a call that did not lead to one.

    lived: s since it was dialled. greeted: whether it was a server's. in_game: whether a game is
    on. asked: whether a seek stood on the newest line that there was. retry_after: s for which the
    server asked.
    """

    at: float
    lived: float = 0.0
    greeted: bool = True
    in_game: bool = False
    asked: bool = False
    retry_after: float = 0.0


class Redial:
    """Of one player. `chance` is for `Backoff`."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self._pauses = Backoff(chance)
        self._game_pauses = Backoff(chance, first=GAME_PAUSE, longest=LONGEST_GAME_PAUSE)
        self._doubt_ends = -math.inf
        self._doubted = False  # since a line was good, or had a game

    def pause(self, lost: Lost) -> float:
        """Seconds until the next call."""
        good = lost.greeted and lost.lived >= GOOD_LINE
        if good:
            self._pauses.succeeded()
        if good or (lost.greeted and lost.in_game):
            self._game_pauses.succeeded()
            self._doubted = False
        if lost.greeted and lost.asked and not self._doubted:
            self._doubted, self._doubt_ends = True, lost.at + DOUBT
        return max(self._next(lost), lost.retry_after)

    def _next(self, lost: Lost) -> float:
        if lost.in_game or lost.at < self._doubt_ends:
            return self._game_pauses.next()
        pause = self._pauses.next()
        return min(pause, LONGEST_DOUBTFUL_PAUSE) if lost.asked and not lost.greeted else pause
