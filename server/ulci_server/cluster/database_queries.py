"""The queries of a server of the cluster to the database besides the journal, in threads."""

from collections.abc import Callable
from typing import TypeVar

import structlog
import trio

from ulci_server.storage import Askers, StorageError
from ulci_server.storage.membership import BEAT

LOG = structlog.get_logger("ulci_server.cluster")

Result = TypeVar("Result")


class DatabaseQueries:
    """Three at a time: a beat waits neither for a claim of games nor for the lobby."""

    def __init__(self) -> None:
        self._askers = Askers(3)
        self._trouble = ""  # as last logged

    async def ask(self, work: Callable[[], Result]) -> Result:
        """Run `work` in a thread and return its result.

        Raises:
            StorageError: the database does not answer.
            FencedError: `work` writes, and this run may not any more.
        """
        answer = await self._askers.ask(work)
        self._trouble = ""
        return answer

    async def ask_for_ever(self, work: Callable[[], Result]) -> Result:
        """As `ask`, repeated every `BEAT` s until the database answers."""
        while True:
            try:
                return await self.ask(work)
            except StorageError as error:
                self.complain(error)
                await trio.sleep(BEAT)

    def complain(self, error: StorageError) -> None:
        """Log that the database does not answer: once for each reason, until it answers."""
        if (why := str(error)) != self._trouble:
            LOG.warning("the database does not answer", why=why)
        self._trouble = why
