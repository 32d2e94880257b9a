"""The runs of this server: one after the other, each until it is fenced.

A run begins when no other server of its name lives, and none of a version that cannot work with
this one. It is fenced when another server declares it dead, in the database or over the bus: then
this server drops what is not stored and begins a new run. Until that has begun, its players are
sent to other servers.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial

import structlog
import trio

from ulci.protocol.messages import Blame
from ulci_server.hall import Hall
from ulci_server.storage import FencedError, Journal, RunState
from ulci_server.storage.membership import STANDS
from ulci_server.storage.runs import Runs
from ulci_server.storage.untrusted import text

from . import messages as said
from .database_queries import DatabaseQueries

LOG = structlog.get_logger("ulci_server.cluster")

ALONE = 0.5
"""Seconds for which a fenced server tries to begin its next run before it sends its players to
other servers."""


class NameTakenError(Exception):
    """Another server of this name lives. The text is for people."""


class OtherVersionError(Exception):
    """A living server has a version with which this one cannot work. The text tells people what to
    do."""


class ServerRuns:
    """name: of this server, unlike all others. version: of this program, for display. check_lock:
    asks the database whether its servers still share it, and raises `TakenOverError` if not. owns:
    whether it may be given games."""

    def __init__(
        self,
        name: str,
        version: str,
        hall: Hall,
        journal: Journal,
        queries: DatabaseQueries,
        runs: Runs,
        *,
        now: Callable[[], datetime],
        check_lock: Callable[[], None],
        owns: bool,
    ) -> None:
        self.fenced = 0
        """How often others declared this server dead."""
        self._name = name
        self._version = version
        self._hall = hall
        self._journal = journal
        self._queries = queries
        self._runs = runs
        self._now = now
        self._check_lock = check_lock
        self.set_back = False
        """Whether the database was restored from an older copy during the last run."""
        self._is_older = False
        self._run = 0
        self._beat = 0
        self._owns = owns
        self._fenced = trio.Event()
        journal.on_fenced(self.be_fenced)

    async def make_way(self) -> None:
        """Wait until earlier runs of this name, and runs of other versions, are known to be dead.

        Raises:
            NameTakenError: another server of this name lives.
            OtherVersionError: a living server has a version with which this one cannot work.
            StorageError: the database does not answer.
        """
        while (before := await self._queries.ask(self._in_the_way)) is not None:
            await trio.sleep(STANDS)
            fence = partial(self._runs.fence, before.id, before.beat, self._now())
            if not await self._queries.ask(fence):
                now = await self._queries.ask(self._in_the_way)
                if now is not None and now.id == before.id:
                    raise self._refusal(before)

    def _in_the_way(self) -> RunState | None:
        """A living run that keeps this server from beginning, if there is any. Asks the
        database."""
        living = self._runs.living()
        others = (state for state in living if state.speaks != said.SPEAKS)
        return next(others, None) or self._runs.living_named(self._name)

    def _refusal(self, state: RunState) -> NameTakenError | OtherVersionError:
        if state.speaks == said.SPEAKS:
            return NameTakenError(
                f"another server named {self._name} is running; give this one another name"
            )
        return OtherVersionError(
            f"server {state.node} is of a version with which this one cannot work (it speaks"
            f" {state.speaks}, this one {said.SPEAKS}); end all servers of that version first"
        )

    async def begin(self, above: int = 0) -> int:
        """Begin a run as soon as the database answers. Returns its number. above: the highest run
        that this server has known.

        Raises:
            TakenOverError: a server without a cluster has taken the database.
        """

        def begin() -> tuple[int, bool]:
            self._check_lock()
            known = not self._run or self._runs.leave(self._run, self._name, self._now())
            words = self._name, said.SPEAKS, self._version
            return self._runs.begin(self._now(), *words, above, owns=self._owns), known

        async with self.sends_elsewhere("its database"):
            run, known = await self._queries.ask_for_ever(begin)
        if not known:
            self._notice_older_copy()
        self.set_back, self._is_older = self._is_older, False
        self._run, self._beat = run, 0
        self._runs.join(run)
        self._journal.begin_again()
        self._fenced = trio.Event()
        LOG.info("run begins", name=self._name, run=run)
        return run

    def check(self, states: Iterable[RunState]) -> None:
        """Compare what the database says of this run after a beat with what is known here.

        Raises:
            FencedError: the beat is not newer than the last one, or the run is another server's:
                the database was restored from an older copy.
        """
        [mine] = [state for state in states if state.id == self._run]
        if mine.node != text(self._name) or mine.beat <= self._beat:
            self._notice_older_copy()
            raise FencedError("the database was restored from an older copy")
        self._beat = mine.beat

    def _notice_older_copy(self) -> None:
        if not self._is_older:
            LOG.warning(
                "the database was restored from an older copy while this server ran: games go on as"
                " they are there, and what was played since is lost",
                name=self._name,
                run=self._run,
            )
        self._is_older = True

    @asynccontextmanager
    async def sends_elsewhere(self, unreachable: str) -> AsyncIterator[None]:
        """While the block waits for something that cannot be reached, and after `ALONE` s, send
        players to other servers: this one can do nothing for them before its run begins.
        unreachable: what it cannot reach, for people."""
        why = f"this server cannot reach {unreachable}"

        async def send() -> None:
            while True:
                await trio.sleep(ALONE)
                for session in [*self._hall.connected]:
                    if session.player.can_return:
                        session.connection.hang_up(why)
                    elif session.table is None and not session.gone:
                        session.disconnect(f"{why}; retry-after 1", Blame.SERVER)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(send)
            yield
            nursery.cancel_scope.cancel()

    def be_fenced(self) -> None:
        """End this run: it was fenced."""
        self._fenced.set()

    def hear_fenced(self, _: int, __: said.Fenced) -> None:
        self.be_fenced()

    async def until_fenced(self, run: int) -> None:
        """Return when this run was fenced. Its tasks may still be at work."""
        await self._fenced.wait()
        self.fenced += 1
        LOG.warning("this server was fenced, and begins anew", name=self._name, run=run)
