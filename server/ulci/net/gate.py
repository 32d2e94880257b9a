"""Connection limits per address and network, shared by all listeners of a gate.

IPv6 is counted per /64, the usual size of one household or one rented machine. Loopback is exempt
by default: local engines, or a reverse proxy. WebSockets and requests of a proxy are counted for
the client in its ``X-Forwarded-For``. The gate believes that header from proxies only: a person at
an exempt address could name anybody in it.

Strangers cannot use up all connections: networks have limits, too, and a part is reserved for
exempt addresses and for addresses that are known because they were connected for a while.
"""

import ipaddress
import logging
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ulci.net.address import ip_of
from ulci.net.places import Group, Place, Places
from ulci.net.token_bucket import Buckets
from ulci.protocol.messages import Blame

logger = logging.getLogger(__name__)

IPV6_PREFIX = 64

WIDE_PREFIXES = {4: 24, 6: 48}
"""The network of an address, by IP version: what one customer of a provider gets at most, and so
what one attacker has many addresses of."""

NETWORK_OPENINGS = 4
"""Times the handshakes of one address for its whole network."""

NETWORK_CONNECTIONS = 10
"""Times the connections of one address for its whole network: a university, or a tenth of a
listener."""

KEPT = 4
"""A quarter of all handshakes is kept for known addresses."""

KNOWN_AFTER = 60.0
"""Seconds for which an address was connected without a break, after a handshake, until it is known.
A program that says nothing is disconnected sooner."""

