"""Makes the events of all games: each beginning and end, and moves by polling the tables.

A game that begins or ends costs one call, which notes its table. A move costs nothing: if a game
has several moves between two polls, the stream gets only the last one. Everything in the stream is
durable. Games of other servers are in it, too; those servers send their moves while somebody
streams.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import structlog
import trio
from msgspec.structs import replace

from ulci.net import Steps
from ulci.protocol.lobby.lines import GameOver
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.storage import GameRecord, StorageError
from ulci_server.tournament import StandingsSource

from .answers import SiteContext
from .documents import Document, summary
from .event_stream import Ring, Waker

LOG = structlog.get_logger("ulci_server.web")

LOOK = 0.25
"""Seconds between two polls of the tables."""

LINGER = 15.0
"""Seconds for which the server follows the games after the last stream has ended: a client that
lost its connection reconnects and resumes after the last event that it received."""

AT_A_TIME = 500
"""Tables polled before other tasks get a turn: half a millisecond."""

KEPT = 2048
"""Events in the ring: 400 kB."""

READ_AT_ONCE = 200
"""New games that one query reads from the database."""


UNRECORDED = 5.0
"""How long (s) a game that began at another server may take to appear in the database; after that
the database has refused it."""


REMEMBERED = 20_000
"""Ended games that are remembered so that no end is sent twice: more than other servers repeat
after a loss."""


class _Note(NamedTuple):
    """A game began (`runs`), moved to another server (`runs`), or ended, at `at` (s)."""

    table: AnyTable
    runs: bool
    at: float


class AllGames:
    """The events of all running games."""

    def __init__(self, context: SiteContext, waker: Waker) -> None:
        self.ring = Ring(waker, KEPT)
        self._hall = context.hall
        self._journal = context.journal
        self._archive = context.archive
        self._standings = context.standings
        self._version = 0  # of the standings, as sent last
        self._following = trio.Event()  # set while the games are followed
        self._used = 0.0  # when there was a stream last (s)
        self._plies: dict[int, int] = {}  # sent, of each game whose beginning is known
        self._noted: list[_Note] = []  # since the last poll, in order
        self._missed: list[int] = []  # games that may have begun and ended unnoticed
        self._since = datetime.now(UTC)  # games that ended before are not sent
        self._ended: dict[int, None] = {}  # games whose ends were sent, the oldest first
        self._hall.follow_all_games(self._note, self._note_missed)

    def _note(self, table: AnyTable) -> None:
        if self._following.is_set():
            runs = self._hall.find_table(table.id) is not None
            self._noted.append(_Note(table, runs, trio.current_time()))

    def _note_missed(self, number: int) -> None:
        if self._following.is_set() and number not in self._ended:
            self._missed.append(number)

    def begin(self, seen: int | None) -> int:
        """Begin to follow the games for a new stream. seen: the number of the last event that its
        client has received. Returns the number of the event after which the stream continues: the
        newest one if the events after `seen` are not in the ring."""
        if not self._following.is_set():
            self.ring.forget()
            self._plies = {table.id: _plies(table) for table in self._hall.all_tables()}
            self._since, self._ended = datetime.now(UTC), {}
            self._version = 0 if self._standings is None else self._standings.version
            self._following.set()
            self._hall.wants_moves = True
        self._used = trio.current_time()
        return seen if seen is not None and self.ring.follows(seen) else self.ring.last

    async def fresh(self) -> None:
        """There is no snapshot of all games: a client that reads too slowly continues with the
        next event and sees a gap in the numbers."""
        await trio.lowlevel.checkpoint()

    async def run(self) -> None:
        """Poll the games while somebody streams, for ever."""
        trouble = ""
        while True:
            await self._following.wait()
            while self._is_used():
                await trio.sleep(LOOK)
                try:
                    await self._look()
                    trouble = ""
                except StorageError as error:
                    if trouble != (trouble := str(error)):  # once, and not at every poll
                        LOG.info("games not told", why=trouble)
                except Exception:
                    LOG.exception("games not told")
            self._following = trio.Event()
            self._hall.wants_moves = False
            self._noted, self._missed = [], []
            self._plies, self._ended = {}, {}

    def _is_used(self) -> bool:
        if self.ring.streams:
            self._used = trio.current_time()
        return trio.current_time() < self._used + LINGER

    async def _look(self) -> None:
        if self._noted:
            await self._tell_noted()
        if self._missed:
            await self._tell_missed()
        steps = Steps(AT_A_TIME)
        for table in self._hall.all_tables():
            if table.id in self._plies:
                self._look_at(table)
            await steps.done()
        if self._standings is not None:
            self._look_at_standings(self._standings)

    async def _tell_noted(self) -> None:
        noted, self._noted = self._noted, []
        await self._journal.drain()
        try:
            documents = await self._begun([n.table.id for n in noted if self._is_new(n)])
            ends = await self._ends([n.table for n in noted if not n.runs])
        except StorageError:
            self._noted[:0] = noted
            raise
        for count, note in enumerate(noted):
            number = note.table.id
            if self._is_new(note):
                if number in documents:
                    self._plies[number] = 0
                    self.ring.add("started", documents[number])
                elif number in self._hall.elsewhere and not self._is_late(note):
                    self._noted[:0] = noted[count:]  # the game will be recorded soon
                    return
                # Otherwise the database refused it.
            if not note.runs and number in self._plies:
                self._look_at(note.table)
                del self._plies[number]
                if number in ends:  # else the game is paused
                    self._tell_end(ends[number])

    async def _tell_missed(self) -> None:
        """Read from the database the games whose messages from another server were lost."""
        missed, self._missed = self._missed, []
        try:
            records = await self._records(missed)
        except StorageError:
            self._missed[:0] = missed
            raise
        for game in records:
            finished = game.finished_at
            if game.id in self._plies or game.id in self._ended or finished is None:
                continue
            if game.outcome is not None and finished >= self._since:
                self.ring.add("started", _beginning(game))
                self._tell_end(_end(game.id, game.outcome.score, game.outcome.reason.value))

    def _tell_end(self, end: Document) -> None:
        self.ring.add("over", end)
        self._ended[end["id"]] = None
        if len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _is_new(self, note: _Note) -> bool:
        return note.table.id not in self._plies

    def _is_late(self, note: _Note) -> bool:
        return trio.current_time() > note.at + UNRECORDED

    async def _begun(self, ids: Sequence[int]) -> dict[int, Document]:
        """The beginnings of these games, by number. Raises `StorageError`."""
        return {game.id: _beginning(game) for game in await self._records(ids)}

    async def _ends(self, tables: Iterable[AnyTable]) -> dict[int, Document]:
        """The ends of these games, by number. If the message of a game's server was lost, its end
        comes from the database. Raises `StorageError`."""
        found, unknown = {}, []
        for table in tables:
            over = None if table.over is None else table.over.line
            if isinstance(over, GameOver):
                found[table.id] = _end(table.id, over.result, over.reason)
            else:
                unknown.append(table.id)
        for game in await self._records(unknown):
            if game.outcome is not None:
                found[game.id] = _end(game.id, game.outcome.score, game.outcome.reason.value)
        return found

    async def _records(self, ids: Sequence[int]) -> list[GameRecord]:
        found = []
        for first in range(0, len(ids), READ_AT_ONCE):
            found += await self._archive.selection({"ids": ids[first : first + READ_AT_ONCE]})
        return found

    def _look_at(self, table: AnyTable) -> None:
        latest = table.latest()
        plies = 0 if latest is None else latest.ply
        if plies == self._plies[table.id]:
            return
        self._plies[table.id] = plies
        if latest is not None:
            ply, side, move = latest
            self.ring.add("move", {"id": table.id, "ply": ply, "side": side.word, "move": move})

    def _look_at_standings(self, standings: StandingsSource) -> None:
        if self._version != (version := standings.version):
            self._version = version
            self.ring.add("standings", {"version": version})


def _plies(table: AnyTable) -> int:
    """How many plies of a game spectators know."""
    latest = table.latest()
    return 0 if latest is None else latest.ply


def _beginning(game: GameRecord) -> Document:
    return summary(replace(game, outcome=None, finished_at=None, detail=""), len(game.opening))


def _end(number: int, result: str, reason: str) -> Document:
    return {"id": number, "result": result, "reason": reason}
