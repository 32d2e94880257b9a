"""The rate limit of a peer: no game is ever slowed down."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
import trio
import trio.testing

from tests.support.memory_peers import memory_peers
from tests.support.wires import (
    HANG,
    QUICK,
    client_side,
    hear,
    laid,
    nothing_left,
    server_side,
    tcp_pair,
    text,
)
from ulci.net import Peer, RateLimit
from ulci.net.limits import FAIR_SHARE, Allowance
from ulci.net.tcp import TcpPeer
from ulci.protocol import (
    Blank,
    Connection,
    Fault,
    RemoteProtocolError,
    Role,
    TextCodec,
    Unread,
)
from ulci.protocol.messages import BestMove, Go, Hello, HelloOk, Info, Position

PUBLIC = RateLimit(rate=256 * 1024)
"""As a server's defaults have it."""

TINY = RateLimit(rate=10_000, burst=1000, read=0, line=0, search=500, patience=3, retry_after=7)


@pytest.mark.parametrize(
    ("frames", "every"),
    [(0, 0.001), (1, 0.003)],  # s; forty messages over WebSocket take us 2.5 ms by themselves
    ids=["lines", "frames"],
)
def test_moves_without_a_pause_with_their_analysis_are_never_slowed(
    frames: int, every: float
) -> None:
    allowance = Allowance(PUBLIC, 0)
    for move in range(20_000):
        assert allowance.pause(move * every) == 0
        allowance.searches()
        for _ in range(40):
            allowance.read(100)
            allowance.frames(frames)
            allowance.spend(allowance.costs[Unread])
        allowance.read(len("bestmove e2e4 ponder e7e5\n"))
        allowance.frames(frames)
        allowance.spend(allowance.costs[BestMove])
    assert not allowance.abused(60)


def test_an_engine_that_thinks_long_and_aloud_is_never_slowed() -> None:
    allowance = Allowance(PUBLIC, 0)
    allowance.searches()
    for line in range(200 * 120):  # two minutes of Stockfish with MultiPV 5, over WebSocket
        assert allowance.pause(line / 200) == 0
        allowance.read(300)
        allowance.frames(1)
        allowance.spend(allowance.costs[Unread])


BYTE = 0.12 / 262_144
"""s that one byte of the default rate may take, if who says the worst is to take 12 % of a core."""


@pytest.mark.parametrize(
    ("spend", "least", "took"),
    [
        (lambda to: to.read(1), 0, 41e-6),
        (lambda to: to.record(), 22, 14e-6),
        (lambda to: to.frames(1), 6, 64e-6),
        (lambda to: to.spend(to.costs[Fault]), 2, 11e-6),
        (lambda to: to.spend(to.costs[Info]), 6, 12e-6),
        (lambda to: to.spend(to.costs[Blank]), 1, 1.2e-6),
    ],
    ids=["read", "record", "frame", "line", "info", "blank"],
)
def test_every_input_is_charged_its_measured_cost(
    spend: Callable[[Allowance], None], least: int, took: float
) -> None:
    """least: bytes that come with it; took: s, as measured."""
    allowance = Allowance(replace(PUBLIC, burst=0), 0)
    spend(allowance)
    assert (allowance.pause(0) * PUBLIC.rate + least) * BYTE > 0.9 * took


def test_a_peer_above_its_rate_is_paused_until_its_level_is_zero() -> None:
    allowance = Allowance(TINY, 0)
    allowance.read(3000)
    assert allowance.pause(0) == pytest.approx(0.2)
    assert allowance.pause(0.1) == pytest.approx(0.1)
    assert allowance.pause(0.21) == 0


def test_lines_cost_more_than_their_bytes() -> None:
    allowance = Allowance(replace(TINY, line=100), 0)
    for _ in range(11):
        allowance.spend(allowance.costs[BestMove])
    assert allowance.pause(0) == pytest.approx(0.01)


def flood(allowance: Allowance, start: float, seconds: float) -> float:
    """Have always more to say; when it ends."""
    at = start
    while at < start + seconds:
        at += allowance.pause(at) + 1e-6
        allowance.read(1500)
    return at


def test_only_a_persistent_flood_disconnects() -> None:
    allowance = Allowance(TINY, 0)
    at = flood(allowance, 0, 2.5)
    assert not allowance.abused(at)
    at = flood(allowance, at, 1.0)
    assert allowance.abused(at).endswith("; retry-after 7")


def test_a_pause_of_the_peer_ends_the_flood() -> None:
    allowance = Allowance(TINY, 0)
    at = flood(allowance, 0, 2.5) + 1
    assert allowance.pause(at) == 0
    at = flood(allowance, at, 2.5)
    assert not allowance.abused(at)


def test_a_peer_that_has_been_quiet_is_not_disconnected_for_an_old_flood() -> None:
    allowance = Allowance(TINY, 0)
    at = flood(allowance, 0, 2.5)
    assert not allowance.abused(at + 60)


def test_without_a_rate_there_is_no_limit() -> None:
    assert RateLimit().rate == math.inf


