"""Whether a hub can be used is found out by using it, and not for ever."""

import pytest
import trio

from tests.support.memory_hub import MemoryHub
from ulci_server.bus import HubError, round_trip
from ulci_server.bus.round_trip import ANSWER


async def test_it_is_the_time_there_and_back(autojump_clock) -> None:
    assert await round_trip(MemoryHub(lambda *_: (0.125,))) == pytest.approx(0.125)


async def test_a_hub_that_does_not_answer_or_deliver(autojump_clock) -> None:
    for hub in (frozen := MemoryHub(), MemoryHub(lambda *_: ())):
        frozen.freeze()
        begun = trio.current_time()
        with pytest.raises(HubError, match="the memory hub did not answer within 2 s"):
            await round_trip(hub)
        assert trio.current_time() == begun + ANSWER


async def test_a_hub_that_ends_meanwhile(nursery, autojump_clock) -> None:
    hub = MemoryHub(lambda *_: (0.1,))

    async def stop() -> None:
        await trio.sleep(0.25)
        hub.stop()

    nursery.start_soon(stop)
    with pytest.raises(HubError, match="the memory hub is down"):
        await round_trip(hub)
