import asyncio
from typing import NoReturn

import pytest
import trio

from ulci_client.terminal.shell.trio_guest import TrioGuest


def test_trio_runs_on_the_hosts_loop_and_gives_its_result() -> None:
    async def answer() -> int:
        await trio.lowlevel.checkpoint()
        return 42

    assert asyncio.run(TrioGuest().run(answer)) == 42


def test_its_errors_come_out() -> None:
    async def fail() -> NoReturn:
        await trio.lowlevel.checkpoint()
        raise KeyError("lost")

    with pytest.raises(KeyError):
        asyncio.run(TrioGuest().run(fail))


def test_the_host_can_call_in_and_end_it() -> None:
    guest = TrioGuest()
    called: list[str] = []

    async def host() -> object:
        begun = asyncio.Event()

        async def forever() -> None:
            begun.set()
            await trio.sleep_forever()

        task = asyncio.ensure_future(guest.run(forever))
        await begun.wait()
        guest.soon(called.append, "once")
        guest.cancel()
        return await task

    assert asyncio.run(host()) is None
    assert called == ["once"]


def test_a_guest_run_cancelled_before_its_start_ends() -> None:
    guest = TrioGuest()

    async def host() -> object:
        task = asyncio.ensure_future(guest.run(trio.sleep_forever))
        guest.cancel()
        return await task

    assert asyncio.run(host()) is None


def test_a_cancelled_host_waits_for_the_guest_run() -> None:
    ended: list[str] = []

    begun = asyncio.Event()

    async def tidy() -> None:
        begun.set()
        try:
            await trio.sleep_forever()
        finally:
            ended.append("tidy")

    async def host() -> None:
        task = asyncio.ensure_future(TrioGuest().run(tidy))
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(host())
    assert ended == ["tidy"]


def test_nothing_is_called_before_or_after_the_run() -> None:
    guest = TrioGuest()
    called: list[str] = []
    guest.soon(called.append, "before")
    asyncio.run(guest.run(trio.lowlevel.checkpoint))
    guest.soon(called.append, "after")
    guest.cancel()
    assert called == []
