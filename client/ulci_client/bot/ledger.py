"""The games of a bot: the running ones, and those of the last day. Pure.

All players of a bot share one ledger.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from . import opponent_names

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that runs, or that was agreed to."""

    opponent: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A game that has begun. opponent: by `opponent_names.key`."""

    opponent: str
    at: datetime


class Ledger:
    """The games of one bot, whose players have numbers. on_begun: called after each game has
    begun."""

    def __init__(self) -> None:
        self.on_begun: Callable[[], None] = lambda: None
        self._names: dict[int, str] = {}
        self._running: dict[int, RunningGame] = {}
        self._begun: deque[Begun] = deque()

    # Events of the players

    def arrived(self, seat: int, name: str) -> None:
        """The player of this number is in the lobby under this name."""
        self._names[seat] = name

    def left(self, seat: int) -> None:
        """The player has left the lobby; its game may go on."""
        self._names.pop(seat, None)

    def agreed(self, seat: int, opponent: str, kind: str) -> None:
        """The player has agreed to a game, or plays it."""
        self._running[seat] = RunningGame(opponent, kind)

    def begun(self, seat: int, opponent: str, at: datetime) -> None:
        """The player's game begins; the opponent's kind stays as it was known."""
        known = self._running.get(seat)
        if known is None or opponent_names.key(known.opponent) != opponent_names.key(opponent):
            self._running[seat] = RunningGame(opponent)
        self._begun.append(Begun(opponent_names.key(opponent), at))
        self.on_begun()

    def restore(self, games: Sequence[Begun]) -> None:
        """Restore the games that an earlier run has begun, the oldest first."""
        self._begun.extendleft(reversed(games))

    def free(self, seat: int) -> None:
        """The player does not play any more."""
        self._running.pop(seat, None)

    # Queries

    def running(self) -> Sequence[RunningGame]:
        """The running games."""
        return [*self._running.values()]

    def free_names(self, but: int) -> Iterator[str]:
        """The names of our players that are in the lobby and do not play."""
        return (n for seat, n in self._names.items() if seat != but and seat not in self._running)

    def is_ours(self, name: str) -> bool:
        """Whether one of our own players has that name."""
        return name in self._names.values()

    def played(self, at: datetime) -> Sequence[str]:
        """The opponents (`opponent_names.key`) of all games begun in the day before `at`."""
        return [game.opponent for game in self.games(at)]

    def games(self, at: datetime) -> Sequence[Begun]:
        """All games begun in the day before `at`, the oldest first."""
        while self._begun and at - self._begun[0].at >= DAY:
            self._begun.popleft()
        return [*self._begun]
