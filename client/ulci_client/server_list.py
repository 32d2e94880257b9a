"""Which of several servers to dial next, and when."""

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ulci.net import Peer

# Most seconds before another server is dialled: clients that lost the same one together must not
# all come at once, and in a game a clock may be running.
NEXT_PAUSE = 0.25


class Server(Protocol):
    """What a client dials; `RemoteServer` is one."""

    @property
    def address(self) -> object: ...

    def dial(self) -> AbstractAsyncContextManager[Peer]: ...


class ServerList:
    """One player's servers, the first of which is dialled first. Any of a cluster serves anybody,
    so each of the others is tried before the player waits. `chance`: from 0 to 1."""

    def __init__(
        self, servers: Sequence[Server], chance: Callable[[], float] = random.random
    ) -> None:
        self.servers = tuple(servers)
        self._chance = chance
        self._at = 0
        self._tried: set[int] = set()  # since one was good, or since the last pause
        self._not_before = [0.0] * len(self.servers)

    @property
    def current(self) -> Server:
        """To be dialled now, or in use."""
        return self.servers[self._at]

    @property
    def untried(self) -> bool:
        """Whether there is another one to try before giving up."""
        return len(self._tried | {self._at}) < len(self.servers)

    def lost(
        self, at: float, pause: float, *, retry_after: float = 0.0, good: bool = False
    ) -> float:
        """The current server was lost at `at` (s), or could not be reached: turn to the next.

        pause: s to wait once all have been tried. retry_after: s for which this server asks. good:
        whether the connection was, so that all others are worth a try again. Returns the seconds
        until the then current server is to be dialled.
        """
        if good:
            self._tried.clear()
        self._tried.add(self._at)
        self._not_before[self._at] = at + retry_after
        others = [(self._at + step) % len(self.servers) for step in range(1, len(self.servers))]
        for other in others:
            if other not in self._tried and self._not_before[other] <= at:
                self._at = other
                return min(pause, NEXT_PAUSE * self._chance())
        self._tried.clear()
        self._at = min(
            [*others, self._at], key=lambda each: max(self._not_before[each], at + pause)
        )
        return max(pause, self._not_before[self._at] - at)


def stranger(before: object, now: object) -> str:
    """What to tell a player whose seat at server `before` the server `now` does not know."""
    return (
        f"{now} does not know the seat that was kept at {before}: only servers of one cluster know"
        " each other's players and games"
    )