KNOWN = 50_000
"""Known addresses that are remembered; beyond this the least recently seen one is forgotten."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: tuple[Network, ...] = (
    ipaddress.IPv4Network("127.0.0.0/8"),
    ipaddress.IPv6Network("::1/128"),
)

RETRY_AFTER = 10
"""Seconds until a place may be free."""


UNBELIEVED = (
    "X-Forwarded-For from %s is not believed, so nobody behind that address is counted: if it is"
    " your reverse proxy, name it in proxies under [web]; exempt under [limits] no longer does"
)
"""A warning, once: of an exempt address that may be a proxy."""


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
    """Handshakes in progress in total: at a few ms each for TLS, some seconds of work. Exempt
    addresses together may have that many in addition."""

    rate: float = 10.0
    """New connections a second from one address, on average."""

    burst: int = 100
    """New connections at once from an idle address: all that it may have."""

    exempt: tuple[Network, ...] = LOOPBACK
    """Networks whose addresses are not counted."""

    proxies: tuple[Network, ...] = LOOPBACK
    """Networks of reverse proxies, whose ``X-Forwarded-For`` is believed. They should be exempt."""


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


@lru_cache(maxsize=1024)
def wide_network(host: str) -> str:
    """The network of an address, by `WIDE_PREFIXES`; of what is no address, itself."""
    try:
        address = ip_of(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network((address, WIDE_PREFIXES[address.version]), strict=False))


_ALL, _STRANGERS, _EXEMPT = "all", "strangers", "exempt"
"""Groups of half-open connections beside those of an address and of a network."""

_FULL: Mapping[str, ConnectionRefusal] = {
    "openings": ConnectionRefusal("too many connections are being opened", retry_after=RETRY_AFTER),
    "network-openings": ConnectionRefusal(
        "your network has too many connections in a handshake", Blame.CLIENT, RETRY_AFTER
    ),
}


def _nothing() -> None:
    """For a handshake that cannot be ended."""


class Gate:
    """Counts attempts, handshakes and connections per address. Times are `trio.current_time`, s."""

    def __init__(self, limits: GateLimits | None = None) -> None:
        self.limits = limits or GateLimits()
        self.here: Counter[str] = Counter()
        """Connections of each address, handshakes included."""
        self.refused: Counter[str] = Counter()
        """How many were refused, by why."""
        self._networks: Counter[str] = Counter()  # connections of each network
        self._opening = Places()
        self._newcomers: Buckets[str] = Buckets(self.limits.rate, self.limits.burst)
        self._here_since: dict[str, float] = {}  # since when an address is connected
        self._known: OrderedDict[str, None] = OrderedDict()
        self._has_warned = False  # of a header that is not believed

    def change(self, limits: GateLimits) -> None:
        """Apply these limits from now on. Open connections stay, and every address gets its full
        allowance of new connections."""
        self.limits = limits
        self._newcomers = Buckets(limits.rate, limits.burst)

    @property
    def opening(self) -> int:
        """Handshakes in progress."""
        return self._opening.number(_ALL) + self._opening.number(_EXEMPT)

    def refusal(self, host: str, at: float) -> ConnectionRefusal | None:
        """The reason to refuse this connection now, or None; after None call `enter`."""
        if not self.exempts(host) and (full := self.full(host)) is not None:
            return full
        if (group := self._opening.full(self._groups(host, at), at)) is not None:
            return self._no_place(host, group)
        if not self.exempts(host) and (wait := self._newcomers.take(network(host), at)):
            self.refused["address-rate"] += 1
            rate = self.limits.rate
            text = f"your address connects too often: the limit is {rate:g} times a second"
            return ConnectionRefusal(text, Blame.CLIENT, math.ceil(wait))
        return None

    def full(self, host: str) -> ConnectionRefusal | None:
        """The reason to refuse one more connection of an address that is not exempt, however old;
        None if there is a place."""
        most = self.limits.connections
        if self.here[network(host)] >= most:
            self.refused["address-connections"] += 1
            connections = "connection" if most == 1 else "connections"
            text = f"your address already has {most} {connections}, which is the limit"
            return ConnectionRefusal(text, Blame.CLIENT, RETRY_AFTER)
        most *= NETWORK_CONNECTIONS
        if self._networks[wide_network(host)] >= most:
            self.refused["network-connections"] += 1
            text = f"{wide_network(host)} already has {most} connections, which is the limit"
            return ConnectionRefusal(text, Blame.CLIENT, RETRY_AFTER)
        return None

    def _groups(self, host: str, at: float) -> list[Group]:
        """Those in which a half-open connection of that address is bounded, its own first."""
        limits = self.limits
        if self.exempts(host):
            return [Group(_EXEMPT, limits.all_openings)]
        groups = [
            Group(("address", network(host)), limits.openings),
            Group(("network", wide_network(host)), NETWORK_OPENINGS * limits.openings),
        ]
        if not self.knows(host, at):
            groups.append(Group(_STRANGERS, limits.all_openings - limits.all_openings // KEPT))
        groups.append(Group(_ALL, limits.all_openings))
        return groups

    def _no_place(self, host: str, full: Group) -> ConnectionRefusal:
        if full.key == ("address", network(host)):
            self.refused["address-openings"] += 1
            text = f"your address already has {full.most} connections in a handshake"
            return ConnectionRefusal(text, Blame.CLIENT, RETRY_AFTER)
        why = "network-openings" if isinstance(full.key, tuple) else "openings"
        self.refused[why] += 1
        return _FULL[why]

    def knows(self, host: str, at: float) -> bool:
        """Whether the address has been connected for `KNOWN_AFTER`, now or before."""
        key = network(host)
        since = self._here_since.get(key)
        return key in self._known or (since is not None and at - since >= KNOWN_AFTER)

    def has_kept_places(self, host: str, at: float) -> bool:
        """Whether the address may use what strangers may not."""
        return self.exempts(host) or self.knows(host, at)

    def exempts(self, host: str) -> bool:
        """Whether the address is not counted."""
        return within(host, self.limits.exempt)

    def behind(self, host: str, headers: Mapping[str, str]) -> str:
        """The client behind a reverse proxy: the last address of ``X-Forwarded-For``, which the
        proxy itself saw, without its port. Empty if `host` is no proxy or sends no such header;
        `UNKNOWN` for an invalid address."""
        named = headers.get("x-forwarded-for")
        if named is None:
            return ""
        if not within(host, self.limits.proxies):
            if self.exempts(host) and not self._has_warned:
                self._has_warned = True
                logger.warning(UNBELIEVED, host)
            return ""
        try:
            return str(ip_of(_without_port(named.rpartition(",")[2].strip())))
        except ValueError:
            return UNKNOWN

    def enter(self, host: str, at: float, cut: Callable[[], None] = _nothing) -> Place:
        """Count a connection whose handshake begins. `cut` ends it, should a newer one need its
        place: called at most once, and not after `opened`."""
        self._count(host)
        return self._opening.take(self._groups(host, at), at, cut)

    def opened(self, host: str, place: Place, at: float) -> None:
        """The handshake ended, well or badly: once for every `enter`, before `leave`."""
        self._opening.leave(place)
        self._here_since.setdefault(network(host), at)

    def count(self, host: str, at: float) -> None:
        """Count a connection without a handshake of its own: of the client behind a proxy."""
        self._count(host)
        self._here_since.setdefault(network(host), at)

    def _count(self, host: str) -> None:
        self.here[network(host)] += 1
        self._networks[wide_network(host)] += 1

    def leave(self, host: str, at: float) -> None:
        """The connection ended."""
        key = network(host)
        _decrement(self._networks, wide_network(host))
        _decrement(self.here, key)
        if key in self.here:
            return
        since = self._here_since.pop(key, at)
        if key in self._known or at - since >= KNOWN_AFTER:
            self._known[key] = None
            self._known.move_to_end(key)
            if len(self._known) > KNOWN:
                self._known.popitem(last=False)


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
