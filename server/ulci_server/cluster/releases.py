"""Releases games: other servers claim them.

The facts of a game that are not stored yet are stored first, its release after them, and only then
is the release announced: no server claims a game while a fact of it is still to be stored.
Connections stay here, and wait for the new owner.
"""

from functools import partial

import structlog

from ulci.net import Steps
from ulci_server.game import Fact, Released
from ulci_server.hall import Hall, Table
from ulci_server.storage import Journal

from .games_elsewhere import GamesElsewhere
from .lobby_link import LobbyLink
from .owner import Owner

LOG = structlog.get_logger("ulci_server.cluster")

RELEASED_AT_ONCE = 16
"""Games released between two checkpoints."""


class Releases:
    """Releases games of this server."""

    def __init__(
        self, hall: Hall, journal: Journal, owner: Owner, link: LobbyLink, games: GamesElsewhere
    ) -> None:
        self._hall = hall
        self._journal = journal
        self._owner = owner
        self._link = link
        self._games = games

    async def release(self, tables: list[Table]) -> None:
        """Release these games, unless they end meanwhile."""
        steps = Steps(RELEASED_AT_ONCE)
        for table in tables:
            if table.id in self._hall.tables:
                epoch = self._owner.epoch(table.id)
                self._owner.begin_release(table.id)
                for fact in self._leave(table):
                    self._journal.note(fact)
                self.give_back(table.id, epoch)
            await steps.done()

    def give_back(self, game: int, epoch: int) -> None:
        """Release a game that has no table here, or has one no longer."""
        self._owner.begin_release(game)
        self._journal.note(Released(game, epoch))
        tell = partial(self._owner.release, game, epoch)
        if self._journal.when_durable(tell):
            tell()

    async def withdraw(self) -> None:
        """This server is cut off from players at other servers. Release their games, and send the
        players here who can return to other servers."""
        tables = [table for table in self._hall.tables.values() if self._owner.crosses(table)]
        if tables:
            LOG.warning("this server is cut off, and gives games away", games=len(tables))
        await self.release(tables)
        self._hall.begin_gradually(self._link.send_away())

    async def abandon(self) -> None:
        """This run was fenced, and other servers take over its games: leave them, without storing
        or announcing anything."""
        steps = Steps(RELEASED_AT_ONCE)
        for table in [*self._hall.tables.values()]:
            if table.id in self._hall.tables:
                self._leave(table)
            await steps.done()
        self._owner.begin_again()

    def _leave(self, table: Table) -> list[Fact]:
        """Close the table here. Returns the facts that are to be stored."""
        epoch, heard_until = self._owner.epoch(table.id), self._owner.heard_until(table)
        self._owner.forget(table)
        self._games.adopt(table, epoch)
        return self._hall.leave_game(table, heard_until)
