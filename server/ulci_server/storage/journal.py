"""The journal: group commit.

What is noted while one commit runs is the next commit. So a lone move is on the disk at once, and
five hundred moves of one moment share one transaction, without a timer and without a setting.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from time import perf_counter

import structlog
import trio

from ulci_server.game import Fact, Heartbeat, MovePlayed

from .database_threads import NO_ANSWER, SILENT, Asked
from .errors import RefusedError, StorageError
from .repository import Repository

LOG = structlog.get_logger("ulci_server.storage")

FIRST_RETRY = 0.1
"""Seconds until a failed commit is tried again: a lock or a restart is often over by then."""

LAST_RETRY = 5.0
"""The longest pause between two tries, reached by doubling: so soon after the disk has room again
the games go on."""

TELL_TIME = 0.001
"""Seconds of callbacks between two chances for other tasks: a callback takes 40 µs and more, and
five hundred in one go would keep whoever has just moved waiting to be read."""

NAMED = 10
"""Games whose numbers are listed; of more it is said how many."""

Callback = Callable[[], object]
Tell = Callable[[str | None], object]
Dated = tuple[Fact, datetime]
Refused = list[tuple[Dated, RefusedError]]


def _now() -> datetime:
    return datetime.now(UTC)


class Journal:
    """Notes facts and makes them durable, in order. All but the commit happens in the Trio thread.

    While the repository fails (disk full, locked, gone) nothing is lost and nobody is called back:
    `healthy` is False, `trouble` says why, and the same batch is tried again for ever. So it is
    while the repository does not answer, but then the same try is waited for. A fact that
    the repository refuses for what it says would be refused for ever: the batch is then saved in
    halves, and halves of those, until the culprit stands alone; it is logged as an error and left
    out, and all others are kept.
    """

    def __init__(
        self,
        repository: Repository,
        *,
        now: Callable[[], datetime] = _now,
        on_trouble: Tell | None = None,
    ) -> None:
        """`now` stamps the facts (aware, UTC). `on_trouble` is told when trouble comes, changes
        (its text) and goes (None)."""
        self.healthy = True
        self.trouble = ""
        self._repository = repository
        self._now = now
        self._on_trouble = [] if on_trouble is None else [on_trouble]
        self._gathering: list[Dated] = []
        self._waiting: list[Callback] = []
        self._batch: list[Dated] = []
        self._settling: list[Callback] = []
        self._wake = trio.Event()
        self._saving: Asked[Refused] | None = None
        self._patience = trio.CancelScope()
        self.lost = ""
        """Once `run` has ended: what was noted and is not durable. No player was told of it."""
        self._slowest = 0.0
        self._since = 0.0  # when the first fact of those gathering was noted
        self._telling = math.inf  # and the first of those being written and told

    def note(self, fact: Fact) -> None:
        """Remember it. Never waits and never fails."""
        if not self._gathering:
            self._since = trio.current_time()
            self._wake.set()
        self._gathering.append((fact, self._now()))

    def when_durable(self, callback: Callback) -> bool:
        """True: everything noted so far is durable (the callback is not kept). False: it will be
        called, in the Trio thread, as soon as it is; callbacks come in the order of asking."""
        if self._gathering:
            self._waiting.append(callback)
        elif self._batch:
            self._settling.append(callback)
        else:
            return True
        return False

    def tell_trouble(self, tell: Tell) -> None:
        """Tell this one too when trouble comes, changes (its text) and goes (None)."""
        self._on_trouble.append(tell)

    @property
    def slowest(self) -> float:
        """The longest time in s from a fact's being noted to the end of the callbacks, those that
        wait still included."""
        oldest = min(self._telling, self._since if self._gathering else math.inf)
        return max(self._slowest, trio.current_time() - oldest)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Write until cancelled; `drain` first. What is left then is tried once more, for as long
        as a healthy repository takes at most; without trouble, nothing is lost."""
        task_status.started()
        try:
            while True:
                with trio.CancelScope() as self._patience:
                    await self._write_all()
                if self._saving is not None:
                    self._in_trouble(SILENT)
        finally:
            with trio.move_on_after(NO_ANSWER, shield=True) as scope:
                await self._last_try()
            if scope.cancelled_caught:
                self._in_trouble(SILENT)
            self.lost = in_words(fact for fact, _ in (*self._batch, *self._gathering))
            if self.lost:
                LOG.error("not stored", what=self.lost, trouble=self.trouble)

    async def drain(self) -> None:
        """Return when everything noted is durable. The caller's cancel scope sets the deadline."""
        done = trio.Event()
        if self.when_durable(done.set):
            await trio.lowlevel.checkpoint()
        else:
            await done.wait()

    # How it is done

    async def _write_all(self) -> None:
        """Until cancelled: by the end of the server, or of `_patience`."""
        while True:
            if not self._batch:
                if not self._gathering:
                    await self._wake.wait()
                self._gather()
            await self._write_batch()

    def _gather(self) -> None:
        self._wake = trio.Event()
        self._telling = self._since
        self._batch, self._gathering = self._gathering, []
        self._settling, self._waiting = self._waiting, []

    async def _write_batch(self) -> None:
        pause = FIRST_RETRY
        while not await self._commit():
            await trio.sleep(pause)
            pause = min(2 * pause, LAST_RETRY)
        await self._settle()

    async def _last_try(self) -> None:
        """Cancelled in a commit, in a pause between two tries, or before the last facts were
        seen."""
        while self.healthy and (self._batch or self._gathering):
            if not self._batch:
                self._gather()
            if await self._commit():
                await self._settle()

    async def _commit(self) -> bool:
        """Save the batch, or wait for the commit of it that is under way. To leave that alone
        half-way would leave open what was saved, so it is waited for however long it takes: when
        `_patience` ends, `run` says so and waits again."""
        if self._saving is None:
            try:
                self._saving = Asked(partial(_save_all_but_refused, self._repository, self._batch))
            except RuntimeError as error:  # the system lets this process have no more threads
                self._in_trouble(str(error))
                return False
            self._patience.deadline = trio.current_time() + NO_ANSWER
        await self._saving.wait()
        self._patience.deadline = math.inf
        saving, self._saving = self._saving, None
        try:
            refused = saving.answer()
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

    async def _settle(self) -> None:
        callbacks, self._settling = self._settling, []
        until = perf_counter() + TELL_TIME
        for callback in callbacks:
            if perf_counter() > until:
                await trio.lowlevel.cancel_shielded_checkpoint()
                until = perf_counter() + TELL_TIME
            _call(callback)
        self._slowest = max(self._slowest, trio.current_time() - self._telling)
        self._telling = math.inf


