"""Ends games that died with their server: they were over before it could announce that, or not
stored yet."""

from collections.abc import Callable, Collection
from functools import partial

import structlog
import trio

from ulci.rules import Outcome
from ulci_server.game import notices
from ulci_server.storage import StorageError
from ulci_server.storage.games import Games

from .database_queries import DatabaseQueries
from .election import Election
from .games_elsewhere import GamesElsewhere
from .remote_table import RemoteTable
from .restored_lobby import NOT_STORED

LOG = structlog.get_logger("ulci_server.cluster")

LOOK = 0.5
"""Seconds between two searches for games that no server goes on with."""

ORPHANED = 1.0
"""Seconds without an owner after which a game is looked up in the database, as its players wait.
Its last owner is fenced and stores nothing more of it, or is this server, which is asked what it
still releases. Most games are claimed sooner."""

UNSEEN = 2.5
"""Seconds after which a game is looked up that members play by the stored rows, and that no server
has announced: a living owner may still be about to store its begin."""


class LostGames:
    """A game is over if the database says so or does not know it, once it has had no owner for
    `ORPHANED` s, or has been known by the lobby here alone for `UNSEEN` s. Games that the database
    calls running are left to be claimed."""

    def __init__(
        self,
        games: GamesElsewhere,
        election: Election,
        queries: DatabaseQueries,
        record: Games,
        releasing: Callable[[], Collection[int]],
    ) -> None:
        """record: the games in the database. releasing: those of this server whose release is not
        stored yet."""
        self._games = games
        self._election = election
        self._queries = queries
        self._record = record
        self._releasing = releasing

    async def run(self) -> None:
        """Search for such games and end them, until cancelled."""
        since: dict[int, float] = {}
        while True:
            await trio.sleep(LOOK)
            now, unseen = trio.current_time(), self._election.unseen
            orphans = {number for number, table in self._games.tables.items() if not table.owner}
            ownerless = (orphans | unseen).difference(self._releasing())
            since = {number: since.get(number, now) for number in ownerless}
            lost = {
                number
                for number, at in since.items()
                if now >= at + (ORPHANED if number in orphans else UNSEEN)
            }
            if not lost:
                continue
            try:
                stored = await self._queries.ask(partial(self._record.outcomes, lost))
            except StorageError as error:
                self._queries.complain(error)
                continue
            for number in lost:
                await trio.lowlevel.checkpoint()
                outcome = stored.get(number, NOT_STORED)
                table = self._games.tables.get(number)
                if outcome is None:
                    continue  # it is running
                if table is not None and not table.owner:
                    self.end(table, outcome)
                elif number in unseen:
                    self._election.end_unseen(number, notices.over(number, outcome))

    def end(self, table: RemoteTable, outcome: Outcome) -> None:
        """End that game here and in the lobby."""
        LOG.info("game died with its server", game=table.id, result=outcome.score)
        over = notices.over(table.id, outcome)
        self._games.remove(table.id, over)
        self._election.end_lost(table.id, over)
