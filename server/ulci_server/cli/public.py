"""What the operator of a public server is told: addresses for others, ports to forward, and what
is not encrypted."""

import ipaddress
import socket
from collections.abc import Iterator, Sequence

from ulci.net import Address
from ulci.net.address import in_brackets

LISTEN = ("tcp://*:25565", "ws://*:25566")
"""For programs, and for browsers and what else speaks WebSocket."""

EVERY_HOST = ("*", "0.0.0.0", "::")  # noqa: S104 - recognised, not bound to

_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of documentation (RFC 5737, RFC 3849): the way there is the way to everybody."""


def own_addresses() -> list[str]:
    """The addresses from which this machine reaches others, IPv4 first, at most one of each kind.
    Nothing is sent to find them out. Empty on a machine without a network."""
    found = []
    for family, elsewhere in _ELSEWHERE.items():
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((elsewhere, 9))
                found.append(str(probe.getsockname()[0]))
        except OSError:
            continue  # there is no way there
    return found


def public_lines(addresses: Sequence[Address], own: Sequence[str]) -> Iterator[str]:
    """addresses: where the server listens. own: those of this machine."""
    hosts = [host for host in own if not _is_here(host)]
    reached: dict[str, list[Address]] = {}
    for address in addresses:
        for host in hosts if address.host in EVERY_HOST else [address.host]:
            if not _is_here(host):
                reached.setdefault(host, []).append(address)
    if not reached and any(address.host in EVERY_HOST for address in addresses):
        yield "others   cannot reach this server: this machine has no address in a network"
    elif not reached:
        yield "others   cannot reach this server: it listens on this machine only, for a proxy"
        yield "         here; tcp://*:25565 and ws://*:25566 are every interface (--listen)"
    for host, there in reached.items():
        shown = in_brackets(host)
        pages = (f"http{'s' * a.tls}://{shown}:{a.port}/" for a in there if a.websocket)
        programs = (f"{a.scheme}://{shown}:{a.port}" for a in there if not a.websocket)
        yield f"others   {'  '.join([*pages, *programs])}"
    if private := [host for host in reached if _is_private(host)]:
        there = reached[private[0]]
        ports = " and ".join(str(address.port) for address in there)
        ports = f"port{'s' * (len(there) > 1)} {ports}"
        yield f"router   {private[0]} is an address of your own network only. For players"
        yield f"         outside of it the router must forward the TCP {ports} to"
        yield f"         {private[0]}; they then type the router's public address instead"
    elif reached:
        yield "firewall it must let the TCP ports above in"
    if any(not address.tls for address in addresses):
        yield "open     nothing here is encrypted: moves, chat and tokens can be read and changed"
        yield "         on the way; server/README.md says how to encrypt."
        yield "         Anybody may play as a guest"


def _is_here(host: str) -> bool:
    """Whether only this machine reaches it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False
