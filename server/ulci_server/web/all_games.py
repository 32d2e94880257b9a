"""Makes the events of all games: every beginning and every end, and moves by looking at the tables.

A game that begins or ends costs one call that notes its table; a move costs nothing: who plays
several between two looks is shown with the last. What is told is durable.
"""

from collections.abc import Sequence
from dataclasses import replace

import structlog
import trio

from ulci.rules.outcome import Side
from ulci_server.hall import Hall
from ulci_server.hall.table.table import Table
from ulci_server.storage import Journal, StorageError

from .archive import Archive
from .documents import Document, summary
from .streams import Ring, Waker

LOG = structlog.get_logger("ulci_server.web")

LOOK = 0.25
"""Seconds between two looks."""

LINGER = 15.0
"""Seconds for which games are followed while nobody streams them: whose line was lost comes back,
and goes on after the last event that it brought."""

AT_A_TIME = 500
"""Tables looked at between two turns of other tasks: half a millisecond."""

KEPT = 2048
"""Events that are kept, 400 kB."""

READ_AT_ONCE = 200
"""New games that are read from the database by one query."""


class AllGames:
    """The events of the running games of `hall`."""

    def __init__(self, hall: Hall, journal: Journal, archive: Archive, waker: Waker) -> None:
        self.ring = Ring(waker, KEPT)
        self._tables = hall.tables
        self._journal = journal
        self._archive = archive
        self._following = trio.Event()  # set while the games are followed
        self._used = 0.0  # when somebody streamed it last
        self._plies: dict[int, int] = {}  # that were told, of each game whose beginning is known
        self._noted: list[Table] = []  # that began or ended since the last look, in order
        hall.follow_games(self._note)

    def _note(self, table: Table) -> None:
        if self._following.is_set():
            self._noted.append(table)

    def begin(self, seen: int | None) -> int:
        """Somebody begins to stream, and has `seen` the event of that number. The number after
        which the stream goes on: with what happens from now on, if that is not known."""
        if not self._following.is_set():
            self.ring.forget()
            self._plies = {number: _told(table) for number, table in self._tables.items()}
            self._following.set()
        self._used = trio.current_time()
        return seen if seen is not None and self.ring.follows(seen) else self.ring.last

    async def fresh(self) -> None:
        """Who reads too slowly goes on with what happens next; a gap in the numbers tells."""
        await trio.lowlevel.checkpoint()

    async def run(self) -> None:
        """For ever; does nothing while nobody streams."""
        while True:
            await self._following.wait()
            while self._is_used():
                await trio.sleep(LOOK)
                try:
                    await self._look()
                except StorageError as error:
                    LOG.info("games not told", why=str(error))
                except Exception:
                    LOG.exception("games not told")
            self._following = trio.Event()
            self._noted = []

    def _is_used(self) -> bool:
        if self.ring.streams:
            self._used = trio.current_time()
        return trio.current_time() < self._used + LINGER

    async def _look(self) -> None:
        if self._noted:
            await self._tell_noted()
        for count, (number, table) in enumerate([*self._tables.items()], 1):
            if number in self._plies:
                self._look_at(table)
            if count % AT_A_TIME == 0:
                await trio.lowlevel.checkpoint()

    async def _tell_noted(self) -> None:
        """A game that is noted for the first time has begun; the second time it is over."""
        noted, self._noted = self._noted, []
        await self._journal.drain()
        try:
            documents = await self._begun([t.id for t in noted if t.id not in self._plies])
        except StorageError:
            self._noted[:0] = noted
            raise
        for table in noted:
            if table.id in self._plies:
                self._look_at(table)
                del self._plies[table.id]
                self._tell_end(table)
            elif table.id in documents:  # else the database refused it
                self._plies[table.id] = 0
                self.ring.add("started", documents[table.id])

    async def _begun(self, ids: Sequence[int]) -> dict[int, Document]:
        """These games as they were when they began."""
        found = {}
        for first in range(0, len(ids), READ_AT_ONCE):
            some = ids[first : first + READ_AT_ONCE]
            for game in await self._archive.selection({"ids": some}):
                begun = replace(game, outcome=None, finished_at=None, detail="")
                found[game.id] = summary(begun, 0)
        return found

    def _look_at(self, table: Table) -> None:
        plies = _told(table)
        if plies == self._plies[table.id]:
            return
        self._plies[table.id] = plies
        position, game = table.spectators.position, table.game
        if plies and position is not None:
            # The game may be a move ahead, which is not recorded yet.
            mover: Side = game.mover.other if len(game.moves) == plies else game.mover
            move = position.moves[plies - 1]
            move_document = {"id": table.id, "ply": plies, "side": mover.word, "move": move}
            self.ring.add("move", move_document)

    def _tell_end(self, table: Table) -> None:
        outcome = table.game.outcome
        if outcome is not None:  # else it is paused
            document = {"id": table.id, "result": outcome.score, "reason": outcome.reason.value}
            self.ring.add("over", document)


def _told(table: Table) -> int:
    """How many moves spectators know."""
    position = table.spectators.position
    return 0 if position is None else len(position.moves)
