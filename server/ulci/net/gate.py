"""Connection limits per address, shared by all listeners of a gate.

IPv6 is counted per /64, the usual size of one household or one rented machine. Loopback is exempt
by default: local engines, or a reverse proxy. WebSockets of such a proxy are counted for the client
in its ``X-Forwarded-For``.
"""

import ipaddress
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ulci.net.address import ip_of
from ulci.net.token_bucket import Buckets
from ulci.protocol.messages import Blame

IPV6_PREFIX = 64

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = (
    ipaddress.IPv4Network("127.0.0.0/8"),
    ipaddress.IPv6Network("::1/128"),
)

RETRY_AFTER = 10
"""Seconds until a place may be free."""


UNKNOWN = "unknown"
"""One key for all clients whose proxy gives ``unknown`` (RFC 7239 section 6.2) or no valid address.
Counting them as the proxy would exempt them."""


class ConnectionRefusal(NamedTuple):
    """Why a connection is refused, whose fault this is, and when (s) a retry may succeed."""

    text: str
    blame: Blame = Blame.SERVER
    retry_after: int | None = None

    def __str__(self) -> str:
        if self.retry_after is None:
            return self.text
        return f"{self.text}; retry-after {self.retry_after}"


@dataclass(frozen=True, slots=True)
class GateLimits:
    """Limits for one address, and for handshakes in total."""

    connections: int = 100
    """Open at once from one address: a match of fifty engines on one machine, twice."""

    openings: int = 64
    """Handshakes in progress from one address: fifty engines after a restart."""

    all_openings: int = 1000
    """Handshakes in progress in total: at a few ms each for TLS, some seconds of work."""

    rate: float = 10.0
    """New connections a second from one address, on average."""

    burst: int = 100
    """New connections at once from an idle address: all that it may have."""

    exempt: tuple[Network, ...] = LOOPBACK
    """Networks whose addresses are not counted."""


@lru_cache(maxsize=1024)  # a few addresses bring most connections
def network(host: str) -> str:
    """The key that an address is counted under: itself, or its /64 for IPv6."""
    try:
        address = ip_of(host)
    except ValueError:  # a host name is its own key
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.IPv6Network((address, IPV6_PREFIX), strict=False))


class Gate:
    """Counts attempts, handshakes and connections per address. Times are `trio.current_time`, s."""

    def __init__(self, limits: GateLimits | None = None) -> None:
        self.limits = limits or GateLimits()
        self.here: Counter[str] = Counter()
        """Connections of each address, handshakes included."""
        self.opening: Counter[str] = Counter()
        """Handshakes of each address."""
        self.refused: Counter[str] = Counter()
        """How many were refused, by why."""
        self._all_opening = 0
        self._newcomers: Buckets[str] = Buckets(self.limits.rate, self.limits.burst)

    def refusal(self, host: str, at: float) -> ConnectionRefusal | None:
        """The reason to refuse this connection now, or None; after None call `enter`."""
        limits, key = self.limits, network(host)
        if self._all_opening >= limits.all_openings:
            self.refused["openings"] += 1
            return ConnectionRefusal(
                "too many connections are being opened", retry_after=RETRY_AFTER
            )
        if self.exempts(host):
            return None
        if (full := self.full(host)) is not None:
            return full
        if self.opening[key] >= limits.openings:
            self.refused["address-openings"] += 1
            text = f"your address already has {limits.openings} connections in a handshake"
            return ConnectionRefusal(text, Blame.CLIENT, RETRY_AFTER)
        if wait := self._newcomers.take(key, at):
            self.refused["address-rate"] += 1
            text = f"your address connects too often: the limit is {limits.rate:g} times a second"
            return ConnectionRefusal(text, Blame.CLIENT, math.ceil(wait))
        return None

    def full(self, host: str) -> ConnectionRefusal | None:
        """The reason to refuse one more connection of an address that is not exempt, however old;
        None if there is a place."""
        most = self.limits.connections
        if self.here[network(host)] < most:
            return None
        self.refused["address-connections"] += 1
        connections = "connection" if most == 1 else "connections"
        text = f"your address already has {most} {connections}, which is the limit"
        return ConnectionRefusal(text, Blame.CLIENT, RETRY_AFTER)

    def exempts(self, host: str) -> bool:
        """Whether the address is not counted, and its ``X-Forwarded-For`` is trusted."""
        return within(host, self.limits.exempt)

    def behind(self, host: str, headers: Mapping[str, str]) -> str:
        """The client behind a reverse proxy: the last address of ``X-Forwarded-For``, which the
        proxy itself saw, without its port. Empty if `host` is not exempt or sends no such header;
        `UNKNOWN` for an invalid address."""
        named = headers.get("x-forwarded-for")
        if named is None or not self.exempts(host):
            return ""
        try:
            return str(ip_of(_without_port(named.rpartition(",")[2].strip())))
        except ValueError:
            return UNKNOWN

    def enter(self, host: str) -> None:
        """Count a connection whose handshake begins."""
        key = network(host)
        self.here[key] += 1
        self.opening[key] += 1
        self._all_opening += 1

    def opened(self, host: str) -> None:
        """The handshake ended, well or badly: once for every `enter`, before `leave`."""
        self._all_opening -= 1
        _decrement(self.opening, network(host))

    def leave(self, host: str) -> None:
        """The connection ended."""
        _decrement(self.here, network(host))


def _without_port(named: str) -> str:
    """Strip the port from ``192.0.2.1:4711``, ``[2001:db8::1]`` or ``[2001:db8::1]:4711``."""
    if named.startswith("["):
        return named[1:].partition("]")[0]
    return named.partition(":")[0] if named.count(":") == 1 else named


def within(host: str, networks: Iterable[Network]) -> bool:
    """Whether the host is an address in one of these networks."""
    try:
        address = ip_of(host)
    except ValueError:
        return False
    return any(address in each for each in networks)


def _decrement(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
