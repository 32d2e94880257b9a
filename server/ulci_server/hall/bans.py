"""Is somebody of these names, at that address, banned? Asked of an index, at every newcomer."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Network, IPv6Network, ip_network
from socket import AF_INET, inet_pton
from typing import Self

from ulci.net.address import ip_of
from ulci_server.lobby import lines
from ulci_server.lobby.names import looks
from ulci_server.storage import Accounts, Ban

Key = str | tuple[int, int, int]
"""What a name looks like; or the version, length and number of a network's prefix."""

_BITS = {4: 32, 6: 128}
_NEVER = datetime.max.replace(tzinfo=UTC)
_MAPPED = IPv6Network("::ffff:0:0/96")


class Bans:
    """Never changes: threads make another one while the loop asks this. A question costs one look
    at a dictionary for a name, and one for each length of prefix that is banned."""

    def __init__(self, bans: Iterable[Ban] = (), stamp: tuple[int, int] = (0, 0)) -> None:
        self.stamp = stamp
        self._all: dict[int, Ban] = {}
        self._by_key: dict[Key, tuple[Ban, ...]] = {}
        self._lengths = Counter[tuple[int, int]]()  # of the networks, with their versions
        for ban in bans:
            self._add(ban)

    def find(self, at: datetime, host: str, names: Sequence[str]) -> Ban | None:
        """Of those in force that for which it is banned longest, if there is one."""
        found = (ban for ban in self._concerning(host, names) if ban.holds(at))
        return max(found, key=lambda ban: ban.until or _NEVER, default=None)

    def of(self, kinds: Collection[str], value: str) -> list[int]:
        """The numbers of the bans of that value, as `ban_value` spells it."""
        return [ban.id for ban in self._all.values() if ban.kind in kinds and ban.value == value]

    def refreshed(self, accounts: Accounts) -> Self:
        """As the database has them now. Only what changed is read. For a worker thread."""
        stamp = accounts.bans_stamp()
        if stamp == self.stamp:
            return self
        if stamp[0] < self.stamp[0] or not self._all:  # a database that was put back, or the first
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
        for look in {looks(word) for name in names for word in (name, lines.word(name))}:
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
            self._lengths += Counter()  # without those of which there are none any more


def _key(ban: Ban) -> Key:
    if ban.kind != "address":
        return looks(ban.value)
    network = plain_network(ban.value)
    length = network.prefixlen
    number = int(network.network_address) >> (_BITS[network.version] - length)
    return network.version, length, number


def plain_network(value: str) -> IPv4Network | IPv6Network:
    """IPv4 in IPv6's clothes is IPv4, as it is where somebody comes from."""
    network = ip_network(value, strict=False)
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        return IPv4Network((int(network.network_address) & 0xFFFF_FFFF, network.prefixlen - 96))
    return network


def _address(host: str) -> tuple[int, int] | None:
    """Its version and number; None of a peer without an address."""
    try:
        # Many times as fast as `ip_address`, and most are of this kind.
        return 4, int.from_bytes(inet_pton(AF_INET, host))
    except OSError:
        pass
    try:
        address = ip_of(host)
    except ValueError:
        return None
    return address.version, int(address)
