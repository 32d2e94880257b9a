"""Keeps the games of the last day in a file while a bot plays."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import trio

from ulci_client.bot.games_file import GamesFileError, read_games, write_games
from ulci_client.bot.ledger import Ledger

# Seconds between two writes, at least: the first game is on the disk at once, and a bot that plays
# many writes a second's games together.
PAUSE = 1.0


class GamesKeeper:
    """Stores the games of the last day. complain: called once with each fault."""

    def __init__(
        self,
        path: Path,
        ledger: Ledger,
        now: Callable[[], datetime],
        complain: Callable[[str], None],
    ) -> None:
        self._path = path
        self._ledger = ledger
        self._now = now
        self._complain = complain
        self._usable = True
        self._complaint = ""
        self._changed = trio.Event()

    def restore(self) -> None:
        """Read the games that an earlier run has stored."""
        try:
            games, damage = read_games(self._path, self._now())
        except GamesFileError as error:
            self._usable = False
            self._complain(str(error))
            return
        if damage:
            self._complain(damage)
        self._ledger.restore(games)
        self._ledger.on_begun = self._begun

    def _begun(self) -> None:
        self._changed.set()

    async def run(self) -> None:
        """Write every game until cancelled, the last one too."""
        try:
            while self._usable:
                await self._changed.wait()
                await self._write()
                await trio.sleep(PAUSE)
        finally:
            if self._changed.is_set():
                await self._write()

    async def _write(self) -> None:
        self._changed = trio.Event()
        games = self._ledger.games(self._now())
        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(write_games, self._path, games)
        except GamesFileError as error:
            if str(error) != self._complaint:
                self._complaint = str(error)
                self._complain(self._complaint)
