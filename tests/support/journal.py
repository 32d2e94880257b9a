"""A journal without a disk: durable at once, or when the test says so."""

from collections.abc import Callable
from datetime import datetime, timedelta

import trio

from tests.support.facts import NOON
from ulci_server.game import Fact
from ulci_server.storage import Noted


class HeldJournal:
    """Looks like `ulci_server.storage.Journal` to a table."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.held = False
        self._waiting: list[Callable[[], object]] = []

    def note(self, fact: Fact) -> None:
        self.facts.append(fact)

    def save_now(self, fact: Fact) -> bool:
        """Never here: a disk is waited for."""
        self.note(fact)
        return False

    def go_on(self, game: int, at: datetime) -> None:
        """All servers of tests have one clock."""

    def when_durable(self, callback: Callable[[], object]) -> bool:
        if self.held:
            self._waiting.append(callback)
        return not self.held

    def hold(self) -> None:
        """From now on nothing is durable."""
        self.held = True

    def release(self) -> None:
        """The disk is done with everything."""
        self.held = False
        waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback()

    def kinds(self, kind: type) -> list[Fact]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


def now() -> datetime:
    """The mock clock as a calendar has it: the test began at noon."""
    return NOON + timedelta(seconds=trio.current_time())


class DatedJournal(HeldJournal):
    """Remembers when everything was noted, as the database does."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[Noted] = []

    def note(self, fact: Fact) -> None:
        super().note(fact)
        self.noted.append(Noted(fact, now()))
