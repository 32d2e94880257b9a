"""Work that is done once for all who ask for it before it begins."""

from collections.abc import Awaitable, Callable, Hashable
from copy import copy
from typing import Any, TypeVar, cast

import trio

from ulci.net import GradualEvent, Turns

Result = TypeVar("Result")


class _Share:
    """One doing of a piece of work. failure: what it raised; None and not `done`: whoever did it
    has left."""

    def __init__(self, turns: Turns) -> None:
        self.over = GradualEvent(turns)
        self.done = False
        self.result: Any = None
        self.failure: Exception | None = None


class Sharing:
    """Does each piece of work, known by a key, at most once at a time. `turns`: in which those go
    on who have waited for the same."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._next: dict[Hashable, _Share] = {}  # has not begun
        self._locks: dict[Hashable, trio.Lock] = {}

    async def share(self, key: Hashable, work: Callable[[], Awaitable[Result]]) -> Result:
        """The result of `work`, which began after this was asked for, or what it raised."""
        while True:
            share = self._next.get(key)
            if share is None:
                return await self._do(key, work)
            await share.over.wait()
            if share.failure is not None:
                raise copy(share.failure)
            if share.done:
                return cast(Result, share.result)
            # Whoever did it has left meanwhile.

    async def _do(self, key: Hashable, work: Callable[[], Awaitable[Result]]) -> Result:
        share = self._next[key] = _Share(self._turns)
        lock = self._locks.setdefault(key, trio.Lock())
        try:
            async with lock:
                del self._next[key]
                result = share.result = await work()
            share.done = True
            return result
        except Exception as error:
            share.failure = error
            raise
        finally:
            if self._next.get(key) is share:
                del self._next[key]
            if not (lock.locked() or lock.statistics().tasks_waiting or key in self._next):
                self._locks.pop(key, None)
            share.over.set()
