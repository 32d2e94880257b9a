"""Who shows wrong tokens, and how long must it wait before it shows another one?

A wrong one is counted by address and name, so that whoever guesses keeps nobody else at that
address waiting; and by address alone, so that nobody guesses under a thousand names.

Behind an exempt address are many: all programs of this machine, or all for whom a reverse proxy
speaks that does not say for whom. Nobody there is kept waiting for what others show: a right token
is right at once, however many wrong ones came before. Guessing there is bounded by the 256 bits of
a token, each guess costing a connection; the log, by what would have to wait elsewhere.
"""

from collections.abc import Sequence

import structlog
import trio

from ulci.net import Attempts, Network, network, within
from ulci_server.storage import fold

LOG = structlog.get_logger("ulci_server.hall")

NAMES = 50
"""Wrong tokens that may come from one address under other names before it must wait with any."""


class Guesses:
    def __init__(self, exempt: Sequence[Network]) -> None:
        self._exempt = exempt
        self._of_name = Attempts[tuple[str, str]]()
        self._of_address = Attempts[str](free=NAMES)

    def wait(self, name: str, host: str) -> float:
        """Seconds until a token may be shown from there, under that name."""
        return 0.0 if within(host, self._exempt) else self._retry_after(name, host)

    def wrong(self, name: str, host: str) -> float:
        """It showed a wrong one. Seconds for which it should have waited."""
        now = trio.current_time()
        wait = self._retry_after(name, host)
        self._of_name.failed(_key(name, host), now)
        self._of_address.failed(network(host), now)
        if not wait:
            LOG.warning("wrong token", host=host, name=name)
        return wait

    def right(self, name: str, host: str) -> None:
        """It showed a right one: what was before does not matter any more."""
        self._of_name.succeeded(_key(name, host))

    def _retry_after(self, name: str, host: str) -> float:
        now = trio.current_time()
        waits = self._of_name.retry_after(_key(name, host), now)
        return max(waits, self._of_address.retry_after(network(host), now))


def _key(name: str, host: str) -> tuple[str, str]:
    return network(host), fold(name)
