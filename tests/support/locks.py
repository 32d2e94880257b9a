"""What becomes of the lock of a server's database behind its back."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

from ulci_server.storage.database_lock import LOCK, SUFFIX

_HOLDERS = sa.text("""
    SELECT pid FROM pg_locks
    WHERE locktype = 'advisory' AND classid = :lock AND pid <> pg_backend_pid()
    AND objid::bigint = hashtext(current_schema())::bigint & x'ffffffff'::bigint
    """)
_TERMINATE = b"X\x00\x00\x00\x04"
"""The last words of a client of PostgreSQL.
https://www.postgresql.org/docs/current/protocol-message-formats.html"""

_END = sa.text("SELECT pg_terminate_backend(:pid, 60000)")


def lose_lock(url: str) -> None:
    """Whoever holds it has it no more, as after a restart of PostgreSQL, or when somebody deletes
    what looks like a left-over file."""
    if url.startswith("sqlite"):
        _file(url).unlink()
        return
    with _asking(url) as connection:
        while pids := connection.scalars(_HOLDERS, {"lock": LOCK}).all():
            for pid in pids:  # of which one may just be ending by itself
                connection.scalar(_END, {"pid": pid})


class SilentNetwork:
    """The way to PostgreSQL. `url`: by that way."""

    def __init__(self, url: str) -> None:
        address = sa.make_url(url)
        self._there = (address.host or "127.0.0.1", address.port or 5432)
        self._listener = socket.create_server(("127.0.0.1", 0))
        here = address.set(host="127.0.0.1", port=self._listener.getsockname()[1])
        self.url = here.render_as_string(hide_password=False)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._silent: set[socket.socket] = set()
        self._deaf: set[socket.socket] = set()
        self._delay = 0.0
        self._carrying: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def lose_all(self) -> None:
        """End all connections on this side; on the other side nobody is told."""
        self.hide_ends()
        for near, _ in self._pairs:
            with suppress(OSError):
                near.shutdown(socket.SHUT_RDWR)

    def hide_ends(self) -> None:
        """The other side is not told when one of the connections of now ends on this side."""
        self._silent.update(far for _, far in self._pairs)

    def slow_down(self, seconds: float) -> None:
        """Pass everything on so much later."""
        self._delay = seconds

    def fall_silent(self) -> None:
        """Pass on nothing more that is said on the connections of now."""
        self._deaf.update(far for _, far in self._pairs)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        sockets = [one for pair in self._pairs for one in pair]
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for carrying in self._carrying:
            carrying.join()
        for one in (self._listener, *sockets):
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._there)
                self._pairs.append((near, far))
                for way in ((near, far), (far, near)):
                    self._carrying.append(threading.Thread(target=self._carry, args=way))
                    self._carrying[-1].start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while some := source.recv(65536):
                time.sleep(self._delay)
                hidden = some == _TERMINATE and target in self._silent
                if not hidden and target not in self._deaf:
                    target.sendall(some)
        if target not in self._silent:
            with suppress(OSError):
                target.shutdown(socket.SHUT_RDWR)


@contextmanager
def silent_network(url: str) -> Iterator[SilentNetwork]:
    """A way to PostgreSQL that can lose connections without a word to it."""
    network = SilentNetwork(url)
    try:
        yield network
    finally:
        network.close()


def is_locked(url: str) -> bool:
    """Whether there is anything that a second server would find."""
    if url.startswith("sqlite"):
        return _file(url).exists()
    with _asking(url) as connection:
        return bool(connection.scalars(_HOLDERS, {"lock": LOCK}).all())


def _file(url: str) -> Path:
    return Path(f"{sa.make_url(url).database}{SUFFIX}")


def _asking(url: str):
    engine = sa.create_engine(
        sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool
    )
    return engine.begin()
