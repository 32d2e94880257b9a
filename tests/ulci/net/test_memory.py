"""Peers in memory: what only they do. The rest is in the suite for every kind."""

import trio
import trio.testing

from tests.support.wires import client_side, ending, hear, server_side, text
from ulci.net import Limits, memory_peers


async def test_they_need_neither_a_task_nor_a_context() -> None:
    before = trio.lowlevel.current_statistics().tasks_living
    ours, theirs = memory_peers(server_side(), client_side())
    ours.put(text("hello"))
    assert (await hear(theirs)).message == text("hello")
    assert trio.lowlevel.current_statistics().tasks_living == before
    assert ours.round_trip() is None


async def test_the_clock_of_a_test_stamps_the_arrival(mock_clock: trio.testing.MockClock) -> None:
    ours, theirs = memory_peers(server_side(), client_side())
    ours.put(text("hello"))
    mock_clock.jump(5)
    heard = await theirs.receive()
    assert heard is not None
    assert heard.at == trio.current_time()


async def test_what_is_not_read_is_the_outbox_of_who_said_it() -> None:
    ours, theirs = memory_peers(server_side(), client_side(), limits=Limits(outbox=30))
    ours.put(text("hello"))
    assert ours.statistics().outbox == len("info string hello\n")
    assert theirs.statistics().outbox == 0
    ours.put(text("and good bye"))
    assert "reads too slowly" in ours.why
    assert (await hear(theirs)).message == text("hello")
    assert await ending(theirs) == "the connection was reset by the other side"


async def test_who_is_cut_with_nothing_on_its_way_sees_a_regular_end() -> None:
    ours, theirs = memory_peers(server_side(), client_side())
    ours.cut("enough")
    assert await ending(theirs) == "closed by the other side"


async def test_what_was_said_before_closing_is_read_though_both_have_closed() -> None:
    ours, theirs = memory_peers(server_side(), client_side())
    ours.put(text("good bye"))
    await ours.aclose()
    assert (await hear(theirs)).message == text("good bye")
    await theirs.aclose()
