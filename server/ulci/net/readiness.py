"""Tells tasks that their sockets can be read, a few in a turn of the loop.

Trio wakes all whose sockets can be read in one turn. When a thousand browsers come, ask or leave at
the same moment, that is 30 ms, and a second where each begins with TLS.
"""

import contextlib
import socket
from typing import NoReturn

import outcome
import trio

from ulci import system

AT_ONCE = 8
"""Tasks that go on in one turn of the loop: to greet a browser with TLS takes 1 ms."""


class Readiness:
    """Of the sockets of one listener, while `run` runs."""

    def __init__(self) -> None:
        self._epoll = None if system.EPOLL is None else system.EPOLL()
        self._waiting: dict[int, trio.lowlevel.Task] = {}

    async def wait(self, sock: socket.socket) -> None:
        """Return when this socket can perhaps be read. Always a checkpoint.

        Raises `trio.ClosedResourceError` at `forget`, `trio.BusyResourceError` if another task
        waits, and `OSError` at a limit of the system.
        """
        fd = sock.fileno()
        if self._epoll is None or self._epoll.closed:
            await trio.lowlevel.wait_readable(sock)
            return
        if fd in self._waiting:
            raise trio.BusyResourceError("another task waits for this socket")
        self._watch(self._epoll, fd)
        self._waiting[fd] = trio.lowlevel.current_task()

        def abort(_: object) -> trio.lowlevel.Abort:
            del self._waiting[fd]
            return trio.lowlevel.Abort.SUCCEEDED

        if await trio.lowlevel.wait_task_rescheduled(abort) is not None:
            raise trio.ClosedResourceError("this socket is being closed")

    def forget(self, sock: socket.socket) -> None:
        """Call before the socket is closed."""
        if (task := self._waiting.pop(sock.fileno(), None)) is not None:
            trio.lowlevel.reschedule(task, outcome.Value("closed"))

    async def run(self) -> NoReturn:
        """For ever."""
        if self._epoll is None:
            await trio.sleep_forever()
        try:
            while True:
                await trio.lowlevel.wait_readable(self._epoll.fileno())
                for fd, _ in self._epoll.poll(0, AT_ONCE):
                    if (task := self._waiting.pop(fd, None)) is not None:
                        trio.lowlevel.reschedule(task)
        finally:
            self._epoll.close()
            for task in self._waiting.values():  # they wait for Trio
                trio.lowlevel.reschedule(task)
            self._waiting.clear()

    @staticmethod
    def _watch(epoll: system.Epoll, fd: int) -> None:
        """Until it can be read once. The system forgets a socket that is closed."""
        events = system.READABLE | system.ONCE
        with contextlib.suppress(FileNotFoundError):
            epoll.modify(fd, events)
            return
        epoll.register(fd, events)
