"""A server of a cluster: its lobby may be at another server, and so may its players."""

from functools import partial
from importlib.metadata import version

import structlog
import trio

from ulci_server.bus import open_hub, round_trip
from ulci_server.cluster import Node, make_parts
from ulci_server.lobby import Lobby
from ulci_server.storage import WallClock

from .factory import Basics, host_of, make_hall
from .heartbeats import notice_stalls
from .lock_keeper import LockKeeper
from .shutdown import SHUTDOWN, Shutdown
from .wire_log import server_name

LOG = structlog.get_logger("ulci_server.app")


class Clustered:
    """A server of a cluster, one run after the other. Make it before the journal runs. key: the
    key of the bus."""

    def __init__(self, node: Node, key: str, keeper: LockKeeper, clock: WallClock) -> None:
        self.cluster = node
        self.hall = node.hall
        self._key = key
        self._keeper = keeper
        self._clock = clock

    @property
    def run(self) -> int:
        return self.cluster.run

    async def begin(self, nursery: trio.Nursery) -> None:
        """Return when this server can hear others; from then on it claims games that nobody owns.

        Raises:
            NameTakenError: another server of this name lives.
            OtherVersionError: a server lives with which this one cannot work.
            StorageError: the database does not answer.
            TakenOverError: a lone server has the games.
        """
        nursery.start_soon(self.hall.run)
        nursery.start_soon(notice_stalls, self.hall, self._clock)
        nursery.start_soon(self._keeper.keep_shared)
        await nursery.start(self.cluster.live, self._key)

    async def leave(self, shutdown: Shutdown, grace: float) -> int:
        """Let other servers take over the games. Clients that cannot return there may finish their
        games within `grace` s, unless the shutdown ends the grace. Returns how many have not."""
        given = await self.cluster.drain()
        LOG.info("games given to other servers", games=given)
        return await self.hall.closing.hand_over(shutdown.grace, grace, SHUTDOWN)


async def make_clustered(basics: Basics, shutdown: Shutdown) -> Clustered:
    """Raises `HubError` if the bus cannot be used, and `StorageError`."""
    config, database, journal, games = basics.config, basics.database, basics.journal, basics.games
    hub = open_hub(config.cluster.bus)
    key = await trio.to_thread.run_sync(database.runs.installation_key)
    await round_trip(hub)  # fails now, with the reason, if the bus cannot be used
    node = Node(
        server_name(config),
        database,
        journal,
        hub,
        partial(
            make_parts,
            make_hall=partial(make_hall, basics),
            make_host=partial(host_of, basics),
            games=games,
            pool_rules=Lobby(config.pools(games), lambda _: 0, games).pool_rules_of,
        ),
        now=basics.clock,
        check_lock=basics.lock.check,
        end=shutdown.drain,
        owns=config.cluster.owns,
        version=version("ulci-relay"),
    )
    return Clustered(node, key, LockKeeper(basics.lock, journal), basics.clock)
