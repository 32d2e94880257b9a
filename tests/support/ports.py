"""Ports of this machine that no other test gets by chance."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from random import SystemRandom
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from weakref import finalize

HOST = "127.0.0.1"

PORTS = (20_000, 25_000)
"""Below the range from which Linux chooses ports, for listeners and for outgoing connections."""


def free_port() -> int:
    """A port at which a server can be started again: the system assigns it to no other program,
    even while nobody listens there."""
    while True:
        port = SystemRandom().randrange(*PORTS)
        with socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


@contextmanager
def closed_port() -> Iterator[int]:
    """A port that is bound, and at which nobody listens."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        yield port


class KeptPorts:
    """Ports of `HOST` at which a server will listen again. They are bound meanwhile, so that the
    system assigns them to no other program, and released when this object is deleted."""

    def __init__(self) -> None:
        self._sockets: list[socket] = []
        finalize(self, _close_all, self._sockets)

    def keep(self, ports: Iterable[int]) -> None:
        """Bind these, and release all others."""
        self.release()
        for port in ports:
            self._sockets.append(kept := socket())
            kept.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)  # as servers do
            with suppress(OSError):  # somebody has it already
                kept.bind((HOST, port))

    def release(self) -> None:
        _close_all(self._sockets)


def _close_all(sockets: list[socket]) -> None:
    while sockets:
        sockets.pop().close()
