"""Plain TCP: the fast path, and bad connections."""

import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from tests.support.wires import (
    HANG,
    ShySocket,
    call,
    client_side,
    ending,
    hear,
    nothing_left,
    read_all,
    reset,
    server_side,
    serving,
    tcp_pair,
    text,
)
from ulci.net import Limits, Peer, intake, sockets
from ulci.net.tcp import TcpPeer
from ulci.protocol import RemoteProtocolError
from ulci.protocol.messages import Blame, Report

QUICK = Limits(flush=0.5, linger=0.2)


class CountingSocket(socket.socket):
    """Counts how often something was sent, and may refuse to take more than a little at once."""

    sends = 0
    most: int | None = None

    def send(self, data: object, flags: int = 0) -> int:  # type: ignore[override]
        self.sends += 1
        return super().send(bytes(data)[: self.most], flags)  # type: ignore[call-overload]


@asynccontextmanager
async def pair(
    limits: Limits = QUICK,
) -> AsyncIterator[tuple[TcpPeer, CountingSocket, socket.socket, trio.Nursery]]:
    """A peer, the socket under it, the other end of that, and the nursery of the writer."""
    near, far = tcp_pair()
    counting = CountingSocket(fileno=near.detach())
    counting.setblocking(False)
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(
                counting,
                server_side(),
                spawn=nursery.start_soon,
                label="tcp test",
                limits=limits,
            )
            yield peer, counting, far, nursery
            await peer.aclose()


@asynccontextmanager
async def met() -> AsyncIterator[tuple[Peer, trio.SocketStream]]:
    """A peer at a listener and the bare connection to it."""
    with trio.fail_after(HANG), nothing_left():
        async with (
            serving("tcp://127.0.0.1:0", limits=QUICK) as (address, arrivals),
            await call(address) as stream,
        ):
            yield await arrivals.receive(), stream


async def test_several_messages_are_one_send_and_need_no_task() -> None:
    async with pair() as (peer, sock, _, nursery):
        peer.put(text("one"), text("two"), text("three"))
        assert sock.sends == 1
        assert not nursery.child_tasks


async def test_only_what_did_not_fit_goes_to_a_writer_which_ends_when_it_is_done() -> None:
    async with pair() as (peer, sock, far, nursery):
        sock.most = 5
        peer.put(text("0123456789"))
        assert peer.waiting > 0
        assert len(nursery.child_tasks) == 1
        peer.put(text("second"))  # queues behind, in order
        assert len(nursery.child_tasks) == 1
        while peer.waiting:
            await trio.lowlevel.checkpoint()
        await trio.testing.wait_all_tasks_blocked()
        assert not nursery.child_tasks
        assert far.recv(1000) == b"info string 0123456789\ninfo string second\n"


async def test_the_writer_goes_on_while_the_peer_closes() -> None:
    async with pair() as (peer, sock, far, _):
        sock.most = 1
        peer.put(text("the end"))
        async with trio.open_nursery() as closing:
            closing.start_soon(peer.aclose)
            await trio.testing.wait_all_tasks_blocked()
            assert far.recv(1000) == b"info string the end\n"
            assert far.recv(1000) == b""
            far.close()


async def test_a_cancelled_writer_ends_the_connection() -> None:
    async with pair() as (peer, sock, _, nursery):
        sock.most = 1
        peer.put(text("half a message"))
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            assert await ending(peer) == "the writer was cancelled in the middle of a message"


async def test_a_message_cut_in_the_middle_does_not_look_like_a_whole_one() -> None:
    async with met() as (peer, stream):
        while not peer.waiting:
            peer.put(text("x" * 4000))
        peer.cut("enough")
        with pytest.raises(trio.BrokenResourceError):  # a reset, not an end
            await read_all(stream)


async def test_a_reset_is_an_end_and_half_a_line_before_it_is_not_a_message() -> None:
    async with met() as (peer, stream):
        await stream.send_all(b"info string whole\ninfo string hal")
        assert (await hear(peer)).message == text("whole")
        reset(stream)
        assert await peer.receive() is None
        assert peer.why == "the connection was reset by the other side"


async def test_putting_to_a_connection_that_was_reset_is_no_error() -> None:
    async with met() as (peer, stream):
        await stream.send_all(b"info string last words\n")
        await hear(peer)
        reset(stream)
        for _ in range(10):
            peer.put(text("are you there?"))
            await trio.lowlevel.checkpoint()
        assert await ending(peer)


