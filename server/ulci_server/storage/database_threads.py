"""Bounds the time to wait for the database.

A database may be paused, its disk may hang, the network may drop packets: then the thread that
queries it may wait for ever, and a thread cannot be killed. So tasks that wait for the thread must
be able to abandon it. Its data may still be written later.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

import outcome
import trio

from .errors import StorageError
from .sql_engine import BUSY_TIMEOUT

Answer = TypeVar("Answer")

NO_ANSWER = BUSY_TIMEOUT + 1.0
"""Seconds after which a database that has not answered is reported. Longer than its own timeout for
another program's lock, which it reports itself."""

STOOD_STILL = 0.2
"""A wait that ends so many seconds too late shows that this program itself did not run: it was
stopped, or its machine had no time for it. It then waits so long once more, as the answer may be
here."""

SILENT = (
    f"the database has not answered for {NO_ANSWER:g} s: it is paused or overloaded, or its disk or"
    " the network to it hangs"
)


class PendingQuery(Generic[Answer]):
    """A database query in a thread of its own. A task may stop waiting for the answer, and wait
    again."""

    __slots__ = ("_answered", "_loop", "_outcome", "_then")

    def __init__(self, work: Callable[[], Answer], then: Callable[[], None] | None = None) -> None:
        """`then` is called when it is answered, whether a task waits or not. Raises `RuntimeError`
        if the system allows this process no more threads."""
        self._answered = trio.Event()
        self._then = then
        self._outcome: outcome.Outcome[Answer] | None = None
        self._loop = trio.lowlevel.current_trio_token()
        trio.lowlevel.start_thread_soon(work, self._deliver)

    def _deliver(self, result: outcome.Outcome[Answer]) -> None:
        """Runs in the thread."""
        self._outcome = result
        with suppress(trio.RunFinishedError):  # abandoned
            self._loop.run_sync_soon(self._tell)

    def _tell(self) -> None:
        self._answered.set()
        if self._then is not None:
            self._then()

    async def wait(self, deadline: float = math.inf) -> bool:
        """Wait until it is answered, or that time of Trio's clock; `STOOD_STILL` s more if this
        program did not run at that time. Whether it is answered."""
        if deadline == math.inf:  # a cancel scope would cost a third of the handover
            await self._answered.wait()
            return True
        with trio.move_on_at(deadline):
            await self._answered.wait()
        if not self._answered.is_set() and trio.current_time() > deadline + STOOD_STILL:
            with trio.move_on_after(STOOD_STILL):
                await self._answered.wait()
        return self._answered.is_set()

    def answer(self) -> Answer:
        """The result of `work`, or its exception. Call it after the answer, and only once."""
        assert self._outcome is not None
        return self._outcome.unwrap()


async def answered(work: Callable[[], Answer]) -> Answer:
    """The result of `work`; its thread is abandoned if it takes too long or the caller is
    cancelled.

    Raises:
        StorageError: it took longer than `NO_ANSWER`.
    """
    asked = PendingQuery(work)
    if not await asked.wait(trio.current_time() + NO_ANSWER):
        raise StorageError(SILENT)
    return asked.answer()


class Askers:
    """At most `at_once` threads query at a time. All others wait, however many they are, as long as
    the database answers any query."""

    def __init__(self, at_once: int) -> None:
        self._places = trio.CapacityLimiter(at_once)
        self._silent = False  # a query has timed out, and none was answered since
        self._waiting: set[trio.CancelScope] = set()

    async def ask(self, work: Callable[[], Answer]) -> Answer:
        """As `answered`; an abandoned thread keeps its place until it is answered."""
        place = object()
        await self._take(place)
        try:
            asked = PendingQuery(work, partial(self._answered, place))
        except RuntimeError as error:  # the system allows this process no more threads
            self._places.release_on_behalf_of(place)
            raise StorageError(str(error)) from None
        if not await asked.wait(trio.current_time() + NO_ANSWER):
            self._fall_silent()
            raise StorageError(SILENT)
        return asked.answer()

    async def _take(self, place: object) -> None:
        with trio.CancelScope() as scope:
            if self._silent:
                scope.deadline = trio.current_time() + NO_ANSWER
            self._waiting.add(scope)
            try:
                await self._places.acquire_on_behalf_of(place)
            finally:
                self._waiting.remove(scope)
        if scope.cancelled_caught:
            raise StorageError(SILENT)

    def _answered(self, place: object) -> None:
        self._places.release_on_behalf_of(place)
        if self._silent:
            self._silent = False
            for scope in self._waiting:
                scope.deadline = math.inf

    def _fall_silent(self) -> None:
        self._silent = True
        for scope in self._waiting:
            scope.cancel()
