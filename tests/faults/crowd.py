"""Thousands of quick clients in one process: sockets on one epoll, and next to nothing besides.

What these need of the processor the server cannot have, and what they are late by is thinking time.
"""

import selectors
import socket
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from .record import now

RECEIVE = 1 << 16
LOOK = 0.05
"""s between two looks at whether everything is done."""


class Member:
    """One client. `take` is given every line that it is told."""

    def __init__(self, crowd: "Crowd", name: str) -> None:
        self.crowd = crowd
        self.name = name
        self.sock: socket.socket | None = None
        self._rest = b""

    def call(self, port: int) -> None:
        """A new line to the server."""
        self._rest = b""
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.crowd.selector.register(self.sock, selectors.EVENT_READ, self)

    def say(self, *lines: str) -> None:
        self.sock.sendall("".join(f"{line}\n" for line in lines).encode())

    def take(self, line: str) -> None:
        raise NotImplementedError

    def lose(self) -> None:
        """The line is gone."""
        self.hang_up()

    def hang_up(self) -> None:
        if self.sock is not None:
            self.crowd.selector.unregister(self.sock)
            self.sock.close()
            self.sock = None

    def read(self) -> None:
        try:
            data = self.sock.recv(RECEIVE)
        except ConnectionError:
            data = b""
        if not data:
            self.lose()
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self.sock is not None:
                self.take(line.decode())


class Crowd:
    """Members, and the loop that serves them."""

    def __init__(self) -> None:
        self.selector = selectors.EpollSelector()
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()
        self.since = now()
        """What is read now came later than this."""

    def later(self, seconds: float, call: Callable[[], object]) -> None:
        """Call it when so many seconds have passed."""
        heappush(self._due, (now() + seconds, next(self._numbers), call))

    def serve(self, done, seconds: float) -> bool:
        """Until `done()`; False if that took too long."""
        end, look = now() + seconds, 0.0
        while True:
            if now() >= look:  # to look at thousands costs more than to serve one
                if done():
                    return True
                look = now() + LOOK
            if now() > end:
                return False
            nap = self._due[0][0] - now() if self._due else LOOK
            began, nap = now(), max(0.0, min(LOOK, nap))
            ready = self.selector.select(nap)
            looked = now()
            if looked > began + nap + LOOK:  # it stood still, perhaps after it had looked
                looked = began
            for key, _ in ready:
                key.data.read()
            self.since = looked
            while self._due and self._due[0][0] <= now():
                heappop(self._due)[2]()

    def close(self) -> None:
        for key in [*self.selector.get_map().values()]:
            key.data.hang_up()
        self.selector.close()
