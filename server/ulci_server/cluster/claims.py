"""Takes over games that nobody owns.

A claim in the database only makes this server the owner. Whatever exception follows, each claimed
game ends up in one of three states: it is played at a table here; it is over with reason `server`,
and its players are informed; or it is released, which is announced, so that some server claims it.
A game is released if the task is cancelled or the server drains before the game has a table, and
when it cannot be resumed here for the first time. After the second time it is ended.
"""

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial
from math import inf

import structlog
import trio

from ulci.rules import Outcome, Reason
from ulci_server.game import notices
from ulci_server.hall import Downtime, Hall
from ulci_server.hall.hall import SERVER_ENDED
from ulci_server.hall.table.table import OUR_FAULT
from ulci_server.storage import Claimed, FencedError, Journal, StorageError
from ulci_server.storage.ownership import Ownership

from . import messages as said
from .database_queries import DatabaseQueries
from .downtime import downtime_of
from .games_elsewhere import GamesElsewhere
from .nudge import Nudge
from .owner import Owner
from .post_office import PostOffice
from .releases import Releases

LOG = structlog.get_logger("ulci_server.cluster")

CLAIMED_AT_ONCE = 8
"""Games taken over in one transaction: 30 ms of work, with checkpoints in between."""

CLAIM_EVERY = 5.0
"""Seconds between two queries for games that nobody owns, if none are expected."""

CLAIM_AGAIN, CLAIM_OFTEN = 0.5, 5.0
"""Seconds between two queries, and for how long they follow so closely, after a server died or
released games. The pause is also used while the database does not answer."""

FAULT = f"{SERVER_ENDED}, and it cannot go on: {OUR_FAULT}"


class Claims:
    """be_fenced: called when the database says that this run was fenced."""

    def __init__(
        self,
        hall: Hall,
        post: PostOffice,
        owner: Owner,
        games: GamesElsewhere,
        releases: Releases,
        journal: Journal,
        queries: DatabaseQueries,
        ownership: Ownership,
        *,
        now: Callable[[], datetime],
        be_fenced: Callable[[], object],
    ) -> None:
        self.claimed = 0
        """How many games this server took over."""
        self._hall = hall
        self._post = post
        self._owner = owner
        self._games = games
        self._releases = releases
        self._journal = journal
        self._queries = queries
        self._ownership = ownership
        self._now = now
        self._be_fenced = be_fenced
        self._often_until = -inf
        self._look = Nudge()
        self._failed: set[int] = set()  # games released after a first failure

    def soon(self) -> None:
        """Query often for a while: games have lost their owner, and some may still be locked by a
        server that was cut off in the middle of a transaction."""
        self._often_until = trio.current_time() + CLAIM_OFTEN
        self._look.give()

    def hear_released(self, _: int, __: said.Released) -> None:
        self.soon()

    async def run(self) -> None:
        """Claim games until cancelled."""
        while True:
            self._look.begin()
            pause = CLAIM_EVERY
            try:
                if self._may_claim:
                    while await self.claim():
                        pass
            except FencedError:
                self._be_fenced()
            except StorageError as error:
                self._queries.complain(error)
                pause = CLAIM_AGAIN
            except Exception:
                LOG.exception("claim failed")
            if trio.current_time() < self._often_until:
                pause = CLAIM_AGAIN
            await self._look.wait(pause)

    @property
    def _may_claim(self) -> bool:
        return self._post.owns and not self._post.draining and not self._post.is_cut_off

    async def claim(self) -> bool:
        """Take over some games that nobody owns. Returns whether to claim more at once.

        Raises:
            FencedError: this run may not write any more.
            StorageError: the database does not answer.
        """
        claim = partial(self._ownership.claim, self._now(), CLAIMED_AT_ONCE)
        waiting = deque(await self._queries.ask(claim))
        self.claimed += len(waiting)
        more = bool(waiting)
        try:
            while waiting and not self._post.draining:
                more &= self._go_on(waiting[0])
                waiting.popleft()
                await trio.lowlevel.checkpoint()
        finally:
            for game in waiting:
                self._releases.give_back(game.unfinished.started.game, game.epoch)
        return more and self._may_claim

    def _go_on(self, claimed: Claimed) -> bool:
        """Resume the game. Returns False if it is about to be released instead; otherwise it is
        played or over."""
        number = claimed.unfinished.started.game
        try:
            self._owner.own(number, claimed.epoch)
            LOG.info("game taken over", game=number, epoch=claimed.epoch)
            why = self._hall.resume_game(claimed.unfinished, self._downtime(claimed))
        except Exception:
            LOG.exception("claimed game failed", game=number)
            return number in self._hall.tables or self._fail(claimed)
        self._failed.discard(number)
        if why:
            self._tell(number, why)
        return True

    def _fail(self, claimed: Claimed) -> bool:
        """Release the game after its first failure, as another server, or another try, may succeed;
        end it after the second. Returns whether it ended."""
        number = claimed.unfinished.started.game
        if number in self._failed:
            self._failed.discard(number)
            self._hall.give_up_game(number, FAULT)
            self._tell(number, FAULT)
            return True
        self._failed.add(number)
        self._releases.give_back(number, claimed.epoch)
        return False

    def _tell(self, game: int, why: str) -> None:
        """Announce that the game is over, and why. If that fails, the servers whose players wait
        for the game find the result in the database."""
        over = notices.over(game, Outcome(None, Reason.SERVER))
        tell = partial(self._owner.end_unplayable, game, over, why)
        try:
            if self._journal.when_durable(tell):
                tell()
        except Exception:
            LOG.exception("claimed game not told", game=game)

    def _downtime(self, claimed: Claimed) -> Downtime:
        now = self._now()
        try:
            return downtime_of(claimed, self._post, self._games.tables, now)
        except Exception:
            LOG.exception("downtime unknown", game=claimed.unfinished.started.game)
            return Downtime(None, now)
