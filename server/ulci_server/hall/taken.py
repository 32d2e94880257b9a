"""Which names are taken by accounts, also for those whose name only looks like one?"""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from ulci_server.lobby.names import looks, taken_for
from ulci_server.storage import Accounts


@dataclass(frozen=True, slots=True)
class TakenNames:
    """Never changes: threads make another one when there are other accounts."""

    stamp: tuple[int, int, datetime | None] = (0, 0, None)
    looks: frozenset[str] = frozenset()

    def refreshed(self, accounts: Accounts) -> Self:
        """As the database has them now. Only new ones are read, if none was removed. For a worker
        thread."""
        stamp = accounts.accounts_stamp()
        if stamp == self.stamp:
            return self
        before, last, _ = self.stamp
        added = accounts.account_names(after=last)
        if added and before + len(added) == stamp[0]:
            return type(self)(stamp, self.looks.union(map(looks, added)))
        return type(self)(stamp, frozenset(map(looks, accounts.account_names())))

    def hold(self, name: str) -> bool:
        """Whether people might take somebody of that name for one of them."""
        return not self.looks.isdisjoint(taken_for(name))
