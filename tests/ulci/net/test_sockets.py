"""Sockets: options, closing and error texts."""

import errno
import os
import select
import socket
import ssl
import struct

import pytest
import trio
import trio.testing

from tests.support.wires import ShySocket, tcp_pair
from ulci.net import sockets
from ulci.net.limits import Limits


def broken(cause: Exception) -> Exception:
    error = trio.BrokenResourceError("something about a stream")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.ECONNRESET, "x"), "the connection was reset by the other side"),
        (OSError(errno.ENOSPC, "x"), os.strerror(errno.ENOSPC)),
        (OSError("plain words"), "plain words"),
        (broken(OSError(errno.EPIPE, "x")), "closed by the other side"),
        (broken(ssl.SSLEOFError(8, "EOF")), "the connection ended without a TLS shutdown"),
        (broken(ssl.SSLError(1, "bad thing")), "bad thing"),
        (trio.BrokenResourceError("bare"), "bare"),
        (trio.BrokenResourceError(), "BrokenResourceError"),
        (OSError(), "OSError"),
    ],
)
def test_an_error_is_put_into_words(error: Exception, why: str) -> None:
    assert sockets.error_text(error) == why


def test_a_socket_is_tuned_to_notice_a_dead_machine() -> None:
    with socket.socket() as sock:
        sockets.tune(sock, Limits(keepalive_idle=7, unacknowledged=9.0))
        tcp = socket.IPPROTO_TCP
        assert sock.getsockopt(tcp, socket.TCP_NODELAY)
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert sock.getsockopt(tcp, socket.TCP_KEEPIDLE) == 7
        assert sock.getsockopt(tcp, socket.TCP_USER_TIMEOUT) == 9000


def test_socket_options_missing_on_a_platform_are_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TCP_USER_TIMEOUT", "TCP_KEEPIDLE", "TCP_INFO"):
        monkeypatch.delattr(socket, name)
    with socket.socket() as sock:
        sockets.tune(sock, Limits())
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert sockets.least_round_trip(sock) is None


def test_a_socket_that_is_closed_or_no_tcp_is_tuned_without_a_complaint() -> None:
    sock = socket.socket()
    sock.close()
    sockets.tune(sock, Limits())
    assert sockets.least_round_trip(sock) is None


class Measured(socket.socket):
    """One of which the system says what the test wants it to."""

    info = b""

    def getsockopt(self, level: int, option: int, size: int = 0) -> bytes:  # type: ignore[override]
        """The struct, cut off where the caller's buffer ends."""
        assert (level, option) == (socket.IPPROTO_TCP, socket.TCP_INFO)
        return self.info[:size]


@pytest.mark.parametrize(
    ("least", "known"), [(26, 26e-6), (100_200, 0.1002), (0, None), (0xFFFFFFFF, None)]
)
def test_the_systems_least_round_trip_counts(least: int, known: float | None) -> None:
    with Measured() as sock:
        sock.info = struct.pack("=68xI76xI", 20_050, least) + bytes(100)
        assert sockets.least_round_trip(sock) == known


def test_without_the_systems_minimum_there_is_no_value() -> None:
    with Measured() as sock:
        sock.info = struct.pack("=68xI76x", 20_050)  # before Linux 4.6
        assert sockets.least_round_trip(sock) is None


def test_the_struct_of_another_system_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "TCP_INFO", None)
    near, far = tcp_pair()
    with near, far:
        assert sockets.least_round_trip(near) is None


def test_a_connection_is_measured_as_soon_as_there_is_one() -> None:
    near, far = tcp_pair()
    with near, far:
        for sock in (near, far):
            least = sockets.least_round_trip(sock)
            assert least is not None
            assert 0 < least < 10


async def test_closing_and_resetting_twice_does_no_harm() -> None:
    sock = socket.socket()
    sockets.close(sock)
    sockets.close(sock)
    sockets.reset(sock)
    await sockets.linger(sock, 1)


async def test_lingering_ends_with_its_time_whatever_the_other_side_does() -> None:
    near, far = socket.socketpair()
    near.setblocking(False)
    with near, far, trio.fail_after(120):
        far.send(b"x" * 50_000)
        await sockets.linger(near, 0.01)
        assert far.recv(1) == b""


async def test_lingering_ends_when_the_socket_is_closed_meanwhile() -> None:
    near, far = socket.socketpair()
    near.setblocking(False)
    with far, trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sockets.linger, near, 1000)
            await trio.testing.wait_all_tasks_blocked()
            sockets.close(near)


async def test_lingering_is_not_ended_by_being_woken_for_nothing() -> None:
    near, far = tcp_pair()
    shy = ShySocket(fileno=near.detach())
    with shy, trio.fail_after(120):
        far.close()
        await sockets.linger(shy, 1000)
        assert shy.reads == 2


async def test_lingering_reads_a_bounded_amount(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sockets, "READ_AWAY", 100_000)
    near, far = tcp_pair()
    near.send(b"enough")
    sent = 0
    with near, far:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sockets.linger, near, 3600)
            while sent < 100_000_000:
                try:
                    sent += far.send(bytes(65536))
                except BlockingIOError:
                    await trio.testing.wait_all_tasks_blocked()
                    if not _takes_more(far):
                        break
            assert 100_000 < sent < 100_000_000
            assert far.recv(100) == b"enough"
            nursery.cancel_scope.cancel()


def _takes_more(sock: socket.socket) -> bool:
    return bool(select.select([], [sock], [], 0)[1])
