"""The listening sockets of an address."""

import errno
import os
import socket
from collections.abc import Mapping
from typing import NamedTuple

import trio

from ulci.net.address import ANY_HOST, Address
from ulci.net.errors import ListenError
from ulci.net.intake import ask_for_stamps

BACKLOG = 1024
"""Connections that the system keeps until we accept them: all players after a restart."""

TRIES = 10
"""For a port that is free for every family, when the system chooses: it knows only the first."""

TROUBLE: Mapping[int, str] = {
    errno.EADDRINUSE: "another program listens there already; stop it or choose another port",
    errno.EADDRNOTAVAIL: "this machine has no such address; write * for every interface",
    errno.EACCES: "not allowed; ports below 1024 are for administrators, choose a higher one",
}


class _Place(NamedTuple):
    family: socket.AddressFamily
    where: tuple[str | int | bytes, ...]


async def bind(address: Address) -> list[socket.socket]:
    """Sockets that listen at every address that the host stands for, all with the same port.

    Raises `ListenError`.
    """
    places = await _places(address)
    for _ in range(TRIES if address.port == 0 else 1):
        sockets: list[socket.socket] = []
        try:
            for place in places:
                port = sockets[0].getsockname()[1] if sockets else address.port
                sockets.append(_listening(place, port))
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
    """Resolvers name IPv6 addresses on machines that have it switched off."""
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError:
        return False
    return True


def _listening(place: _Place, port: int) -> socket.socket:
    sock = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        # A restarted server must not wait for the old connections' TIME_WAIT
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if place.family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((place.where[0], port, *place.where[2:]))
        ask_for_stamps(sock)  # long before the first who is accepted needs them
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock
