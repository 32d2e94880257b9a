"""Peers in memory: what is particular about them. The rest is in the suite for every kind."""

import trio
import trio.testing

from tests.support.memory_peers import memory_peers
from tests.support.wires import client_side, ending, hear, server_side, text
from ulci.net import Limits


async def test_memory_peers_need_neither_a_task_nor_a_context() -> None:
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


async def test_unread_bytes_count_as_the_senders_outbox() -> None:
    ours, theirs = memory_peers(server_side(), client_side(), limits=Limits(outbox=30))
    ours.put(text("hello"))
    assert ours.waiting == len("info string hello\n")
    assert theirs.waiting == 0
    ours.put(text("and good bye"))
    assert "reads too slowly" in ours.why
    assert (await hear(theirs)).message == text("hello")
    assert await ending(theirs) == "the connection was reset by the other side"


async def test_a_cut_with_nothing_unread_looks_like_a_regular_end() -> None:
    ours, theirs = memory_peers(server_side(), client_side())
    ours.cut("enough")
    assert await ending(theirs) == "closed by the other side"


async def test_messages_from_before_closing_are_read_after_both_ends_closed() -> None:
    ours, theirs = memory_peers(server_side(), client_side())
    ours.put(text("good bye"))
    await ours.aclose()
    assert (await hear(theirs)).message == text("good bye")
    await theirs.aclose()
