"""Results of games that ended a short time ago, at any server."""

from collections.abc import Iterable

import trio

from ulci.protocol.messages import Lobby as Line
from ulci_server.game import Seat

RECENT = 300.0
"""Seconds for which results are kept."""

MOST = 10_000
"""Results that are kept: some hundred bytes each."""


class RecentResults:
    """By the hashes of their players' secrets. The lobby alone knows who was not told of a result:
    the next one tells those who return, and were told of it perhaps, from what its server has
    heard."""

    def __init__(self) -> None:
        self._results: dict[str, tuple[float, Line]] = {}

    def add(self, seats: Iterable[Seat], over: Line) -> None:
        """The game of these players is over now."""
        now = trio.current_time()
        for key in (seat.key for seat in seats if seat.key):
            self._results.pop(key, None)  # the newest one is the last
            self._results[key] = now, over
        while len(self._results) > MOST:
            del self._results[next(iter(self._results))]

    def known(self) -> dict[str, Line]:
        """The last result of each."""
        since = trio.current_time() - RECENT
        return {key: over for key, (at, over) in self._results.items() if at >= since}
