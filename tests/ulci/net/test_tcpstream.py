"""The socket under TLS and WebSocket is a valid Trio stream."""

import math

import pytest
import trio
import trio.testing
from trio.testing import check_two_way_stream

from tests.support.wires import HANG, ShySocket, nothing_left, tcp_pair
from ulci.net import sockets
from ulci.net.tcpstream import MIN_READ_COST, TcpStream


def two() -> tuple[TcpStream, TcpStream]:
    near, far = tcp_pair()
    return TcpStream(near, host="", linger=0.0), TcpStream(far, host="", linger=0.0)


async def test_it_passes_trios_checks_of_streams() -> None:
    async def fresh() -> tuple[TcpStream, TcpStream]:
        return two()

    with trio.fail_after(HANG), nothing_left():
        await check_two_way_stream(fresh, None)


async def test_it_records_the_time_of_a_read_and_a_waiting_reader() -> None:
    near, far = two()
    async with near, far, trio.open_nursery() as nursery:
        assert near.reading_since == math.inf
        began = trio.current_time()
        nursery.start_soon(near.receive_some)
        await trio.testing.wait_all_tasks_blocked()
        assert began <= near.reading_since <= trio.current_time()
        before = trio.current_time()
        await far.send_all(b"x")
        await trio.testing.wait_all_tasks_blocked()
        assert near.reading_since == math.inf
        assert before <= near.intake.at <= trio.current_time()


async def test_it_was_silent_only_while_somebody_read_and_nothing_came() -> None:
    near, far = two()
    async with near, far, trio.open_nursery() as nursery:
        began = trio.current_time()
        assert not near.was_silent_since(began)  # nobody reads
        nursery.start_soon(near.receive_some)
        await trio.testing.wait_all_tasks_blocked()
        assert not near.was_silent_since(began)  # not for so long
        since = near.reading_since
        assert near.was_silent_since(since)
        far._sock.send(b"x")  # no task has had a turn since, as after a stall
        assert not near.was_silent_since(since)
        await trio.testing.wait_all_tasks_blocked()
        assert near.intake.at > since
        assert not near.was_silent_since(since)


async def test_held_data_goes_out_with_the_next_send() -> None:
    near, far = two()
    async with near, far:
        near.hold(True)
        await near.send_all(b"one ")
        await near.send_all(b"two ")
        near.hold(False)
        await near.send_all(b"three")
        assert await far.receive_some() == b"one two three"


async def test_one_can_wait_until_it_takes_more() -> None:
    near, far = two()
    async with near, far, trio.open_nursery() as nursery:
        nursery.start_soon(near.send_all, b"x" * 10_000_000)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(trio.BusyResourceError):
            await near.wait_send_all_might_not_block()
        nursery.cancel_scope.cancel()
    with pytest.raises(trio.ClosedResourceError):
        await near.wait_send_all_might_not_block()
    near, far = two()
    async with near, far:
        await near.wait_send_all_might_not_block()


@pytest.mark.parametrize("how", ["end", "closed"])
async def test_the_end_calls_on_end(how: str) -> None:
    near, far = two()
    async with near, far:
        told = trio.Event()
        near.on_end = told.set
        if how == "end":
            await far.aclose()
            assert await near.receive_some() == b""
        else:
            await near.aclose()
        assert told.is_set()


async def test_a_cancelled_send_ends_the_connection() -> None:
    near, far = two()
    async with near, far:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(near.send_all, b"x" * 10_000_000)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        with pytest.raises(trio.ClosedResourceError):
            await near.send_all(b"y")


async def test_a_peer_that_reset_is_a_broken_resource() -> None:
    near, far = two()
    async with near, far:
        await near.send_all(b"never read")
        sockets.reset(far._sock)
        with pytest.raises(trio.BrokenResourceError, match="reset"):
            await near.receive_some()
        with pytest.raises(trio.BrokenResourceError):
            await near.send_all(b"x")


async def test_a_spurious_wake_up_is_no_end() -> None:
    near, far = tcp_pair()
    shy = ShySocket(fileno=near.detach())
    far.send(b"x")
    with far:
        async with TcpStream(shy, host="", linger=0.0) as stream:
            assert await stream.receive_some() == b"x"
            await stream.send_all(b"y")
            assert far.recv(10) == b"y"


async def test_small_reads_are_charged_a_minimum() -> None:
    near, far = two()
    near.most_unheard = 10 * MIN_READ_COST
    async with near, far:
        for _ in range(10):
            await far.send_all(b"x")
            assert await near.receive_some() == b"x"
        await far.send_all(b"x")
        with pytest.raises(trio.BrokenResourceError, match="without a whole message"):
            await near.receive_some()
