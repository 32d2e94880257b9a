"""Names that accounts reserve, and names that look like them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from ulci_server.lobby.names import looks, taken_for
from ulci_server.storage import Accounts


@dataclass(frozen=True, slots=True)
class ReservedNames:
    """Immutable: a thread makes a new one when accounts have changed."""

    stamp: tuple[int, int, datetime | None] = (0, 0, None)
    looks: frozenset[str] = frozenset()

    def refreshed(self, accounts: Accounts) -> Self:
        """The names as stored now; only new ones are read if none was removed. For a worker
        thread."""
        stamp = accounts.accounts_stamp()
        if stamp == self.stamp:
            return self
        before, last, _ = self.stamp
        added = accounts.account_names(after=last)
        if added and before + len(added) == stamp[0]:
            return type(self)(stamp, self.looks.union(map(looks, added)))
        return type(self)(stamp, frozenset(map(looks, accounts.account_names())))

    def covers(self, name: str) -> bool:
        """Whether people might take this name for that of an account."""
        return not self.looks.isdisjoint(taken_for(name))
