"""TCP sockets: options, closing, and error texts."""

import contextlib
import errno
import os
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping

import trio

from ulci.net.limits import RECEIVE_BYTES, Limits
from ulci.system import TCP_INFO

READ_AWAY = 1024 * 1024
"""Bytes that are read and dropped after our last message: the data in flight of a program with full
buffers. The limit bounds the cost of a flooding peer."""

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # struct linger: on, no time

_MIN_RTT = struct.Struct("=I")
_MIN_RTT_OFFSET = 148
"""``tcpi_min_rtt`` in Linux's ``struct tcp_info`` (<linux/tcp.h>), in µs, since Linux 4.6."""

_NO_RTT = (0, 0xFFFFFFFF)
"""Values before the first measurement."""

REASONS: Mapping[int, str] = {
    errno.ECONNRESET: "the connection was reset by the other side",
    errno.ECONNABORTED: "the connection was reset by the other side",
    errno.EPIPE: "closed by the other side",
    errno.ETIMEDOUT: "the other machine does not answer any more",
    errno.EHOSTUNREACH: "the other machine is unreachable",
    errno.ENETUNREACH: "the network is unreachable",
    errno.ENETDOWN: "the network is down",
    errno.ECONNREFUSED: "connection refused: no server listens there",
    errno.EMFILE: "this process has too many files open",
    errno.ENFILE: "this machine has too many files open",
}


def ended_without_shutdown(error: object) -> bool:
    """Whether the connection below TLS ended first. Python 3.11.2, which is Debian's, sometimes
    raises a plain `ssl.SSLError` for that."""
    if isinstance(error, ssl.SSLEOFError):
        return True
    reason = getattr(error, "reason", None)
    return isinstance(error, ssl.SSLError) and reason == "UNEXPECTED_EOF_WHILE_READING"


def error_text(error: BaseException) -> str:
    """The reason of an error for people: its cause, not the exception a library wrapped around
    it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__
    if ended_without_shutdown(cause):
        return "the connection ended without a TLS shutdown"
    if isinstance(cause, ssl.SSLError):  # its errno is not the system's
        reason: str = getattr(cause, "reason", None) or str(cause)
        return reason.replace("_", " ").lower()
    if cause is None or cause.errno is None:
        return str(cause or error) or type(error).__name__
    return REASONS.get(cause.errno) or os.strerror(cause.errno)


def tune(sock: socket.socket, limits: Limits) -> None:
    """Send without delay, and detect dead peers."""
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
        except OSError:  # the peer has left: the first read reports it
            return


def least_round_trip(sock: socket.socket) -> float | None:
    """The least round trip that the system measured on this connection in the last minutes, in s;
    None without a measurement or without support.

    Never ``tcpi_rtt``: it is smoothed over acknowledgements that the other side delays by up to 40
    ms to send them with its answer, so it rises by 20 ms for a player who thinks for 20 ms.
    """
    if TCP_INFO is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, TCP_INFO, _MIN_RTT_OFFSET + _MIN_RTT.size)
    except OSError:
        return None
    if len(info) < _MIN_RTT_OFFSET + _MIN_RTT.size:
        return None
    [microseconds] = _MIN_RTT.unpack_from(info, _MIN_RTT_OFFSET)
    return None if microseconds in _NO_RTT else microseconds / 1e6


def reset(sock: socket.socket) -> None:
    """Close with a reset: the end in the middle of a message must not look like a regular one."""
    with contextlib.suppress(OSError):  # gone already
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    close(sock)


def close(sock: socket.socket) -> None:
    """Close at once and wake waiting tasks; a second call does nothing."""
    if sock.fileno() != -1:
        trio.lowlevel.notify_closing(sock)
        sock.close()


Readable = Callable[[socket.socket], Awaitable[None]]
"""Waits until this socket can be read."""


async def linger(
    sock: socket.socket, seconds: float, readable: Readable = trio.lowlevel.wait_readable
) -> None:
    """Shut down writing, then read and drop what the peer still sends, for `seconds`. Beyond
    `READ_AWAY` bytes nothing is read, but the wait goes on, so that the peer can read our last
    message."""
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        await trio.lowlevel.checkpoint()
        return
    with trio.move_on_after(seconds):
        left = READ_AWAY
        while left > 0 and (read := await _read_away(sock, readable)) is not None:
            left -= read
        if left <= 0:
            await trio.sleep_forever()


async def _read_away(sock: socket.socket, readable: Readable) -> int | None:
    """The number of bytes; None at the end of the stream."""
    try:
        await readable(sock)
        return len(sock.recv(RECEIVE_BYTES)) or None
    except BlockingIOError:
        return 0
    except (OSError, trio.ClosedResourceError):
        return None
