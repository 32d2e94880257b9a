"""One suite for every kind of peer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio
import trio.testing

from tests.support.wires import (
    HANG,
    KINDS,
    QUICK,
    call,
    client_side,
    ending,
    hear,
    laid,
    nothing_left,
    server_side,
    serving,
    text,
)
from ulci.net import MSGPACK, TEXT, Limits, Peer, peer
from ulci.net.limits import AHEAD, FAIR_SHARE
from ulci.net.peer import CLOSED_BY_PEER
from ulci.protocol import DIALECTS, Connection, LocalProtocolError, RemoteProtocolError
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, Id, IsReady, ReadyOk

every_kind = pytest.mark.parametrize("kind", KINDS)

TINY = Limits(outbox=20_000, flush=0.2, linger=0.1)


@asynccontextmanager
async def laid_cleanly(kind: str, limits: Limits | None = None) -> AsyncIterator[tuple[Peer, Peer]]:
    with trio.fail_after(HANG), nothing_left():
        async with laid(kind, limits=limits) as peers:
            yield peers


LONG = text("x" * 4000)


async def fill(peer: Peer) -> None:
    """Put until the peer is cut."""
    while not peer.why:
        peer.put(LONG)
        await trio.lowlevel.checkpoint()


async def jam(peer: Peer) -> None:
    """Put until the system takes nothing more and much waits. Of what is in memory only, the system
    takes everything."""
    for _ in range(100):
        peer.put(*[LONG] * 50)
        await trio.testing.wait_all_tasks_blocked()
        if peer.waiting > 1_000_000:
            return


@every_kind
async def test_messages_arrive_whole_and_in_order_on_both_ways(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        ours.put(Hello())
        assert (await hear(theirs)).message == Hello()
        theirs.put(Id("name", "Äda 😀"), HelloOk())
        assert (await hear(ours)).message == Id("name", "Äda 😀")
        assert (await hear(ours)).message == HelloOk()
        for number in range(100):
            ours.put(text(f"line {number}"))
        for number in range(100):
            assert (await hear(theirs)).message == text(f"line {number}")


@every_kind
async def test_the_arrival_is_stamped_when_the_bytes_are_read(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        before = trio.current_time()
        ours.put(text("one"))
        first = await hear(theirs)
        ours.put(text("two"))
        second = await hear(theirs)
        assert before <= first.at <= second.at <= trio.current_time()


@pytest.mark.parametrize("half", [False, True])
async def test_a_last_line_without_a_newline_is_marked_cut(half: bool) -> None:
    async with serving("tcp://127.0.0.1:0") as (address, met), await call(address) as stream:
        ours = await met.receive()
        ours.put(Hello())
        await stream.send_all(b"id name Ada\nid author B" + (b"" if half else b"\n"))
        await stream.send_eof()
        whole, last = await hear(ours), await hear(ours)
        assert (whole.message, whole.cut) == (Id("name", "Ada"), False)
        assert (last.message, last.cut) == (Id("author", "B"), half)
        assert await ours.receive() is None


@every_kind
async def test_what_was_put_before_the_end_is_not_cut(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        ours.put(Hello())
        await hear(theirs)
        theirs.put(Id("name", "Ada"), HelloOk())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(theirs.aclose)
            assert [(await hear(ours)).cut for _ in range(2)] == [False, False]


@every_kind
async def test_what_was_put_before_closing_arrives(kind: str) -> None:
    # A program on the other side of the pipes waits for their end, and so would both.
    limits = QUICK if kind == "process" else replace(QUICK, flush=HANG)
    async with laid_cleanly(kind, limits) as (ours, theirs):
        expected = [text(f"{number} " + "x" * 1000) for number in range(50)]
        ours.put(*expected)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ours.aclose)
            assert [(await hear(theirs)).message for _ in expected] == expected
            why = await ending(theirs)
        assert why == CLOSED_BY_PEER


@every_kind
async def test_the_other_end_is_told_why_it_is_over(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        await theirs.aclose()
        why = await ending(ours)
        assert CLOSED_BY_PEER in why or "ended with exit code 0" in why
        assert await ours.receive() is None  # and again, for ever


@every_kind
async def test_putting_to_a_peer_that_is_gone_does_nothing(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        await theirs.aclose()
        await ending(ours)
        for _ in range(100):
            ours.put(text("still there?"))
            await trio.lowlevel.checkpoint()
        await ours.aclose()
        ours.put(text("after closing"))


@every_kind
async def test_a_cut_ends_a_receive_that_waits(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, _), trio.open_nursery() as nursery:

        async def listening() -> None:
            assert await ours.receive() is None

        nursery.start_soon(listening)
        await trio.testing.wait_all_tasks_blocked(0.01)
        ours.cut("the arbiter has seen enough")
        assert ours.why == "the arbiter has seen enough"
        ours.cut("a second reason is none")
        assert ours.why == "the arbiter has seen enough"


@every_kind
async def test_a_cut_drops_unhandled_input(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        theirs.put(text("one"), text("two"), text("three"))
        await hear(ours)
        ours.cut("enough")
        assert await ours.receive() is None


@every_kind
async def test_a_dismissed_peer_gets_what_was_put_before_and_nothing_after(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        said = [text(f"{number} " + "x" * 1000) for number in range(20)]
        ours.put(*said)
        ours.dismiss("you have seen enough")
        ours.put(text("this is too late"))
        assert ours.why == "you have seen enough"
        assert await ours.receive() is None
        assert [(await hear(theirs)).message for _ in said] == said
        with trio.fail_after(HANG):
            assert await theirs.receive() is None


@every_kind
async def test_dismissal_ends_a_receive_that_waits_though_the_other_side_reads_nothing(
    kind: str,
) -> None:
    slow = Limits(outbox=100_000_000, flush=3600, linger=0.1)
    async with laid_cleanly(kind, slow) as (ours, _), trio.open_nursery() as nursery:

        async def listening() -> None:
            assert await ours.receive() is None
            ours.cut("it need not be seen off")

        nursery.start_soon(listening)
        await jam(ours)
        ours.dismiss("enough")


@every_kind
async def test_a_cut_ends_a_dismissal(kind: str) -> None:
    slow = Limits(outbox=100_000_000, flush=3600, linger=0.1)
    async with laid_cleanly(kind, slow) as (ours, _):
        await jam(ours)
        ours.dismiss("enough")
        await trio.testing.wait_all_tasks_blocked(0.01)
        ours.cut("that took too long")
        await ours.aclose()
        assert ours.why == "enough"


@every_kind
async def test_dismissing_a_peer_that_reads_nothing_times_out(kind: str) -> None:
    slow = Limits(outbox=100_000_000, flush=0.1, linger=0.1)
    async with laid_cleanly(kind, slow) as (ours, theirs):
        await jam(ours)
        ours.dismiss("enough")
        await ours._closed.wait()  # by itself: whoever looks after it may be busy
        theirs.cut("it goes, too")


@pytest.mark.parametrize("kind", ["tcp", "tls", "ws", "wss"])
async def test_a_peer_that_floods_during_its_dismissal_can_read_why(kind: str) -> None:
    limits = Limits(outbox=100_000_000, flush=0.5, linger=0.3)
    async with laid_cleanly(kind, limits) as (ours, theirs), trio.open_nursery() as nursery:

        async def flooding() -> None:
            while not theirs.why:
                if theirs.waiting < 1_000_000:
                    theirs.put(*[text("x" * 4000)] * 20)
                await trio.lowlevel.checkpoint()

        nursery.start_soon(flooding)
        await hear(ours)
        ours.put(text("that is too much"))
        ours.dismiss("it floods")
        assert (await hear(theirs)).message == text("that is too much")
        assert await ending(theirs)


@every_kind
async def test_closing_ends_a_receive_that_waits(kind: str) -> None:
    async with laid_cleanly(kind, TINY) as (ours, _), trio.open_nursery() as nursery:

        async def listening() -> None:
            assert await ours.receive() is None

        nursery.start_soon(listening)
        await trio.testing.wait_all_tasks_blocked(0.01)
        await ours.aclose()


@every_kind
async def test_closing_twice_does_no_harm(kind: str) -> None:
    async with laid_cleanly(kind, TINY) as (ours, _):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ours.aclose)
            nursery.start_soon(ours.aclose)
        await ours.aclose()


@every_kind
async def test_a_peer_that_stops_reading_is_cut_at_the_limit(kind: str) -> None:
    async with laid_cleanly(kind, TINY) as (ours, _):
        await fill(ours)
        assert "reads too slowly" in ours.why
        assert ours.waiting <= AHEAD * TINY.outbox
        assert await ours.receive() is None


@pytest.mark.parametrize("kind", ["tcp", "tls", "ws", "wss", "wss+msgpack"])
async def test_a_reading_peer_is_not_cut_for_a_large_put(kind: str) -> None:
    limits = Limits(flush=0.5, linger=0.05)
    said = [text(f"{number} " + "x" * 1000) for number in range(2 * limits.outbox // 1000)]
    async with laid_cleanly(kind, limits) as (ours, theirs):
        for message in said:
            ours.put(message)
        assert ours.why == ""
        for message in said:
            assert (await hear(theirs)).message == message


@pytest.mark.parametrize("kind", ["tls", "ws"])
async def test_a_large_put_has_a_limit(kind: str) -> None:
    async with laid_cleanly(kind, TINY) as (ours, _):
        message, puts = text("x" * 1000), 0
        while not ours.why:
            ours.put(message)
            puts += 1
        assert "reads too slowly" in ours.why
        assert puts <= AHEAD * TINY.outbox // 1000 + 1


@every_kind
async def test_a_slow_reader_gets_everything(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        for number in range(40):
            ours.put(text(f"{number} " + "x" * 4000))
        for number in range(40):
            heard = await hear(theirs)
            assert heard.message == text(f"{number} " + "x" * 4000)
        assert ours.waiting == 0


@every_kind
async def test_closing_a_peer_that_does_not_read_times_out(kind: str) -> None:
    slow = Limits(outbox=100_000_000, flush=0.1, linger=0.1)
    async with laid_cleanly(kind, slow) as (ours, theirs):
        await jam(ours)
        await ours.aclose()
        assert await ours.receive() is None
        theirs.cut("it goes, too")


@every_kind
async def test_a_cancelled_receive_loses_nothing(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        for number in range(20):
            with trio.move_on_after(0.001):
                assert await ours.receive() is None  # nothing was said: it never comes
            theirs.put(text(f"number {number}"))
            assert (await hear(ours)).message == text(f"number {number}")


@every_kind
async def test_cancelled_closing_closes_at_once(kind: str) -> None:
    async with laid_cleanly(kind, Limits(flush=1000, linger=1000)) as (ours, theirs):
        with trio.CancelScope() as scope:
            scope.cancel()
            await ours.aclose()
        assert await ours.receive() is None
        assert await ending(theirs)


@every_kind
async def test_a_flood_leaves_other_tasks_their_turn(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                await trio.lowlevel.checkpoint()
                turns += 1

        flood = [text("x")] * (3 * FAIR_SHARE)
        theirs.put(*flood)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            await trio.lowlevel.checkpoint()
            for _ in flood:
                await hear(ours)
            nursery.cancel_scope.cancel()
        assert turns >= 2


@every_kind
async def test_expensive_messages_let_other_tasks_run_after_each(kind: str, monkeypatch) -> None:
    monkeypatch.setattr(peer, "FAIR_TIME", 0.0)
    async with laid_cleanly(kind) as (ours, theirs):
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                await trio.lowlevel.checkpoint()
                turns += 1

        flood = [text("x")] * (FAIR_SHARE // 2)
        theirs.put(*flood)
        async with trio.open_nursery() as nursery:
            await hear(ours)  # and with it all that was sent is here
            nursery.start_soon(other)
            for _ in flood[1:]:
                await hear(ours)
            nursery.cancel_scope.cancel()
        assert turns > len(flood) // 2


def deluded(subprotocol: str) -> Connection:
    """A client's end that believes that it was asked for a move."""
    server, client = server_side(subprotocol), client_side(subprotocol)
    for speaker, hearer, said in (
        (server, client, Hello()),
        (client, server, HelloOk()),
        (server, client, Go()),
    ):
        for frame in speaker.send_frames(said):
            hearer.receive_frame(frame)
        assert hearer.next_message() == said
    return client


