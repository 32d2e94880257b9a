"""Who played what a referee died of: remembered beyond the connection, or each new one could do so
once more."""

import math
from collections import OrderedDict
from collections.abc import Hashable

from ulci.net import is_loopback, network

MOST = 10_000
"""Accounts and addresses that are remembered, about 1 MB; beyond this the oldest is forgotten."""


REMEMBERED = 3600.0
"""Seconds. Others at such a guest's address get their moves judged, but with fewer tries."""


class Suspects:
    """Accounts, and addresses of guests. Local programs, and all who come through a reverse proxy
    that names nobody, share an address, and are not remembered by it. Times are of any one clock,
    s."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, float] = OrderedDict()

    def add(self, account: int | None, host: str, at: float) -> None:
        """A referee died of what this player played."""
        if (key := _key(account, host)) is not None:
            self._known[key] = at
            self._known.move_to_end(key)
            if len(self._known) > MOST:
                self._known.popitem(last=False)

    def has(self, account: int | None, host: str, at: float) -> bool:
        """Whether one did lately, of the same account or of a guest at the same address."""
        key = _key(account, host)
        return key is not None and at - self._known.get(key, -math.inf) < REMEMBERED


def _key(account: int | None, host: str) -> Hashable | None:
    if account is not None:
        return account
    return network(host) if host and not is_loopback(host) else None
