"""Lateness of the server is measured, also when a clock jumps."""

import select
import socket
import struct
import time
from collections.abc import Iterator

import pytest
import trio
import trio.testing

from tests.support.wires import HANG, QUICK, hear, laid, nothing_left, server_side, tcp_pair, text
from ulci.net import intake
from ulci.net.intake import SO_TIMESTAMPNS, Clocks, Intake, Lateness
from ulci.net.tcp import TcpPeer
from ulci.protocol.messages import Hello, HelloOk

SECOND = 1_000_000_000
NOON = 1_700_000_000 * SECOND
"""What the machine's clock shows while the monotonic one shows 0."""


def lateness() -> Lateness:
    """Of a buffer that was empty at monotonic 0, noon."""
    return Lateness(NOON, 0)


def test_bytes_are_as_late_as_they_are_old() -> None:
    assert lateness().of(NOON + 5 * SECOND, NOON + 7 * SECOND, 7 * SECOND) == 2.0


def test_bytes_cannot_have_come_before_the_buffer_was_empty() -> None:
    since = lateness()
    since.emptied(NOON + 6 * SECOND, 6 * SECOND)
    assert since.of(NOON + 5 * SECOND, NOON + 7 * SECOND, 7 * SECOND) == 1.0


def test_bytes_are_never_read_before_they_came() -> None:
    assert lateness().of(NOON + 8 * SECOND, NOON + 7 * SECOND, 7 * SECOND) == 0.0


@pytest.mark.parametrize("came", [1, 6], ids=["before the jump", "after it"])
def test_a_clock_put_forward_adds_no_lateness(came: int) -> None:
    jump = 3600 * SECOND  # at second 5
    stamp = NOON + came * SECOND + (jump if came > 5 else 0)
    assert lateness().of(stamp, NOON + jump + 7 * SECOND, 7 * SECOND) <= 7 - came


@pytest.mark.parametrize("came", [1, 6], ids=["before the jump", "after it"])
def test_a_clock_put_back_adds_no_lateness(came: int) -> None:
    jump = -3600 * SECOND  # at second 5
    stamp = NOON + came * SECOND + (jump if came > 5 else 0)
    assert 0 <= lateness().of(stamp, NOON + jump + 7 * SECOND, 7 * SECOND) <= 7 - came


def test_a_jump_counts_only_until_the_buffer_was_empty_again() -> None:
    jump = 3600 * SECOND
    since = lateness()
    since.emptied(NOON + jump + SECOND, SECOND)
    assert since.of(NOON + jump + 2 * SECOND, NOON + jump + 3 * SECOND, 3 * SECOND) == 1.0


# On sockets


def showing(*moments: tuple[int, int]) -> Clocks:
    """Clocks that show these, one reading after the other."""
    left: Iterator[tuple[int, int]] = iter(moments)
    return lambda: next(left)


@pytest.fixture(autouse=True, scope="module")
def _stamping() -> Iterator[None]:
    """Linux stamps while any socket wants it, and begins a moment after the first asked."""
    near, far = tcp_pair()
    with near, far:
        assert intake.ask_for_stamps(near)
        near.settimeout(HANG)
        until = time.monotonic() + HANG
        while True:
            far.send(b"?")
            assert select.select([near], [], [], HANG)[0]
            read = time.time_ns()
            _, ancillary, _, _ = near.recvmsg(1, 100)
            if (intake._stamp(ancillary) or read) < read:
                break
            assert time.monotonic() < until, "this system never stamps what comes"
        yield


@pytest.fixture
def wire() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = tcp_pair()
    with near, far:
        yield near, far


async def arrived(sock: socket.socket) -> None:
    with trio.fail_after(HANG):
        await trio.lowlevel.wait_readable(sock)


Wire = tuple[socket.socket, socket.socket]


async def test_bytes_that_waited_in_the_buffer_are_late(wire: Wire) -> None:
    near, far = wire
    reader = Intake(near)
    before = trio.current_time()
    far.send(b"bestmove e2e4\n")
    sent = trio.current_time()
    await arrived(near)
    thawed = trio.current_time()
    assert reader.take(100) == b"bestmove e2e4\n"
    assert 0 < thawed - sent <= reader.late <= reader.at - before


async def test_a_read_is_as_late_as_its_last_byte(wire: Wire) -> None:
    near, far = wire
    reader = Intake(near)
    far.send(b"best")
    await arrived(near)
    before = trio.current_time()
    far.send(b"move e2e4\n")
    await trio.testing.wait_all_tasks_blocked()
    assert reader.take(100) == b"bestmove e2e4\n"
    assert 0 < reader.late <= reader.at - before


