"""Ends a server whose games another one has taken over, and keeps the lock that prevents it."""

from typing import NoReturn

import structlog
import trio

from ulci_server.hall import Hall
from ulci_server.storage import (
    DatabaseLock,
    Journal,
    LockRefusedError,
    StorageError,
    TakenOverError,
)

from .heartbeats import heartbeat

LOG = structlog.get_logger("ulci_server.app")

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
        self._refused = ""
        self._fenced = trio.Event()
        journal.on_fenced(self._fenced.set)

    async def keep(self, hall: Hall, run: int) -> NoReturn:
        """Keep the lock of a lone server. If another server has shut this one, which is `run`, out,
        write nothing more, and send everybody away.

        Raises:
            TakenOverError: then.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_until_fenced, run)
            await self._fenced.wait()
            nursery.cancel_scope.cancel()
        await hall.closing.send_away(TAKEN_OVER, PARTING)
        raise TakenOverError(self._lock.where)

    async def keep_shared(self) -> NoReturn:
        """Keep the lock of one of a cluster, which begins anew if others shut it out. Raises
        `TakenOverError` if a lone server has taken it."""
        while True:
            await self._check()

    async def _keep_until_fenced(self, run: int) -> NoReturn:
        while True:
            if await self._check():
                # Whoever has it may have shut this run out, which shows when it writes.
                self._journal.note(heartbeat(self._journal, run))

    async def _check(self) -> str:
        """After a while, ask for the lock if it was lost. Returns why it is refused, if it is."""
        await trio.sleep(CHECK)
        refused = ""
        try:
            await trio.to_thread.run_sync(self._lock.check, abandon_on_cancel=True)
        except LockRefusedError as error:
            refused = str(error)
        except StorageError:  # the journal says that the database does not answer
            return ""
        if refused != self._refused:
            self._refused = refused
            if refused:
                LOG.warning("the lock of the database was lost, and is refused", why=refused)
            else:
                LOG.info("the lock of the database is held again")
        return refused
