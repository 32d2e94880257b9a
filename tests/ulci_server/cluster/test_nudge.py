"""A task that looks again and again is woken before its next look is due."""

import trio

from ulci_server.cluster.nudge import Nudge


async def test_it_waits_for_its_time(autojump_clock):
    nudge = Nudge()
    nudge.begin()
    await nudge.wait(5)
    assert trio.current_time() == 5


async def test_a_nudge_ends_the_wait(autojump_clock, nursery):
    nudge = Nudge()
    nudge.begin()

    async def give() -> None:
        await trio.sleep(1)
        nudge.give()

    nursery.start_soon(give)
    await nudge.wait(5)
    assert trio.current_time() == 1


async def test_a_nudge_during_a_look_is_not_lost(autojump_clock):
    nudge = Nudge()
    nudge.begin()
    nudge.give()
    await nudge.wait(5)
    assert trio.current_time() == 0


async def test_a_nudge_before_a_look_is_seen_by_it(autojump_clock):
    nudge = Nudge()
    nudge.give()
    nudge.begin()
    await nudge.wait(5)
    assert trio.current_time() == 5
