"""How much a peer may say: as much as its game makes possible."""

import math
from dataclasses import replace

import pytest
import trio
import trio.testing

from tests.support.wires import HANG, QUICK, hear, laid, nothing_left, server_side, tcp_pair, text
from ulci.net import Pace, Peer
from ulci.net.allowance import Allowance
from ulci.net.tcp import TcpPeer
from ulci.protocol import Connection, RemoteProtocolError, Role, TextCodec
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk

PUBLIC = Pace(rate=256 * 1024)
"""As a server's defaults have it."""

TINY = Pace(rate=10_000, burst=1000, line=0, search=500, patience=3, retry_after=7)


def test_a_move_every_millisecond_with_its_analysis_is_never_slowed() -> None:
    allowance = Allowance(PUBLIC, 0)
    for millisecond in range(60_000):
        at = millisecond / 1000
        assert allowance.pause(at) == 0
        allowance.searches()
        for _ in range(20):  # info lines, which cost their bytes alone
            allowance.read(130)
        allowance.read(len("bestmove e2e4 ponder e7e5\n"))
        allowance.line()
    assert not allowance.abused(60)


def test_who_says_too_much_is_not_read_until_it_is_paid() -> None:
    allowance = Allowance(TINY, 0)
    allowance.read(3000)
    assert allowance.pause(0) == pytest.approx(0.2)
    assert allowance.pause(0.1) == pytest.approx(0.1)
    assert allowance.pause(0.21) == 0


def test_lines_cost_more_than_their_bytes() -> None:
    allowance = Allowance(replace(TINY, line=100), 0)
    for _ in range(11):
        allowance.line()
    assert allowance.pause(0) == pytest.approx(0.01)


def flood(allowance: Allowance, start: float, seconds: float) -> float:
    """Have always more to say; when it ends."""
    at = start
    while at < start + seconds:
        at += allowance.pause(at) + 1e-6
        allowance.read(1500)
    return at


def test_only_who_goes_on_and_on_is_thrown_out() -> None:
    allowance = Allowance(TINY, 0)
    at = flood(allowance, 0, 2.5)
    assert not allowance.abused(at)
    at = flood(allowance, at, 1.0)
    assert allowance.abused(at).endswith("; retry-after 7")


def test_who_has_stopped_for_a_while_begins_anew() -> None:
    allowance = Allowance(TINY, 0)
    at = flood(allowance, 0, 2.5) + 1
    assert allowance.pause(at) == 0
    at = flood(allowance, at, 2.5)
    assert not allowance.abused(at)


def test_without_a_rate_there_is_no_limit() -> None:
    assert Pace().rate == math.inf


# On sockets


async def rush(peer: Peer, stop: trio.Event) -> None:
    """Have always more to say than is read."""
    while not stop.is_set():
        if peer.statistics().outbox < 50_000:
            peer.put(text("x" * 200))
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("kind", ["tcp", "tls", "ws", "wss+msgpack"])
async def test_a_flood_is_slowed_and_then_ended_with_the_reason(kind: str) -> None:
    pace = Pace(rate=100_000, burst=2000, patience=0.2, retry_after=7)
    limits = replace(QUICK, pace=pace)
    with trio.fail_after(HANG), nothing_left():
        async with laid(kind, limits=limits, their_limits=QUICK) as (ours, theirs):
            stop = trio.Event()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(rush, theirs, stop)
                with pytest.raises(RemoteProtocolError, match="retry-after 7") as caught:
                    while await ours.receive():
                        pass
                stop.set()
            assert caught.value.fatal
            assert "too much" in ours.why
            assert await ours.receive() is None


async def test_what_waited_because_its_sender_said_too_much_is_not_late() -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, pace=Pace(rate=10_000, burst=1000, line=0))
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, server_side(), spawn=nursery.start_soon, label="", limits=limits)
            far.send(b"info string " + b"x" * 3000 + b"\n")
            begun = trio.current_time()
            await hear(peer)
            far.send(b"info string and one more\n")
            heard = await hear(peer)
            assert heard.at - begun >= 0.2
            # Read when the pause was over, and not so late as it would have been without one
            assert heard.at - heard.late - begun >= 0.19
            peer.cut("")


async def test_a_game_as_fast_as_the_server_asks_is_never_slowed() -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, pace=Pace(rate=1e-3, burst=10_000, line=256, search=1000))
    connection = Connection(Role.SERVER, TextCodec())
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, connection, spawn=nursery.start_soon, label="", limits=limits)
            peer.put(Hello())
            far.send(b"uciok\n")
            assert (await hear(peer)).message == HelloOk()
            for _ in range(1000):
                peer.put(Go())
                far.send(b"info depth 1 score cp 20 pv e2e4\nbestmove e2e4\n")
                await hear(peer)
                assert (await hear(peer)).message == BestMove("e2e4")
            peer.cut("")


async def test_who_is_slowed_can_be_closed_meanwhile() -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, pace=Pace(rate=1, burst=10, line=0))
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, server_side(), spawn=nursery.start_soon, label="", limits=limits)
            far.send(b"info string a hundred seconds' worth" + b"x" * 100 + b"\n")
            await hear(peer)
            nursery.start_soon(peer.receive)
            await trio.testing.wait_all_tasks_blocked()
            await peer.aclose()
            assert near.fileno() == -1