def _call(callback: Callback) -> None:
    """A callback's bug is its own: all others still have to hear."""
    try:
        callback()
    except Exception:
        LOG.exception("callback failed", callback=callback)


def in_words(facts: Iterable[Fact]) -> str:
    """``2 moves and 1 other event of games 3, 17``, for people; heartbeats are nothing."""
    of_games = [fact for fact in facts if not isinstance(fact, Heartbeat)]
    moves = sum(isinstance(fact, MovePlayed) for fact in of_games)
    counted = ((moves, "move"), (len(of_games) - moves, "other event"))
    what = " and ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counted if n)
    games = sorted({fact.game for fact in of_games})
    if len(games) > NAMED:
        return f"{what} of {len(games)} games"
    return what and f"{what} of game{'' if len(games) == 1 else 's'} {', '.join(map(str, games))}"


def _save_all_but_refused(repository: Repository, batch: Sequence[Dated]) -> Refused:
    """Save what can be saved; return what cannot. In the worker thread."""
    try:
        repository.save(batch)
    except RefusedError as error:
        if len(batch) == 1:
            return [(batch[0], error)]
        half = len(batch) // 2
        return [
            *_save_all_but_refused(repository, batch[:half]),
            *_save_all_but_refused(repository, batch[half:]),
        ]
    return []