@every_kind
async def test_an_error_of_theirs_that_is_not_fatal_does_not_end_it(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        theirs.connection = deluded(MSGPACK if "msgpack" in kind else TEXT)
        theirs.put(BestMove("e2e4"), text("that was it"))
        with pytest.raises(RemoteProtocolError) as caught:
            await ours.receive()
        assert not caught.value.fatal
        assert (await hear(ours)).message == text("that was it")


@every_kind
async def test_an_error_of_ours_is_raised_where_it_is_made(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, _):
        with pytest.raises(LocalProtocolError):
            ours.put(BestMove("e2e4"))  # a server is never asked


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "msgpack" not in kind])
async def test_a_dialects_own_replies_are_sent(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        for peer in (ours, theirs):
            peer.connection.dialect = DIALECTS["uti"](peer.connection.role)
        ours.put(Hello())
        assert (await hear(theirs)).message == Hello()
        theirs.put(Id("name", "X"), HelloOk())
        assert (await hear(theirs)).message == IsReady()
        theirs.put(ReadyOk())
        told = [(await hear(ours)).message for _ in range(5)]
        assert told[0] == Id("name", "X")
        assert told[-1] == HelloOk()


@every_kind
async def test_putting_nothing_is_nothing(kind: str) -> None:
    async with laid_cleanly(kind) as (ours, theirs):
        ours.put()
        assert ours.waiting == 0
        ours.put(text("something"))
        assert (await hear(theirs)).message == text("something")