async def test_the_rest_of_a_full_buffer_is_late_since_the_buffer_was_empty(
    wire: Wire,
) -> None:
    near, far = wire
    hour = 3600 * SECOND
    real, monotonic = intake.clocks()
    # Made, read the first half, read the rest: a second each, and a clock one hour fast
    moments = [(real + hour + n * SECOND, monotonic + n * SECOND) for n in range(3)]
    reader = Intake(near, showing(*moments))
    far.send(b"onetwo")
    await arrived(near)
    assert reader.take(3) == b"one"
    assert reader.late == 1.0
    assert reader.take(3) == b"two"
    assert reader.late == 2.0


async def test_a_read_that_found_nothing_left_is_where_lateness_begins(wire: Wire) -> None:
    near, far = wire
    real, monotonic = intake.clocks()
    moments = [(real + n * 3600 * SECOND, monotonic + n * SECOND) for n in (0, 1, 3)]
    reader = Intake(near, showing(*moments))
    with pytest.raises(BlockingIOError):
        reader.take(3)
    far.send(b"one")
    await arrived(near)
    reader.take(3)
    assert reader.late <= 2.0


async def test_where_there_are_no_stamps_nothing_is_late(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = wire
    monkeypatch.setattr(intake, "RECEIVE_STAMPED", None)
    reader = Intake(near)
    before = trio.current_time()
    far.send(b"one")
    await arrived(near)
    assert reader.take(100) == b"one"
    assert reader.late == 0.0
    assert before <= reader.at <= trio.current_time()


async def test_a_socket_that_takes_no_such_option_has_no_stamps() -> None:
    near, far = tcp_pair()
    near.close()
    far.close()
    assert Intake(near).late == 0.0


def test_other_ancillary_data_are_no_stamp() -> None:
    stamp = struct.pack("@ll", 1, 2)
    other = (socket.SOL_SOCKET, SO_TIMESTAMPNS + 1, stamp)
    assert intake._stamp([other]) is None
    assert intake._stamp([other, (socket.SOL_SOCKET, SO_TIMESTAMPNS, stamp)]) == SECOND + 2


# Up to the peers

IN_FLIGHT = 0.005
"""Seconds in which the system of a busy machine hands over what was sent on it."""


async def test_a_message_has_its_lateness(wire: Wire) -> None:
    near, far = wire
    async with trio.open_nursery() as nursery:
        peer = TcpPeer(near, server_side(), spawn=nursery.start_soon, label="", limits=QUICK)
        far.send(b"info string one\n")
        sent = trio.current_time()
        await arrived(near)
        thawed = trio.current_time()
        assert (await hear(peer)).late >= thawed - sent
        peer.cut("")


@pytest.mark.parametrize("kind", ["tcp", "tls", "ws", "wss", "ws+msgpack", "wss+msgpack"])
async def test_lateness_is_measured_over_every_socket(kind: str) -> None:
    with trio.fail_after(HANG), nothing_left():
        async with laid(kind) as (ours, theirs):
            theirs.put(text("read ahead, where somebody reads ahead"))
            await trio.testing.wait_all_tasks_blocked(IN_FLIGHT)
            before = trio.current_time()
            theirs.put(text("waits for us"))
            await trio.testing.wait_all_tasks_blocked(IN_FLIGHT)
            sent = trio.current_time()
            await trio.testing.wait_all_tasks_blocked()
            thawed = trio.current_time()
            await hear(ours)
            heard = await hear(ours)
            assert heard.at >= thawed
            assert thawed - sent <= heard.late <= heard.at - before


@pytest.mark.parametrize("kind", ["process", "memory", "stream"])
async def test_elsewhere_nothing_is_late_and_no_round_trip_is_known(kind: str) -> None:
    with trio.fail_after(HANG), nothing_left():
        async with laid(kind) as (ours, theirs):
            ours.put(Hello())
            await hear(theirs)
            theirs.put(HelloOk())
            assert (await hear(ours)).late == 0.0
            assert ours.round_trip() is None


@pytest.mark.parametrize("kind", ["tcp", "tls", "ws", "wss"])
async def test_the_round_trip_is_known_over_every_socket(kind: str) -> None:
    with trio.fail_after(HANG), nothing_left():
        async with laid(kind) as (ours, theirs):
            for peer in (ours, theirs):
                trip = peer.round_trip()
                assert trip is not None
                assert 0 < trip < 10
