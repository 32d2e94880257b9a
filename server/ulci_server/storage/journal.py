"""The journal: group commit.

Facts noted during one commit form the next one. So a lone move is on the disk at once, and five
hundred simultaneous moves share one transaction, without a timer and without a setting.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from time import perf_counter

import structlog
import trio

from ulci_server.game import Fact, GameFinished, Heartbeat, MovePlayed, Released

from .database import Database
from .database_threads import NO_ANSWER, SILENT, STOOD_STILL, PendingQuery
from .errors import FencedError, RefusedError, StorageError
from .journal_counts import JournalCounts

LOG = structlog.get_logger("ulci_server.storage")

FIRST_RETRY = 0.1
"""Seconds until a failed commit is retried: a lock or a restart is often over by then."""

LAST_RETRY = 5.0
"""Maximum seconds between two tries, reached by doubling: once the disk has room again, the games
go on within this time."""

TELL_TIME = 0.001
"""Seconds of callbacks between two checkpoints for other tasks: a callback takes 40 µs and more,
and five hundred in one go would delay the reading of new moves."""

SLOW = 0.005
"""Seconds that a commit in the Trio thread may take: half of what may hold the loop. One takes
0.1 ms, but the system may make a write wait while it empties its memory."""

PAUSE = 20
"""So many times as long as a slow commit took are the next ones left to the other thread."""

NAMED = 10
"""Maximum games listed by number; of more only the count is given."""

Callback = Callable[[], object]
TellTrouble = Callable[[str | None], object]
Dated = tuple[Fact, datetime]
Refused = list[tuple[Dated, RefusedError]]


def _now() -> datetime:
    return datetime.now(UTC)


class Journal:
    """Notes facts and makes them durable, in order. All but the commit happens in the Trio thread,
    and the commit of a lone move, too, if the database never waits (`save_now`).

    While the database fails (disk full, locked, unreachable) nothing is lost and no callback
    runs: `healthy` is False, `trouble` is the reason, and the same batch is retried for ever. The
    same holds while the database does not answer, but then the running try is waited for. A fact
    that the database refuses for its content would be refused for ever: the batch is then saved
    in halves, and halves of those, until the culprit is alone; it is logged as an error and left
    out, and all others are saved.

    A server of a cluster may be fenced: another one has its games now. Then everything that waits
    is dropped, nothing is durable any more and no callback runs: `fenced` is True, until the server
    begins a new run.
    """

    def __init__(
        self,
        database: Database,
        *,
        now: Callable[[], datetime] = _now,
    ) -> None:
        """`now` stamps the facts (aware, UTC)."""
        self.healthy = True
        self.trouble = ""
        self.fenced = False
        self._database = database
        self._now = now
        self._on_trouble: list[TellTrouble] = []
        self._on_fenced: list[Callback] = []
        self._drains: set[trio.Event] = set()
        self._ahead: dict[int, timedelta] = {}  # by how much the times of a game are
        self._gathering: list[Dated] = []
        self._waiting: list[Callback] = []
        self._batch: list[Dated] = []
        self._settling: list[Callback] = []
        self._wake = trio.Event()
        self._saving: PendingQuery[Refused] | None = None
        self._patience = trio.CancelScope()
        self.lost = ""
        """After the end of `run`: the facts noted but not durable, which no player was sent. Empty
        if the run was fenced: another server goes on with its games."""
        self.counts = JournalCounts()
        self._few = False
        self._saves_here = False
        self._next_here = 0.0  # after a slow commit here
        self._slowest = 0.0
        self._since = 0.0  # when the first fact of those gathering was noted
        self._telling = math.inf  # when the first of those being written and reported was noted

    def note(self, fact: Fact) -> None:
        """Note a fact for the next commit. Never waits and never fails."""
        if not self.fenced:
            self._gather_one(self._dated(fact))

    def go_on(self, game: int, at: datetime) -> None:
        """Another server stored the last fact of the game at `at`. If its clock is ahead of this
        one's, the times of the game go on from there: they pass as they do here, and never jump
        back, as what passes between two of them is a player's thinking time."""
        if (ahead := at - self._now()) > timedelta(0):
            self._ahead[game] = ahead

    def _dated(self, fact: Fact) -> Dated:
        now = self._now()
        if self._ahead and not isinstance(fact, Heartbeat) and fact.game in self._ahead:
            over = isinstance(fact, GameFinished | Released)
            now += self._ahead.pop(fact.game) if over else self._ahead[fact.game]
        return fact, now

    def _gather_one(self, dated: Dated) -> None:
        if not self._gathering:
            self._since = trio.current_time()
            self._wake.set()
        self._gathering.append(dated)

    def save_now(self, fact: Fact) -> bool:
        """Note a fact. It is committed here if there are `few` games, nothing else is to be
        committed, and the database keeps nobody waiting. Whether it is durable."""
        if self.fenced:
            return False
        dated, began = self._dated(fact), trio.current_time()
        if not self._may_save_here(began) or not self._database.save_at_once([dated]):
            self._gather_one(dated)
            return False
        took = trio.current_time() - began
        if took > SLOW:
            self._next_here = began + took + PAUSE * took
        self._slowest = max(self._slowest, took)
        self.counts.add((fact,), took, took)
        return True

    def _may_save_here(self, now: float) -> bool:
        idle = not (self._gathering or self._batch)
        return self._saves_here and idle and now >= self._next_here

    @property
    def few(self) -> bool:
        """Whether so few games run that moves hardly ever share a commit: then the handover to a
        thread, and back, costs more than it."""
        return self._few

    @few.setter
    def few(self, few: bool) -> None:
        self._few = few
        self._saves_here = few and self._database.never_waits

    def when_durable(self, callback: Callback) -> bool:
        """True: everything noted so far is durable (the callback is dropped). False: it will be
        called, in the Trio thread, as soon as it is; callbacks run in the order of these calls.
        Once the run was fenced: False, and it is never called."""
        if self.fenced:
            return False
        if self._gathering:
            self._waiting.append(callback)
        elif self._batch:
            self._settling.append(callback)
        else:
            return True
        return False

    @property
    def pending(self) -> int:
        """Facts that are not durable."""
        return len(self._gathering) + len(self._batch)

    def tell_trouble(self, tell: TellTrouble) -> None:
        """Call `tell` when trouble begins or changes (with its text) and ends (None)."""
        self._on_trouble.append(tell)

    async def abandon(self) -> None:
        """This run was fenced: drop everything, and return when no commit is under way."""
        self._be_fenced("it was fenced by another server")
        while (saving := self._saving) is not None:
            await saving.wait()
            await trio.lowlevel.checkpoint()  # the task that wrote comes first

    def begin_again(self) -> None:
        """A new run of this server begins, after `abandon` or before anything was noted."""
        self.fenced = False
        self._ahead.clear()

    def on_fenced(self, tell: Callback) -> None:
        """Call `tell`, once, when it turns out that this run was fenced."""
        self._on_fenced.append(tell)

    @property
    def slowest(self) -> float:
        """The longest time in s from the noting of a fact to the end of its callbacks, including
        facts that still wait."""
        oldest = min(self._telling, self._since if self._gathering else math.inf)
        return max(self._slowest, trio.current_time() - oldest)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Write until cancelled; `drain` first. The rest is then tried once more, for the maximum
        time of a healthy database; without trouble, nothing is lost."""
        task_status.started()
        try:
            until = math.inf
            while True:
                with trio.CancelScope(deadline=until) as self._patience:
                    await self._write_all()
                until = self._lose_patience()
        finally:
            with trio.move_on_after(NO_ANSWER, shield=True) as scope:
                await self._last_try()
            if scope.cancelled_caught:
                self._in_trouble(SILENT)
            self.lost = in_words(fact for fact, _ in (*self._batch, *self._gathering))
            if self.lost:
                LOG.error("not stored", what=self.lost, trouble=self.trouble)

    async def drain(self) -> None:
        """Return when everything noted is durable, or dropped because the run was fenced. The
        caller's cancel scope sets the deadline."""
        done = trio.Event()
        if self.fenced or self.when_durable(done.set):
            await trio.lowlevel.checkpoint()
            return
        self._drains.add(done)
        try:
            await done.wait()
        finally:
            self._drains.remove(done)

    # Implementation

    def _lose_patience(self) -> float:
        """The database has not answered in its time. Returns until when it is waited for now."""
        now = trio.current_time()
        if now > self._patience.deadline + STOOD_STILL:
            return now + STOOD_STILL  # the answer may be here
        if self._saving is not None and not self.fenced:
            self._in_trouble(SILENT)
        return math.inf

    async def _write_all(self) -> None:
        """Write until cancelled: by the end of the server, or of `_patience`."""
        while True:
            if not self._batch and self._saving is None:
                if not self._gathering:
                    await self._wake.wait()
                self._gather()
            if self._batch or self._saving is not None:  # otherwise the run was fenced meanwhile
                await self._write_batch()

    def _gather(self) -> None:
        self._wake = trio.Event()
        self._telling = self._since
        self._batch, self._gathering = self._gathering, []
        self._settling, self._waiting = self._waiting, []

    async def _write_batch(self) -> None:
        pause, batch = FIRST_RETRY, self._batch
        began = trio.current_time()
        while not await self._commit():
            await trio.sleep(pause)
            pause = min(2 * pause, LAST_RETRY)
        if self.fenced:
            return
        committed = trio.current_time()
        delayed = await self._settle()
        self.counts.add((fact for fact, _ in batch), committed - began, delayed)

    async def _last_try(self) -> None:
        """Write the rest: `run` was cancelled in a commit, between two tries, or before it saw the
        last facts."""
        while self.healthy and (self._batch or self._gathering):
            if not self._batch:
                self._gather()
            if await self._commit():
                await self._settle()

    async def _commit(self) -> bool:
        """Save the batch, or wait for its running commit. If that were abandoned half-way, it would
        be unknown what was saved, so it is waited for however long it takes: when `_patience` ends,
        `run` reports it, unless this program stood still, and waits again. Whether the batch is
        done with."""
        if self._saving is None:
            try:
                self._saving = PendingQuery(
                    partial(_save_all_but_refused, self._database, self._batch)
                )
            except RuntimeError as error:  # the system allows this process no more threads
                self._in_trouble(str(error))
                return False
            self._patience.deadline = trio.current_time() + NO_ANSWER
        await self._saving.wait()
        self._patience.deadline = math.inf
        saving, self._saving = self._saving, None
        if self.fenced:  # meanwhile: whatever came of it, others go on
            return True
        try:
            refused = saving.answer()
        except FencedError as error:
            self._be_fenced(str(error))
            return True
        except StorageError as error:
            self._in_trouble(str(error))
            return False
        except Exception as error:  # noqa: BLE001 - whatever it is, the facts must not be lost
            self._in_trouble(f"{type(error).__name__}: {error}", error)
            return False
        self._committed(refused)
        return True

    def _committed(self, refused: Refused) -> None:
        self._batch = []
        for (fact, at), error in refused:
            LOG.error("fact refused", fact=fact, at=at, why=str(error))
        self._out_of_trouble()

    def _be_fenced(self, why: str) -> None:
        """Drop everything, also the saved part of the batch: the servers that have the games now
        read it."""
        if self.fenced:
            return
        LOG.warning("this server was fenced: others go on with its games", why=why)
        self.fenced = True
        self._batch, self._gathering = [], []
        self._settling, self._waiting = [], []
        self._telling = math.inf
        for tell in self._on_fenced:
            _call(tell)
        for done in self._drains:
            done.set()
        self._out_of_trouble()

    def _out_of_trouble(self) -> None:
        if not self.healthy:
            self.healthy, self.trouble = True, ""
            LOG.info("storage works again")
            self._tell(None)

    def _in_trouble(self, why: str, error: Exception | None = None) -> None:
        if why != self.trouble:
            LOG.error("storage fails", trouble=why, exc_info=error)
            self.healthy, self.trouble = False, why
            self._tell(why)

    def _tell(self, trouble: str | None) -> None:
        for tell in self._on_trouble:
            _call(partial(tell, trouble))

    async def _settle(self) -> float:
        """Run the callbacks. Returns the time in s since the oldest fact was noted."""
        callbacks, self._settling = self._settling, []
        until = perf_counter() + TELL_TIME
        for callback in callbacks:
            if perf_counter() > until:
                await trio.lowlevel.cancel_shielded_checkpoint()
                until = perf_counter() + TELL_TIME
            _call(callback)
        delay = trio.current_time() - self._telling
        self._slowest = max(self._slowest, delay)
        self._telling = math.inf
        return delay


def _call(callback: Callback) -> None:
    """Log a callback's exception: all others still have to run."""
    try:
        callback()
    except Exception:
        LOG.exception("callback failed", callback=callback)


def in_words(facts: Iterable[Fact]) -> str:
    """``2 moves and 1 other event of games 3, 17``, for people, without heartbeats."""
    of_games = [fact for fact in facts if not isinstance(fact, Heartbeat)]
    moves = sum(isinstance(fact, MovePlayed) for fact in of_games)
    counted = ((moves, "move"), (len(of_games) - moves, "other event"))
    what = " and ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counted if n)
    games = sorted({fact.game for fact in of_games})
    if len(games) > NAMED:
        return f"{what} of {len(games)} games"
    return what and f"{what} of game{'' if len(games) == 1 else 's'} {', '.join(map(str, games))}"


def _save_all_but_refused(database: Database, batch: Sequence[Dated]) -> Refused:
    """Save all facts that can be saved; return the others. Runs in the worker thread."""
    try:
        database.save(batch)
    except RefusedError as error:
        if len(batch) == 1:
            return [(batch[0], error)]
        half = len(batch) // 2
        return [
            *_save_all_but_refused(database, batch[:half]),
            *_save_all_but_refused(database, batch[half:]),
        ]
    return []