# On sockets


async def rush(peer: Peer, stop: trio.Event) -> None:
    """Have always more to say than is read."""
    while not stop.is_set():
        if peer.waiting < 50_000:
            peer.put(text("x" * 200))
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("kind", ["tcp", "tls", "ws", "wss+msgpack"])
async def test_a_flood_is_slowed_and_then_ended_with_the_reason(kind: str) -> None:
    rate_limit = RateLimit(rate=100_000, burst=2000, patience=0.2, retry_after=7)
    limits = replace(QUICK, rate_limit=rate_limit)
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


async def test_waiting_for_the_rate_limit_is_not_lateness() -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, rate_limit=RateLimit(rate=10_000, burst=1000, read=0, line=0, info=0))
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
    limits = replace(QUICK, rate_limit=RateLimit(rate=1e-3, burst=10_000, line=256, search=1000))
    connection = Connection(Role.SERVER, TextCodec())
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, connection, spawn=nursery.start_soon, label="", limits=limits)
            peer.put(Hello())
            far.send(b"uciok\n")
            assert (await hear(peer)).message == HelloOk()
            for ply in range(1000):
                peer.put(Position(None, ("g1f3",) * ply), Go())
                far.send(b"info depth 1 score cp 20 pv e2e4\nbestmove e2e4\n")
                await hear(peer)
                assert (await hear(peer)).message == BestMove("e2e4")
            peer.cut("")


async def test_a_paused_peer_can_be_closed() -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, rate_limit=RateLimit(rate=1, burst=10, line=0))
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, server_side(), spawn=nursery.start_soon, label="", limits=limits)
            far.send(b"info string a hundred seconds' worth" + b"x" * 100 + b"\n")
            await hear(peer)
            nursery.start_soon(peer.receive)
            await trio.testing.wait_all_tasks_blocked()
            await peer.aclose()
            assert near.fileno() == -1


async def test_illegal_answers_add_no_credit() -> None:
    near, far = tcp_pair()
    rate_limit = RateLimit(rate=1e-3, burst=10_000, read=0, line=1, search=1000, again=500)
    limits = replace(QUICK, rate_limit=rate_limit)
    asked = 0
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            connection = Connection(Role.SERVER, TextCodec())
            peer = TcpPeer(near, connection, spawn=nursery.start_soon, label="", limits=limits)
            peer.put(Hello())
            far.send(b"uciok\n")
            await hear(peer)
            assert peer._allowance is not None
            peer.put(Position(), Go(wtime=1000))
            while not peer._allowance.pause(trio.current_time()):
                far.send(b"bestmove e9e9\n")
                await hear(peer)
                asked += 1
                assert asked <= 10_000 // 500
                peer.put(Position(), Go(wtime=1000 - asked))
            peer.cut("enough")


STORE = RateLimit(rate=1e-3, burst=20_000)
"""Enough for some lines, and nothing more after them."""


@pytest.mark.parametrize(
    ("said", "times"),
    [
        (b"\n", 4000),
        (b" \t\n", 3000),
        ("\u3000\n".encode(), 2500),
        (b"info depth 1\n", 450),
        (b"bestmove e2e4\n", 75),
        (b"\x01\n", 5000),
        (b"nonsense\n", 80),
    ],
)
async def test_empty_lines_are_charged(said: bytes, times: int) -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, rate_limit=STORE)
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, server_side(), spawn=nursery.start_soon, label="", limits=limits)
            far.send(said * times)
            nursery.start_soon(hear_all, peer)
            await trio.testing.wait_all_tasks_blocked(0.01)
            assert peer._allowance is not None
            assert peer._allowance.pause(trio.current_time()) > 0
            peer.cut("enough")


async def hear_all(peer: Peer) -> None:
    """To its end, whatever it says."""
    while not peer.why:
        with suppress(RemoteProtocolError):
            await peer.receive()


async def test_many_empty_lines_do_not_block_other_tasks() -> None:
    ours, theirs = memory_peers(server_side(), client_side(), limits=QUICK)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    with trio.fail_after(HANG):
        async with ours, theirs, trio.open_nursery() as nursery:
            ours.connection.receive_data(b"\n \n" * 8000 + b"info string x\n")
            nursery.start_soon(others)
            await hear(ours)
            assert turns > 15_000 // FAIR_SHARE
            nursery.cancel_scope.cancel()


async def test_packets_of_one_byte_are_charged() -> None:
    near, far = tcp_pair()
    limits = replace(QUICK, rate_limit=STORE)
    with trio.fail_after(HANG), far:
        async with trio.open_nursery() as nursery:
            peer = TcpPeer(near, server_side(), spawn=nursery.start_soon, label="", limits=limits)
            nursery.start_soon(peer.receive)
            for _ in range(210):
                far.send(b"x")
                await trio.testing.wait_all_tasks_blocked()
            assert len(peer.connection.codec._tail) < 210  # type: ignore[attr-defined]
            peer.cut("")
