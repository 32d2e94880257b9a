"""The index of bans by name and address, asked at every login; and the check that a ban of an
address or a network is not wider than its author may have meant.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Network, IPv6Network, ip_network
from socket import AF_INET, inet_pton
from typing import Self

from ulci.net import Network, within
from ulci.net.address import ip_of
from ulci_server.lobby import lobby_lines
from ulci_server.lobby.names import looks
from ulci_server.storage import Accounts, Ban

Key = str | tuple[int, int, int]
"""What a name looks like; or the version, length and number of a network prefix."""

_BITS = {4: 32, 6: 128}
_NEVER = datetime.max.replace(tzinfo=UTC)
_MAPPED = IPv6Network("::ffff:0:0/96")


class Bans:
    """Immutable: a thread makes a new one while the loop reads this one. A query costs one
    dictionary lookup a name, and one for each banned prefix length."""

    def __init__(self, bans: Iterable[Ban] = (), stamp: tuple[int, int] = (0, 0)) -> None:
        self.stamp = stamp
        self._all: dict[int, Ban] = {}
        self._by_key: dict[Key, tuple[Ban, ...]] = {}
        self._lengths = Counter[tuple[int, int]]()  # of the networks, with their versions
        for ban in bans:
            self._add(ban)

    def find(self, at: datetime, host: str, names: Sequence[str]) -> Ban | None:
        """The ban in force that lasts longest; None if there is none."""
        found = (ban for ban in self._concerning(host, names) if ban.holds(at))
        return max(found, key=lambda ban: ban.until or _NEVER, default=None)

    def of(self, kinds: Collection[str], value: str) -> list[int]:
        """The numbers of the bans of `value`, as `ban_value` spells it."""
        return [ban.id for ban in self._all.values() if ban.kind in kinds and ban.value == value]

    def refreshed(self, accounts: Accounts) -> Self:
        """The bans as stored now; only changes are read. For a worker thread."""
        stamp = accounts.bans_stamp()
        if stamp == self.stamp:
            return self
        if (
            stamp[0] < self.stamp[0] or not self._all
        ):  # an older database was restored, or the first refresh
            return type(self)(accounts.bans(), stamp)
        copy = type(self)(stamp=stamp)
        copy._all, copy._by_key = self._all.copy(), self._by_key.copy()
        copy._lengths = self._lengths.copy()
        if stamp[0] > self.stamp[0]:
            for ban in accounts.bans(after=self.stamp[0]):
                copy._add(ban)
        if stamp[1] != self.stamp[1]:
            for number in copy._all.keys() - accounts.ban_numbers():
                copy._remove(number)
        return copy

    def _concerning(self, host: str, names: Sequence[str]) -> Iterator[Ban]:
        for look in {looks(word) for name in names for word in (name, lobby_lines.word(name))}:
            yield from self._by_key.get(look, ())
        if not self._lengths or (address := _address(host)) is None:
            return
        version, number = address
        for of, length in self._lengths:
            if of == version:
                yield from self._by_key.get((of, length, number >> (_BITS[of] - length)), ())

    def _add(self, ban: Ban) -> None:
        if ban.id in self._all:  # read a second time: added between the stamp and the list
            return
        self._all[ban.id] = ban
        key = _key(ban)
        self._by_key[key] = (*self._by_key.get(key, ()), ban)
        if isinstance(key, tuple):
            self._lengths[key[:2]] += 1

    def _remove(self, number: int) -> None:
        ban = self._all.pop(number)
        key = _key(ban)
        self._by_key[key] = tuple(other for other in self._by_key[key] if other is not ban)
        if not self._by_key[key]:
            del self._by_key[key]
        if isinstance(key, tuple):
            self._lengths[key[:2]] -= 1
            self._lengths += Counter()  # drop counts of 0


def _key(ban: Ban) -> Key:
    if ban.kind != "address":
        return looks(ban.value)
    network = plain_network(ban.value)
    length = network.prefixlen
    number = int(network.network_address) >> (_BITS[network.version] - length)
    return network.version, length, number


def plain_network(value: str) -> IPv4Network | IPv6Network:
    """The network; IPv4-mapped IPv6 becomes IPv4, as peers' addresses do."""
    network = ip_network(value, strict=False)
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        return IPv4Network((int(network.network_address) & 0xFFFF_FFFF, network.prefixlen - 96))
    return network


def _address(host: str) -> tuple[int, int] | None:
    """Version and number of an address; None for a peer without one."""
    try:
        # Many times as fast as `ip_address`, and most addresses are IPv4.
        return 4, int.from_bytes(inet_pton(AF_INET, host))
    except OSError:
        pass
    try:
        address = ip_of(host)
    except ValueError:
        return None
    return address.version, int(address)


WIDEST = {4: 8, 6: 16}
"""Prefix bits of the largest network that is banned without ``banwide``: no provider has a larger
one."""


def too_wide(value: str, own: str, exempt: Sequence[Network]) -> str:
    """Why a ban may be too wide, for people; empty if it is not. `own`: the author's address."""
    network = plain_network(value)
    if not network.prefixlen:
        return f"{network} is every IPv{network.version} address"
    if network.prefixlen < WIDEST[network.version]:
        return f"{network} is larger than any /{WIDEST[network.version]}"
    if within(own, (network,)):
        return f"your own address {own} is in {network}"
    for other in exempt:
        if other.version == network.version and network.overlaps(other):
            return (
                f"{network} contains addresses of {other}, which the limits exempt: programs of"
                " this machine, or a reverse proxy with everybody behind it"
            )
    return ""
