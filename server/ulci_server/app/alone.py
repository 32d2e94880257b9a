"""A lone server: a cluster of one, without a bus. Its lobby is here, and all games are its own."""

import itertools
from collections.abc import Collection
from functools import partial
from importlib.metadata import version

import structlog
import trio

from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.table.recovery import downtime
from ulci_server.storage import (
    MEMORY,
    Claimed,
    Database,
    DatabaseLock,
    FencedError,
    Journal,
    TakenOverError,
    WallClock,
    answered,
)

from .factory import Basics, host_of, make_hall
from .heartbeats import note_heartbeats
from .lock_keeper import LockKeeper
from .shutdown import SHUTDOWN, Shutdown

LOG = structlog.get_logger("ulci_server.app")

CLAIMED_AT_ONCE = 64
"""Games claimed in one transaction: no player is here yet, so that nobody waits for it."""


async def begin_alone(database: Database, clock: WallClock) -> int:
    """Shut out all earlier runs that have not ended, and begin one: from now on this process alone
    writes facts of games, until another one begins. Raises `StorageError`."""
    begin = partial(database.runs.begin_alone, clock(), version("ulci-relay"))
    return await answered(begin)


class Alone:
    """A run that was begun by `begin_alone`. Make it before the journal runs."""

    cluster = None

    def __init__(
        self,
        run: int,
        lock: DatabaseLock,
        database: Database,
        journal: Journal,
        hall: Hall,
        clock: WallClock,
    ) -> None:
        self.run = run
        self.hall = hall
        self._lock = lock
        self._database = database
        self._journal = journal
        self._clock = clock
        self._keeper = LockKeeper(lock, journal)

    async def begin(self, nursery: trio.Nursery, only: Collection[int] | None = None) -> None:
        """Continue the games of earlier runs (of the runs in `only`, if given), and run the hall.
        No alarm rings before that, because no player could come back meanwhile.

        Raises:
            TakenOverError: another server has begun since.
            StorageError: the database does not answer.
        """
        nursery.start_soon(note_heartbeats, self._journal, self.hall, self.run, self._clock)
        nursery.start_soon(self._keeper.keep, self.hall, self.run)
        await self._claim(only)
        nursery.start_soon(self.hall.run)
        lobby = self.hall.lobby
        if isinstance(lobby, LobbyHost) and lobby.tournaments is not None:
            nursery.start_soon(lobby.tournaments.run)

    async def _claim(self, only: Collection[int] | None) -> None:
        """Claim games and resume them. Those that cannot go on, also because a player cannot
        return, are ended."""
        games = given_up = 0
        while claimed := await self._claim_some(only):
            for game in claimed:
                down = downtime(game.unfinished, game.before, self._clock())
                games += 1
                given_up += bool(self.hall.resume_game(game.unfinished, down, all_left=True))
                await trio.lowlevel.checkpoint()
        if games:
            LOG.info("games of an earlier run go on", games=games - given_up, given_up=given_up)

    async def _claim_some(self, only: Collection[int] | None) -> list[Claimed]:
        claim = self._database.ownership.claim
        try:
            return await answered(partial(claim, self._clock(), CLAIMED_AT_ONCE, only))
        except FencedError:
            raise TakenOverError(self._lock.where) from None

    async def leave(self, shutdown: Shutdown, grace: float) -> int:
        """Pause the games that are not over after `grace` s, or when the shutdown says so, for the
        next run, and end those that cannot go on there. Returns how many there were."""
        keeps = self._lock.where != MEMORY
        return await self.hall.closing.drain(shutdown.grace, grace, SHUTDOWN, keeps=keeps)


async def make_alone(basics: Basics, shutdown: Shutdown) -> Alone:
    """Make a lone server, and begin its run. Raises `StorageError`."""
    database = basics.database
    run = await begin_alone(database, basics.clock)
    number = itertools.count(await answered(database.games.last_id) + 1).__next__
    hall = make_hall(basics, partial(host_of, basics, number=number))
    hall.drain = shutdown.drain_alone
    return Alone(run, basics.lock, database, basics.journal, hall, basics.clock)
