"""One server of the cluster: connects its parts, and runs their tasks."""

from collections.abc import Callable
from datetime import datetime

import trio

from ulci_server.bus import Bus, Hub
from ulci_server.storage import Database, Journal

from .claims import Claims
from .cuts import Cuts
from .database_queries import DatabaseQueries
from .drain import Drain
from .election import Election
from .gaps import Gaps
from .lobby_server import LobbyServer
from .lookout import Lookout
from .lost_games import LostGames
from .not_understood import NotUnderstood
from .nudge import Nudge
from .parts import Parts
from .post_office import PostOffice
from .releases import Releases
from .router import Router, routes
from .server_runs import ServerRuns

BREATH = 0.1
"""Minimum seconds between two runs: whatever fences them, they must not follow each other as fast
as a database can record them."""


class Node:
    """name: of this server, unlike all others. make: makes the parts that know its games and
    players, and send by this post. check_lock: asks the database whether its servers still share
    it, and raises `TakenOverError` if not. end: shuts this server down, as the administrator of
    that name wants. owns: whether it plays games; otherwise it only has connections. version: of
    this program, for display."""

    def __init__(
        self,
        name: str,
        database: Database,
        journal: Journal,
        hub: Hub,
        make: Callable[[PostOffice], Parts],
        *,
        now: Callable[[], datetime],
        check_lock: Callable[[], None],
        end: Callable[[str], object],
        owns: bool = True,
        version: str = "",
    ) -> None:
        self.post = post = PostOffice(hub, owns=owns)
        parts = make(post)
        self.hall, self.edge, self.owner = parts.hall, parts.link.edge, parts.owner
        self.games_elsewhere = parts.games_elsewhere
        post.serve(self.edge.link, self.owner.epoch)
        self._link, self._journal = parts.link, journal
        hall, owner, link, games = self.hall, self.owner, parts.link, parts.games_elsewhere
        queries, look = DatabaseQueries(), Nudge()
        ownership, runs = database.ownership, database.runs
        self.runs = ServerRuns(
            *(name, version, hall, journal, queries, runs),
            now=now,
            check_lock=check_lock,
            owns=owns,
        )
        self._releases = releases = Releases(hall, journal, owner, link, games)
        self.claims = claims = Claims(
            *(hall, post, owner, games, releases, journal, queries, ownership),
            now=now,
            be_fenced=self.runs.be_fenced,
        )
        self.election = election = Election(
            *(name, hall, post, link, parts.make_host, queries, ownership, database.directory),
            look,
            now=now,
        )
        self.lost_games = LostGames(
            games, election, queries, database.games, lambda: owner.releasing
        )
        self._gaps = gaps = Gaps(hall, post, owner, games, election)
        self._cuts = Cuts(hall, post, owner, election, gaps, releases)
        self._lookout = Lookout(
            *(hall, post, owner, games, election, claims, self._cuts, journal, queries, runs, look),
            self.runs,
            now=now,
        )
        self._drain = Drain(hall, post, journal, releases, self._lookout, look, end)
        hall.drain = self._drain.order
        not_understood = NotUnderstood(hall, link, election, games)
        self._router = Router(
            post,
            routes(
                games=games,
                edge=self.edge,
                owner=owner,
                link=link,
                election=election,
                claims=claims,
                drain=self._drain,
                runs=self.runs,
                gaps=gaps,
                post=post,
                not_understood=not_understood,
            ),
            not_understood,
        )

    # For metrics

    @property
    def run(self) -> int:
        """The number of the present run; 0 before the first."""
        return self.post.run

    @property
    def bus(self) -> Bus | None:
        """The bus of the present run."""
        return self.post.bus

    @property
    def lobby_server(self) -> LobbyServer | None:
        """The lobby, if this server hosts it."""
        return self.election.lobby_server

    @property
    def hosts_lobby(self) -> bool:
        """Whether this server hosts the lobby."""
        return self.lobby_server is not None

    @property
    def servers(self) -> int:
        """How many servers live, as far as this one knows."""
        return len(self.post.membership.living)

    @property
    def games_without_owner(self) -> int:
        """How many running games wait for a new owner."""
        return sum(table.owner == 0 for table in self.games_elsewhere.tables.values())

    @property
    def claimed(self) -> int:
        """How many games this server took over."""
        return self.claims.claimed

    @property
    def fenced(self) -> int:
        """How often others declared this server dead."""
        return self.runs.fenced

    @property
    def fences(self) -> int:
        """How many servers this one declared dead."""
        return self._lookout.fences

    # Running

    async def live(
        self, key: str, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Be a server of the cluster until cancelled: one run after the other, each until it is
        fenced. Started when the first run can hear others. key: the secret of the bus.

        Raises:
            NameTakenError: another server of this name lives.
            OtherVersionError: a living server has a version with which this one cannot work.
            StorageError: the database does not answer at the start.
            TakenOverError: a server without a cluster has taken the database.
        """
        await self.runs.make_way()
        first = True
        while True:
            bus = await self._begin_run(key)
            async with trio.open_nursery() as nursery:
                async with self.runs.sends_elsewhere("the others"):
                    await nursery.start(bus.run)
                for task in (self._lookout, self.claims, self.lost_games):
                    nursery.start_soon(task.run)
                nursery.start_soon(self.owner.followers.tell_moves)
                if first:
                    task_status.started()
                    first = False
                await self.runs.until_fenced(self.run)
                nursery.cancel_scope.cancel()
            await self._journal.abandon()
            await self._releases.abandon()
            await trio.sleep(BREATH)

    async def _begin_run(self, key: str) -> Bus:
        run = await self.runs.begin(max((self.run, *self.post.membership.living)))
        if self.runs.set_back:
            self.games_elsewhere.forget_epochs()
        for part in (self.games_elsewhere, self.election, self._cuts):
            part.begin_again()
        return self.post.begin(
            run,
            key,
            heard=self._router.hear,
            lost=self._gaps.lose_track,
            deaf=self._lookout.not_reached,
        )

    async def flush(self) -> None:
        """Return when all messages to other servers are published, or dropped."""
        await self.post.flush()

    async def drain(self) -> int:
        """Release all games, and have the lobby move; see `Drain.drain`."""
        return await self._drain.drain()
