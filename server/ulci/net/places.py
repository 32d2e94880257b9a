"""Places for half-open connections: bounded in groups, and where a group is full, the oldest goes.

A connection is half-open until TLS, the upgrade or the first head of a request is done. Honest
peers take a few round trips for that; a connection that keeps its place longer is cut for the next
one. So is, where a listener is full, one that does not say who it is.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from ulci.net.peer import Peer

SLOW = 2.0
"""Seconds that a half-open connection may keep its place in a full group: some round trips around
the world with a lost packet. So a group of n places takes in n / 2 a second at most."""


class Group(NamedTuple):
    """Half-open connections that are bounded together."""

    key: Hashable
    most: int


class Place:
    """Of one half-open connection; in no group once it has left."""

    __slots__ = ("at", "cut", "groups")

    def __init__(self, at: float, cut: Callable[[], None], groups: Sequence[Group]) -> None:
        self.at = at
        self.cut = cut
        self.groups = groups


class Places:
    """Times are of any one clock, s."""

    def __init__(self) -> None:
        self._taken: dict[Hashable, OrderedDict[Place, None]] = {}

    def number(self, key: Hashable) -> int:
        """Half-open connections of a group."""
        return len(self._taken.get(key, ()))

    def full(self, groups: Sequence[Group], at: float) -> Group | None:
        """The first of these groups that has no place, and none that may be taken from the
        oldest."""
        return next((group for group in groups if self._is_full(group, at)), None)

    def take(self, groups: Sequence[Group], at: float, cut: Callable[[], None]) -> Place:
        """A place in all these groups, none of which is `full`. `cut` ends the connection, should
        somebody else need the place; it is called at most once, and never after `leave`."""
        for group in groups:
            while self.number(group.key) >= group.most:
                oldest = next(iter(self._taken[group.key]))
                self.leave(oldest)
                oldest.cut()
        place = Place(at, cut, groups)
        for group in groups:
            self._taken.setdefault(group.key, OrderedDict())[place] = None
        return place

    def leave(self, place: Place) -> None:
        """The connection is open, or has ended. A second call does nothing."""
        groups, place.groups = place.groups, ()
        for group in groups:
            taken = self._taken[group.key]
            del taken[place]
            if not taken:
                del self._taken[group.key]

    def _is_full(self, group: Group, at: float) -> bool:
        if self.number(group.key) < group.most:
            return False
        return next(iter(self._taken[group.key])).at > at - SLOW


class Newcomers:
    """Peers of one listener that may not have introduced themselves yet, the oldest first. Times
    are of any one clock, s."""

    def __init__(self) -> None:
        self._since: OrderedDict[Peer, float] = OrderedDict()

    def add(self, peer: Peer, at: float) -> None:
        self._since[peer] = at

    def leave(self, peer: Peer) -> None:
        self._since.pop(peer, None)

    def make_room(self, at: float, is_spared: Callable[[str], bool]) -> bool:
        """Cut the oldest that has not introduced itself, if it is slow and its address is not
        spared; whether there was one."""
        while self._since:
            peer, since = next(iter(self._since.items()))
            stays = peer.introduced or peer.muted or is_spared(peer.host)
            if not stays and since > at - SLOW:
                return False
            del self._since[peer]
            if not stays:
                peer.cut("it did not introduce itself, and made room for a newer one")
                return True
        return False
