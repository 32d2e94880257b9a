"""Notes under which names the programs of accounts log in.

A rating is that of one program: a player with another program, or a new version, should take
another account. Nothing is refused; the log notes a changed name once.
"""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import outcome
import structlog
import trio

from ulci_server.storage import Account, StorageError

LOG = structlog.get_logger("ulci_server.hall")

REMEMBERED = 1000
"""Accounts and names that are remembered: a bridge may log in different engines by one account."""

MOST_DUE = 1000
"""Names that wait to be stored; further ones are dropped, and noted at the next login."""


class ProgramNames:
    """write: stores the name of an account's program, in a thread, so that no login waits for
    it."""

    def __init__(self, write: Callable[[int, str], None]) -> None:
        self._write = write
        self._known: OrderedDict[tuple[int, str], None] = OrderedDict()
        self._due: dict[int, str] = {}
        self._writing = False

    def note(self, account: Account, name: str) -> None:
        """Note the name with which the account's program has logged in."""
        key = account.player, name
        is_known, self._known[key] = key in self._known, None
        self._known.move_to_end(key)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        if is_known or name == account.program:
            return
        if account.program is not None:
            LOG.warning(
                "the program of an account has another name",
                account=account.name,
                before=account.program,
                now=name,
            )
        if len(self._due) < MOST_DUE:
            self._due[account.player] = name
        self._begin()

    def _begin(self) -> None:
        if self._writing or not self._due:
            return
        self._writing, due, self._due = True, self._due, {}
        loop = trio.lowlevel.current_trio_token()

        def deliver(result: outcome.Outcome[None]) -> None:
            # Too late if the server has ended meanwhile.
            with suppress(trio.RunFinishedError):
                loop.run_sync_soon(self._end, result)

        try:
            trio.lowlevel.start_thread_soon(partial(self._write_all, due), deliver)
        except RuntimeError as error:  # the system refuses another thread
            self._end(outcome.Error(StorageError(str(error))))

    def _write_all(self, due: dict[int, str]) -> None:
        for account, name in due.items():
            self._write(account, name)

    def _end(self, result: outcome.Outcome[None]) -> None:
        """What could not be stored is stored at another login."""
        self._writing = False
        try:
            result.unwrap()
        except StorageError as error:
            LOG.warning("names of programs not stored", why=str(error))
            return
        self._begin()
