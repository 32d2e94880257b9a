"""Ends a server whose games another one has taken over, and keeps the lock that prevents it."""

from contextlib import suppress
from typing import NoReturn

import trio

from ulci_server.hall import Hall
from ulci_server.storage import DatabaseLock, Journal, StorageError, TakenOverError

CHECK = 1.0
"""Seconds between two looks whether the lock is still there: as soon after a restart of PostgreSQL
a second server is refused again."""

TAKEN_OVER = "another server goes on with the games of this one"
"""What players are told."""

PARTING = 2.0
"""Seconds for players to read it."""


class LockKeeper:
    """Of one server. Make it before the journal runs."""

    def __init__(self, lock: DatabaseLock, journal: Journal) -> None:
        self._lock = lock
        self._journal = journal
        self._fenced = trio.Event()
        journal.on_fenced(self._fenced.set)

    async def keep(self, hall: Hall) -> NoReturn:
        """Keep the lock of a lone server. If another server has taken it, or has shut this one out,
        write nothing more, and send everybody away.

        Raises:
            TakenOverError: then.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_until_taken)
            await self._fenced.wait()
            nursery.cancel_scope.cancel()
        await hall.closing.send_away(TAKEN_OVER, PARTING)
        raise TakenOverError(self._lock.where)

    async def keep_shared(self) -> NoReturn:
        """Keep the lock of one of a cluster, which begins anew if others shut it out. Raises
        `TakenOverError` if a lone server has taken it."""
        while True:
            await trio.sleep(CHECK)
            with suppress(StorageError):  # the journal says that the database does not answer
                await trio.to_thread.run_sync(self._lock.check, abandon_on_cancel=True)

    async def _keep_until_taken(self) -> None:
        try:
            await self.keep_shared()
        except TakenOverError:
            await self._journal.abandon()