async def test_after_half_a_close_the_last_line_counts_and_can_be_answered() -> None:
    async with met() as (peer, stream):
        await stream.send_all(b"info string one\ninfo string two")
        await stream.send_eof()
        assert (await hear(peer)).message == text("one")
        assert (await hear(peer)).message == text("two")
        assert await peer.receive() is None
        assert peer.why == "closed by the other side"
        peer.put(text("understood"))
        await peer.aclose()
        assert await read_all(stream) == b"info string understood\n"


async def test_a_peer_that_is_still_sending_can_read_why_it_is_dismissed() -> None:
    async with met() as (peer, stream), trio.open_nursery() as nursery:

        async def flood() -> None:
            with contextlib.suppress(trio.BrokenResourceError):
                while True:
                    await stream.send_all(b"info string and another thing\n" * 1000)

        nursery.start_soon(flood)
        await hear(peer)
        peer.put(Report(Blame.CLIENT, "enough"))
        await peer.aclose()
        assert await stream.receive_some() == b"info clienterror enough\n"


async def test_an_overlong_line_is_an_error_and_the_next_one_is_read() -> None:
    async with met() as (peer, stream):
        await stream.send_all(b"x" * 100_000 + b"\ninfo string sorry\n")
        with pytest.raises(RemoteProtocolError) as caught:
            await peer.receive()
        assert not caught.value.fatal
        assert (await hear(peer)).message == text("sorry")


async def test_ten_megabytes_without_a_newline_end_the_connection_with_a_reason() -> None:
    async with met() as (peer, stream), trio.open_nursery() as nursery:

        async def flood() -> None:
            with contextlib.suppress(trio.BrokenResourceError):
                for _ in range(160):
                    await stream.send_all(b"x" * 65536)

        nursery.start_soon(flood)
        with pytest.raises(RemoteProtocolError, match="longer than"):
            await peer.receive()
        with pytest.raises(RemoteProtocolError, match="never end") as caught:
            await peer.receive()
        assert caught.value.fatal
        assert peer.connection.codec._dropped < 1_000_000  # type: ignore[attr-defined]
        peer.put(Report(Blame.CLIENT, "a line must end"))
        await peer.aclose()
        assert "never end" in peer.why
        assert await stream.receive_some() == b"info clienterror a line must end\n"


async def test_half_a_close_answered_by_closing_does_not_linger() -> None:
    async with met() as (peer, stream):
        await stream.send_eof()
        await ending(peer)
        with trio.CancelScope() as scope:
            await peer.aclose()
            scope.cancel()  # had it lingered, it would have been noticed as a hang
        assert await read_all(stream) == b""


async def test_the_round_trip_is_measured() -> None:
    async with met() as (peer, _):
        trip = peer.round_trip()
        assert trip is not None
        assert 0 < trip < 10


async def test_a_spurious_wake_up_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "RECEIVE_STAMPED", ShySocket.recvmsg)
    near, far = tcp_pair()
    shy = ShySocket(fileno=near.detach())
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(shy, server_side(), spawn=nursery.start_soon, label="shy", limits=QUICK)
            far.send(b"info string in\n")
            assert (await hear(peer)).message == text("in")
            assert shy.reads == 2
            peer.put(text("out"))
            await trio.lowlevel.wait_readable(far)
            assert shy.writes == 3
            assert far.recv(1000) == b"info string out\n"
            peer.cut("")


async def test_a_peer_that_leaves_with_much_unsent_raises_nothing() -> None:
    async with pair() as (peer, _, far, nursery):
        while not peer.waiting:
            peer.put(text("x" * 4000))
        sockets.reset(far)
        assert await ending(peer) == "the connection was reset by the other side"
        await trio.testing.wait_all_tasks_blocked()
        assert not nursery.child_tasks
        assert peer.waiting == 0


async def test_the_repr_of_a_peer_shows_its_label_and_the_reason_of_its_end() -> None:
    async with pair() as (peer, *_):
        assert repr(peer) == "<TcpPeer tcp test>"
        peer.cut("enough")
        assert repr(peer) == "<TcpPeer tcp test: enough>"
        assert peer.host == ""
        assert dict(peer.headers) == {}


async def test_both_ends_may_be_peers() -> None:
    async with pair() as (peer, _, far, nursery):
        other = TcpPeer(
            far.dup(),
            client_side(),
            spawn=nursery.start_soon,
            label="",
            limits=QUICK,
        )
        other._sock.setblocking(False)
        peer.put(text("hello"))
        assert (await hear(other)).message == text("hello")
        other.cut("")
