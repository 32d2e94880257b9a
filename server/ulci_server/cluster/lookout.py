"""Shows the other servers that this one lives, and watches which of them do.

Every `BEAT` s, and when it is nudged, it beats in the database, which answers which servers live:
new ones are met, those that are gone are lost, and one whose beat stands still is fenced. While the
database does not answer, no server is fenced, met or lost.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
import trio

from ulci_server.hall import Hall
from ulci_server.storage import FencedError, Journal, RunState, StorageError
from ulci_server.storage.runs import Runs

from . import messages as said
from .claims import Claims
from .cuts import Cuts
from .database_queries import DatabaseQueries
from .election import Election
from .games_elsewhere import GamesElsewhere
from .nudge import Nudge
from .owner import Owner
from .post_office import PostOffice
from .server_runs import ServerRuns

LOG = structlog.get_logger("ulci_server.cluster")


class Lookout:
    """runs: the runs in the database. look: has it beat at once. own: the runs of this server."""

    def __init__(
        self,
        hall: Hall,
        post: PostOffice,
        owner: Owner,
        games: GamesElsewhere,
        election: Election,
        claims: Claims,
        cuts: Cuts,
        journal: Journal,
        queries: DatabaseQueries,
        runs: Runs,
        look: Nudge,
        own: ServerRuns,
        *,
        now: Callable[[], datetime],
    ) -> None:
        self.fences = 0
        """How many servers this one declared dead."""
        self._hall = hall
        self._post = post
        self._owner = owner
        self._games = games
        self._election = election
        self._claims = claims
        self._cuts = cuts
        self._journal = journal
        self._queries = queries
        self._runs = runs
        self._look = look
        self._now = now
        self._own = own
        self._looked = trio.Event()

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            self._look.begin()
            self._cuts.notice()
            try:
                await self._beat()
            except FencedError:
                self._own.be_fenced()
            except StorageError as error:
                self._queries.complain(error)
            else:
                self._looked.set()
                self._looked = trio.Event()
            membership = self._post.membership
            self._games.follow_moves({*membership.living} - {self._post.run})
            await self._look.wait(membership.pause)

    async def looked(self) -> None:
        """Return after the next beat that the database answers."""
        await self._looked.wait()

    def not_reached(self, run: int) -> None:
        """That server does not listen to the bus: it may be dead."""
        self._post.membership.is_deaf(run)
        self._look.give()

    async def _beat(self) -> None:
        post = self._post
        slowest = round(self._journal.slowest * 1000)
        apart = post.draining or post.is_cut_off  # it gets no games, and hosts no lobby
        beat = partial(self._runs.beat, post.run, apart, self._now(), slowest)
        states = await self._queries.ask(beat)
        self._own.check(states)
        now = trio.current_time()
        if apart:
            self._election.apart()
        new, gone = post.membership.look(states, now)
        for run, heard_at in gone.items():
            self._lose(run, heard_at)
        for run in new:
            self._meet(post.membership.living[run])
        await self._election.settle()
        if any(state.draining for state in states):
            self._claims.soon()  # it may be unable to announce its releases
        await self._cuts.see_to()
        for state in post.membership.standing(now):
            await self._fence(state)

    async def _fence(self, state: RunState) -> None:
        fence = partial(self._runs.fence, state.id, state.beat, self._now())
        if await self._queries.ask(fence):
            self.fences += 1
            LOG.warning("server fenced: its beat stood still", name=state.node, run=state.id)
            self._look.give()

    def _meet(self, state: RunState) -> None:
        if state.speaks != said.SPEAKS:
            LOG.error(
                "a server of another version cannot work with this one",
                name=state.node,
                speaks=state.speaks,
                here=said.SPEAKS,
            )
            return
        LOG.info("server joined", name=state.node, run=state.id)
        self._post.add(state.id)
        self._hall.begin_gradually(self._owner.greet(state.id))
        self._election.meet(state.id)

    def _lose(self, run: int, heard_at: float) -> None:
        LOG.info("server gone", run=run)
        # It may have lived longer, and have received nothing for its players.
        heard_at = min(heard_at, trio.current_time() - self._post.silence_of(run))
        self._cuts.lose(run)
        self._post.tell_fenced(run)
        self._hall.start(partial(self._post.forget, run))
        self._hall.begin_gradually(self._owner.lose(run, heard_at))
        self._games.orphan(run)
        self._election.lose(run)
        self._claims.soon()
