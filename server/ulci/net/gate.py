"""Who may come in? Counted per address, over all listeners that share the gate.

IPv6 is counted per /64, which is what one household or one rented machine has. Loopback is exempt
by default: it is this machine's own engines, or a reverse proxy with everybody behind it. Of such
a proxy's WebSockets those are counted for whom it speaks.
"""

import ipaddress
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ulci.net.address import ip_of
from ulci.net.bucket import Buckets
from ulci.protocol.messages import Blame

IPV6_PREFIX = 64

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = (
    ipaddress.IPv4Network("127.0.0.0/8"),
    ipaddress.IPv6Network("::1/128"),
)

AGAIN = 10
"""Seconds after which somebody else may have left."""


UNKNOWN = "unknown"
"""One address, counted as any other, for all whom a proxy names by none: it says so (RFC 7239
section 6.2), or says what is no address. To take them for the proxy would exempt them."""


class Refusal(NamedTuple):
    """Why somebody may not come in, whose fault that is, and when (s) it may try again."""

    text: str
    blame: Blame = Blame.SERVER
    retry_after: int | None = None

    def __str__(self) -> str:
        if self.retry_after is None:
            return self.text
        return f"{self.text}; retry-after {self.retry_after}"


@dataclass(frozen=True, slots=True)
class GateLimits:
    """What one address may have, and how many may be on their way in at once."""

    connections: int = 100
    """Open at once from one address: a match of fifty engines on one machine, twice."""

    openings: int = 64
    """Handshakes under way from one address: those fifty after a restart."""

    all_openings: int = 1000
    """Handshakes under way from everywhere: at a few ms each for TLS, some seconds of work."""

    rate: float = 10.0
    """New connections a second from one address, on average."""

    burst: int = 100
    """New connections at once from one address that was quiet: all it may have."""

    exempt: tuple[Network, ...] = LOOPBACK
    """Networks whose addresses are not counted."""


def network(host: str) -> str:
    """What an address is counted as: itself, or the /64 of an IPv6 one."""
    try:
        address = ip_of(host)
    except ValueError:  # no address at all: it is its own key
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, IPV6_PREFIX), strict=False))


class Gate:
    """Counts who knocks, who is being let in and who is here. Times are `trio.current_time`, s."""

    def __init__(self, limits: GateLimits | None = None) -> None:
        self.limits = limits or GateLimits()
        self.here: Counter[str] = Counter()
        """Connections of each address, handshakes included."""
        self.opening: Counter[str] = Counter()
        """Handshakes of each address."""
        self._all_opening = 0
        self._newcomers: Buckets[str] = Buckets(self.limits.rate, self.limits.burst)

    def refusal(self, host: str, at: float) -> Refusal | None:
        """Why it may not come in now; None is that it may, and then it must `enter`."""
        limits, key = self.limits, network(host)
        if self._all_opening >= limits.all_openings:
            return Refusal("too many are on their way in", retry_after=AGAIN)
        if self.exempts(host):
            return None
        if self.here[key] >= limits.connections:
            connections = "connection" if limits.connections == 1 else "connections"
            text = f"your address has {limits.connections} {connections} here, as many as it may"
            return Refusal(text, Blame.CLIENT, AGAIN)
        if self.opening[key] >= limits.openings:
            text = f"{limits.openings} connections of your address are still being opened"
            return Refusal(text, Blame.CLIENT, AGAIN)
        if wait := self._newcomers.take(key, at):
            text = f"your address connects too often: {limits.rate:g} times a second is the limit"
            return Refusal(text, Blame.CLIENT, math.ceil(wait))
        return None

    def exempts(self, host: str) -> bool:
        """Is it not counted, and believed if it says for whom it speaks?"""
        return within(host, self.limits.exempt)

    def behind(self, host: str, headers: Mapping[str, str]) -> str:
        """Whom a reverse proxy speaks for: the last that ``X-Forwarded-For`` names, which is what
        the proxy itself saw, with its port or without. Empty if `host` is not exempt, or says that
        it speaks for nobody; `UNKNOWN` is everybody of whom it knows no address."""
        named = headers.get("x-forwarded-for")
        if named is None or not self.exempts(host):
            return ""
        try:
            return str(ip_of(_without_port(named.rpartition(",")[2].strip())))
        except ValueError:
            return UNKNOWN

    def enter(self, host: str) -> None:
        """It was let in; its handshake begins."""
        key = network(host)
        self.here[key] += 1
        self.opening[key] += 1
        self._all_opening += 1

    def opened(self, host: str) -> None:
        """Its handshake is over, well or badly: once for every `enter`, before `leave`."""
        self._all_opening -= 1
        _less(self.opening, network(host))

    def leave(self, host: str) -> None:
        """It is gone."""
        _less(self.here, network(host))


def _without_port(named: str) -> str:
    """``192.0.2.1:4711``, ``[2001:db8::1]``, ``[2001:db8::1]:4711``: without what is no address."""
    if named.startswith("["):
        return named[1:].partition("]")[0]
    return named.partition(":")[0] if named.count(":") == 1 else named


def within(host: str, networks: Iterable[Network]) -> bool:
    """Whether it is an address of one of them."""
    try:
        address = ip_of(host)
    except ValueError:
        return False
    return any(address in each for each in networks)


def _less(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
