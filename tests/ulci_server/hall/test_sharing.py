"""Work is done once for all who ask for it before it begins."""

import pytest
import trio
import trio.testing

from ulci.net import Turns
from ulci_server.hall.sharing import Sharing


class Work:
    """Counts how often it is done, and waits until it may go on."""

    def __init__(self) -> None:
        self.begun = 0
        self.go_on = trio.Event()
        self.failure: Exception | None = None

    async def __call__(self) -> int:
        self.begun += 1
        done = self.begun
        await self.go_on.wait()
        if self.failure is not None:
            raise self.failure
        return done


async def test_a_thousand_share_what_began_after_they_had_asked() -> None:
    sharing, work, results = Sharing(Turns()), Work(), []

    async def ask() -> None:
        results.append(await sharing.share("it", work))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(1000):
            nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        work.go_on.set()
    assert work.begun == 2
    assert sorted(results) == [1] + [2] * 1000


async def test_what_has_another_key_is_done_beside_it() -> None:
    sharing, work = Sharing(Turns()), Work()
    async with trio.open_nursery() as nursery:
        for key in "abc":
            nursery.start_soon(sharing.share, key, work)
        await trio.testing.wait_all_tasks_blocked()
        assert work.begun == 3
        work.go_on.set()
    assert not sharing._locks
    assert not sharing._next


async def test_all_hear_of_a_failure_and_who_comes_later_tries_anew() -> None:
    sharing, work = Sharing(Turns()), Work()
    work.failure = OSError("the disk is full")

    async def ask() -> None:
        with pytest.raises(OSError, match="the disk is full"):
            await sharing.share("it", work)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(3):
            nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        work.go_on.set()
    assert work.begun == 2
    work.failure = None
    assert await sharing.share("it", work) == 3


async def test_when_who_does_it_leaves_another_does_it() -> None:
    sharing, work, results = Sharing(Turns()), Work(), []
    first, second = trio.CancelScope(), trio.CancelScope()

    async def ask(scope: trio.CancelScope) -> None:
        with scope:
            results.append(await sharing.share("it", work))

    async with trio.open_nursery() as nursery:
        for scope in (first, second, *(trio.CancelScope() for _ in range(3))):
            nursery.start_soon(ask, scope)
            await trio.testing.wait_all_tasks_blocked()
        second.cancel()  # who would have done it next, for the three
        first.cancel()
        await trio.testing.wait_all_tasks_blocked()
        work.go_on.set()
    assert len(results) == 3
    assert 2 <= work.begun <= 3  # the first of the three may begin before the others have asked
