"""Reads the ratings of accounts again after their games, as these change them in the database."""

from collections.abc import Awaitable, Callable, Collection, Mapping

import structlog
import trio

from ulci_server.lobby import KnownRating
from ulci_server.storage import StorageError

LOG = structlog.get_logger("ulci_server.hall")

MOST_AT_ONCE = 200
"""Accounts of one question."""

Ratings = Mapping[str, KnownRating]
"""By pool."""

Read = Callable[[Collection[int]], Awaitable[Mapping[int, Ratings]]]


class RatingRefresh:
    """start: runs a task in the background. read: the ratings of these accounts. tell: the ratings
    of an account as they are now. The accounts of games that end while the database is asked are
    asked for together: a thousand ends at once cost a few questions."""

    def __init__(
        self,
        start: Callable[[Callable[[], Awaitable[None]]], None],
        read: Read,
        tell: Callable[[int, Ratings], None],
    ) -> None:
        self._start = start
        self._read = read
        self._tell = tell
        self._wanted: dict[int, None] = {}
        self._asking = False

    def want(self, account: int) -> None:
        """Its ratings may have changed."""
        self._wanted[account] = None
        if not self._asking:
            self._asking = True
            self._start(self._refresh)

    async def _refresh(self) -> None:
        try:
            while self._wanted:
                asked = [*self._wanted][:MOST_AT_ONCE]
                for account in asked:
                    del self._wanted[account]
                await self._refresh_some(asked)
        finally:
            self._asking = False

    async def _refresh_some(self, accounts: Collection[int]) -> None:
        """As long as the database does not answer, the ratings stay as they were known."""
        try:
            found = await self._read(accounts)
        except StorageError as error:
            LOG.warning("ratings not read", accounts=len(accounts), error=str(error))
            return
        for account, ratings in found.items():
            self._tell(account, ratings)
            await trio.lowlevel.checkpoint()  # an account may have a hundred connections
