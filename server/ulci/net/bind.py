"""Listening sockets of an address, and the retry delay when ``accept`` lacks resources.

Without a free file descriptor or memory, newcomers wait in the system's queue and the listening
socket stays readable. A retry without a delay would spin; the shortage is reported once a minute.
"""

import errno
import os
import socket
from collections.abc import Mapping
from typing import NamedTuple

import trio

from ulci.net.address import ANY_HOST, Address
from ulci.net.errors import ExhaustedError, ListenError
from ulci.net.intake import ask_for_stamps
from ulci.system import REUSE_PORT

BACKLOG = 1024
"""Connections that the system queues until they are accepted: all players after a restart."""

TRIES = 10
"""Attempts to find a port that is free for every family when the system chooses it: the system
checks the first family only."""

TROUBLE: Mapping[int, str] = {
    errno.EADDRINUSE: "another program listens there already; stop it or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address; write * for every interface",
    errno.EACCES: "not allowed; ports below 1024 need administrator rights, choose a higher one",
}


class _Place(NamedTuple):
    family: socket.AddressFamily
    where: tuple[str | int | bytes, ...]


async def bind(address: Address, *, shared: bool = False) -> list[socket.socket]:
    """Listening sockets for every address of the host, all on the same port. `shared`: other
    processes of this user may listen there, too, and the system spreads connections over all of
    them. Raises `ListenError`."""
    places = await _places(address)
    for _ in range(TRIES if address.port == 0 else 1):
        sockets: list[socket.socket] = []
        try:
            for place in places:
                port = sockets[0].getsockname()[1] if sockets else address.port
                sockets.append(_listening(place, port, shared=shared))
            return sockets
        except OSError as error:
            for sock in sockets:
                sock.close()
            trouble = error
            if error.errno != errno.EADDRINUSE:
                break
    why = TROUBLE.get(trouble.errno or 0) or os.strerror(trouble.errno or 0)
    raise ListenError(f"cannot listen at {address}: {why}") from trouble


async def _places(address: Address) -> list[_Place]:
    host = None if address.host == ANY_HOST else address.host
    try:
        found = await trio.socket.getaddrinfo(
            host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError) as error:
        raise ListenError(
            f"cannot listen at {address}: there is no host {address.host!r}; write * for every"
            " interface, 127.0.0.1 for this machine only"
        ) from error
    # A host may be named more than once in /etc/hosts
    places = list(dict.fromkeys(_Place(family, where) for family, _, _, _, where in found))
    return [place for place in places if len(places) == 1 or _supported(place.family)]


def _supported(family: socket.AddressFamily) -> bool:
    """Resolvers return IPv6 addresses even where IPv6 is disabled."""
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError:
        return False
    return True


def _listening(place: _Place, port: int, *, shared: bool) -> socket.socket:
    sock = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        # A restarted server must not wait for the old connections' TIME_WAIT
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared and REUSE_PORT is not None:
            sock.setsockopt(socket.SOL_SOCKET, REUSE_PORT, 1)
        if place.family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((place.where[0], port, *place.where[2:]))
        ask_for_stamps(sock)  # early: the kernel needs a moment to begin
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


SHORTEST = 0.1
"""First retry delay in s: time for one connection to close."""

LONGEST = 2.0
"""Upper limit of the doubling retry delay, in s, so that newcomers wait little longer than the
shortage lasts."""

SILENCE = 60.0
"""Interval between reports, in s."""

SHORTAGES: Mapping[int, str] = {
    errno.EMFILE: "out of file descriptors: this process has reached its limit (see LimitNOFILE"
    " in ulci-server.service, or ulimit -n)",
    errno.ENFILE: "out of file descriptors: this machine has reached its limit (see fs.file-max)",
    errno.ENOBUFS: "out of memory for sockets",
    errno.ENOMEM: "out of memory for sockets",
}


class Exhaustion:
    """Retry delays and reports of a resource shortage. Times in s."""

    def __init__(self) -> None:
        self._pause = SHORTEST
        self._failures = 0  # since the last report
        self._reported: float | None = None

    def pause(self) -> float:
        """The delay before the next attempt, after a failed one."""
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST)
        return pause

    def succeeded(self) -> None:
        """An attempt succeeded."""
        self._pause = SHORTEST

    def report(self, error: OSError, at: float) -> ExhaustedError | None:
        """The error to report for this failure; None if the last report is less than `SILENCE`
        old."""
        self._failures += 1
        if self._reported is not None and at < self._reported + SILENCE:
            return None
        again = self._reported is not None
        more = f" ({self._failures} times since the last report)" if again else ""
        self._failures, self._reported = 0, at
        number = error.errno or 0
        said = SHORTAGES.get(number, os.strerror(number))
        return ExhaustedError(number, f"nobody can connect, {said}{more}")
