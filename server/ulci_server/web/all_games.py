"""Makes the events of all games, by looking at the tables a few times a second.

The tables say nothing to it, so that it costs a move nothing; who plays several moves between two
looks is shown with the last.
"""

from collections.abc import Mapping

import structlog
import trio

from ulci.rules.outcome import Side
from ulci_server.hall.table.table import Table
from ulci_server.storage import StorageError

from .archive import Archive
from .streams import Ring, Waker

LOG = structlog.get_logger("ulci_server.web")

LOOK = 0.25
"""Seconds between two looks."""

AT_A_TIME = 500
"""Tables looked at between two turns of other tasks: half a millisecond."""

KEPT = 2048
"""Events that are kept, 400 kB."""

MOST_NEW = 200
"""New games told at one look; more follow at the next."""


class AllGames:
    """The events of the running games `tables`."""

    def __init__(self, tables: Mapping[int, Table], archive: Archive, waker: Waker) -> None:
        self.ring = Ring(waker, KEPT)
        self._tables = tables
        self._archive = archive
        self._known: dict[int, tuple[Table, int]] = {}  # and how many moves were told
        self._used = trio.Event()
        self._begun = False

    def use(self) -> None:
        """Somebody is about to stream it."""
        self._used.set()

    async def fresh(self) -> None:
        """A stream begins with what happens next."""
        await trio.lowlevel.checkpoint()

    async def run(self) -> None:
        """For ever; does nothing while nobody streams."""
        while True:
            await self._used.wait()
            self._used = trio.Event()
            self._known = {number: (table, _told(table)) for number, table in self._tables.items()}
            while True:
                await trio.sleep(LOOK)
                if not self.ring.streams:
                    break
                try:
                    await self._look()
                except StorageError as error:
                    LOG.info("new games not told", why=str(error))
                except Exception:
                    LOG.exception("games not told")

    async def _look(self) -> None:
        new = []
        for count, (number, table) in enumerate([*self._tables.items()], 1):
            if number not in self._known:
                new.append(table)
            else:
                self._look_at(table)
            if count % AT_A_TIME == 0:
                await trio.lowlevel.checkpoint()
        for number in [number for number in self._known if number not in self._tables]:
            self._is_over(self._known.pop(number)[0])
        await self._begin(new[:MOST_NEW])

    async def _begin(self, new: list[Table]) -> None:
        """New games, as soon as they are recorded."""
        if not new:
            return
        tables = {table.id: table for table in new}
        for document in reversed(await self._archive.page({"ids": [*tables]})):
            table = tables[document["id"]]
            self._known[table.id] = table, 0
            self.ring.add("started", document)
            self._look_at(table)

    def _look_at(self, table: Table) -> None:
        plies = _told(table)
        if plies == self._known[table.id][1]:
            return
        self._known[table.id] = table, plies
        position, game = table.spectators.position, table.game
        if plies and position is not None:
            # The game may be a move ahead, which is not recorded yet.
            mover: Side = game.mover.other if len(game.moves) == plies else game.mover
            move = position.moves[plies - 1]
            move_document = {"id": table.id, "ply": plies, "side": mover.word, "move": move}
            self.ring.add("move", move_document)

    def _is_over(self, table: Table) -> None:
        self._look_after(table)
        outcome = table.game.outcome
        if outcome is not None:  # else it is paused
            document = {"id": table.id, "result": outcome.score, "reason": outcome.reason.value}
            self.ring.add("over", document)

    def _look_after(self, table: Table) -> None:
        self._known[table.id] = table, self._known.get(table.id, (table, -1))[1]
        self._look_at(table)
        del self._known[table.id]


def _told(table: Table) -> int:
    """How many moves spectators know."""
    position = table.spectators.position
    return 0 if position is None else len(position.moves)
