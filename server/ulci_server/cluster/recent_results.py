"""Results of games that ended a short time ago, at any server."""

from collections.abc import Iterable
from typing import NamedTuple, Self

import trio

from ulci.protocol.messages import Lobby as Line

RECENT = 300.0
"""Seconds for which a result can be told."""

MOST = 10_000
"""Players whose results are kept: some hundred bytes each."""


class _Result(NamedTuple):
    """over: None once it was told."""

    at: float
    game: int
    over: Line | None


class RecentResults:
    """The last result of each player, by the hash of its secret. A lobby knows who was not told a
    result. The next one does not: it tells each player that nobody knows when it returns, and may
    tell some for the second time."""

    def __init__(self) -> None:
        self._results: dict[str, _Result] = {}

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)()
        copy._results = self._results.copy()
        return copy

    def add(self, game: int, keys: Iterable[str], over: Line, age: float = 0.0) -> None:
        """The game of the players with these hashes ("": none is known) has been over for `age` s.
        Games may be told of again."""
        if age > RECENT:
            return
        at = trio.current_time() - age
        for key in keys:
            before = self._results.get(key)
            if key and (before is None or before.game < game):
                self._results.pop(key, None)  # the newest one is the last
                self._results[key] = _Result(at, game, over)
        while len(self._results) > MOST:
            del self._results[next(iter(self._results))]

    def take(self, key: str) -> Line | None:
        """The last result of this player, unless it is too old; only once."""
        result = self._results.get(key)
        if result is None:
            return None
        self._results[key] = result._replace(over=None)
        return None if trio.current_time() > result.at + RECENT else result.over
