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
"""Seconds between two checks of the lock: so soon after a restart of PostgreSQL a second server is
refused again."""

TAKEN_OVER = "another server goes on with the games of this one"
"""The reason that players get."""

PARTING = 2.0
"""Seconds for players to read it."""


class LockKeeper:
    """The lock of one server. Make it before the journal runs."""

    def __init__(self, lock: DatabaseLock, journal: Journal) -> None:
        self._lock = lock
        self._journal = journal
        self._refused = ""
        self._fenced = trio.Event()
        journal.on_fenced(self._fenced.set)

    async def keep(self, hall: Hall, run: int) -> NoReturn:
        """Keep the lock of a lone server. run: the number of this run. If another server has shut
        this run out, write nothing more and disconnect all players.

        Raises:
            TakenOverError: another server has shut this run out.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_until_fenced, run)
            await self._fenced.wait()
            nursery.cancel_scope.cancel()
        await hall.closing.send_away(TAKEN_OVER, PARTING)
        raise TakenOverError(self._lock.where)

    async def keep_shared(self) -> NoReturn:
        """Keep the lock of one of a cluster, which restarts if others shut it out. Raises
        `TakenOverError` if a lone server has taken it."""
        while True:
            await self._check()

    async def _keep_until_fenced(self, run: int) -> NoReturn:
        while True:
            if await self._check():
                # The server that has the lock may have shut this run out: a write shows that.
                self._journal.note(heartbeat(self._journal, run))

    async def _check(self) -> str:
        """After `CHECK` s, ask for the lock again if it was lost. Returns why it was refused, if it
        was."""
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
