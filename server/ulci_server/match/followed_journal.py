"""The journal of a match: its director gets each move with its player's whole analysis.

The record has only a part of the analysis, and a server without a follower spends nothing on the
rest.
"""

from collections.abc import Callable
from datetime import datetime

from ulci_server.game import Fact, MovePlayed
from ulci_server.storage import Database, Journal


def _ignore(move: MovePlayed) -> None:
    """The listener of a journal that nobody follows."""


class FollowedJournal(Journal):
    """`played` is called with each move when it is noted, before it is durable."""

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        super().__init__(database, now=now)
        self.played: Callable[[MovePlayed], object] = _ignore

    def note(self, fact: Fact) -> None:
        if isinstance(fact, MovePlayed):
            self.played(fact)
        super().note(fact)

    def save_now(self, fact: Fact) -> bool:
        if isinstance(fact, MovePlayed):
            self.played(fact)
        return super().save_now(fact)
