"""TCP sockets: how they are tuned, how they end, and what their errors mean in words."""

import contextlib
import errno
import os
import socket
import ssl
import struct
from collections.abc import Mapping

import trio

from ulci.net.limits import RECEIVE_BYTES, Limits

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # struct linger: on, no time

_RTT_OFFSET = 68
"""``tcpi_rtt`` in Linux's ``struct tcp_info``: 8 bytes, then the sixteenth of 32-bit words."""

REASONS: Mapping[int, str] = {
    errno.ECONNRESET: "the connection was reset by the other side",
    errno.ECONNABORTED: "the connection was reset by the other side",
    errno.EPIPE: "closed by the other side",
    errno.ETIMEDOUT: "the other machine no longer answers",
    errno.EHOSTUNREACH: "the other machine cannot be reached",
    errno.ENETUNREACH: "there is no way into that network",
    errno.ENETDOWN: "the network is down",
    errno.ECONNREFUSED: "nobody listens there (connection refused)",
    errno.EMFILE: "this process has too many files open",
    errno.ENFILE: "this machine has too many files open",
}


def words(error: BaseException) -> str:
    """Why something ended, for people; the cause counts, not what a library wrapped around it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__
    if isinstance(cause, ssl.SSLEOFError):
        return "the connection ended without the goodbye of TLS"
    if isinstance(cause, ssl.SSLError):  # its errno is not the system's
        reason: str = getattr(cause, "reason", None) or str(cause)
        return reason.replace("_", " ").lower()
    if cause is None or cause.errno is None:
        return str(cause or error) or type(error).__name__
    return REASONS.get(cause.errno) or os.strerror(cause.errno)


def tune(sock: socket.socket, limits: Limits) -> None:
    """Send at once, and find out by ourselves when the other machine is gone."""
    options = [
        (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
        (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
        (socket.IPPROTO_TCP, "TCP_KEEPIDLE", limits.keepalive_idle),
        (socket.IPPROTO_TCP, "TCP_KEEPINTVL", limits.keepalive_interval),
        (socket.IPPROTO_TCP, "TCP_KEEPCNT", limits.keepalive_probes),
        (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", int(limits.unacknowledged * 1000)),
    ]
    for level, name, value in options:
        option: int | None = getattr(socket, name, None)
        if option is None:
            continue  # not on this platform
        try:
            sock.setsockopt(level, option, value)
        except OSError:  # a peer that is gone already: the first read will say so
            return


def round_trip(sock: socket.socket) -> float | None:
    """The system's smoothed estimate of a round trip in s, where it tells."""
    option: int | None = getattr(socket, "TCP_INFO", None)
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, _RTT_OFFSET + 4) if option else b""
    except OSError:
        return None
    if len(info) < _RTT_OFFSET + 4:
        return None
    microseconds: int = struct.unpack_from("=I", info, _RTT_OFFSET)[0]
    return microseconds / 1e6


def reset(sock: socket.socket) -> None:
    """Close with a reset: an end in the middle of a message must not look like a regular one."""
    with contextlib.suppress(OSError):  # gone already
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    close(sock)


def close(sock: socket.socket) -> None:
    """Close at once and wake whoever waits for it; twice does no harm."""
    if sock.fileno() != -1:
        trio.lowlevel.notify_closing(sock)
        sock.close()


async def linger(sock: socket.socket, seconds: float) -> None:
    """Say that nothing more comes, then read away what the peer still says, for a while."""
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        await trio.lowlevel.checkpoint()
        return
    with trio.move_on_after(seconds):
        while await _read_away(sock):
            pass


async def _read_away(sock: socket.socket) -> bool:
    try:
        await trio.lowlevel.wait_readable(sock)
        return sock.recv(RECEIVE_BYTES) != b""
    except BlockingIOError:
        return True
    except (OSError, trio.ClosedResourceError):
        return False
