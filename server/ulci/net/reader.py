"""One task that reads all plain TCP sockets of a listener, where the system has epoll.

A task per connection costs Trio two scheduling steps and a system call per line, 25 µs and 5 kB.
Here a separate epoll watches the sockets; Trio waits for it as for any descriptor, and one wake
reads many sockets. Measured: 5 µs per line, and 0.3 kB per connection.

A peer that is introduced has a task, which waits here too, in an epoll of its own: a thousand
clients that answer at the same moment are read a few at a time, and no move waits for them.
"""

import contextlib
import heapq
from collections import deque
from collections.abc import Callable
from itertools import count
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import trio

from ulci import system
from ulci.net.timing import stall

AT_ONCE = 64
"""Sockets per poll."""

WAKE_TIME = 0.001
"""Seconds of work after which other tasks run: input of a thousand sockets is spread over many
turns of the loop, which polls its sockets and timers in between."""

WOKEN_AT_ONCE = 32
"""Tasks that go on in one turn of the loop: an introduction takes 0.25 ms."""

POLL_INTERVAL = 0.004
"""Seconds of work after which the sockets are polled again, although some that the last poll found
have not had their turn: a poll of 64 ready sockets takes 30 µs."""


class ReadInTurns(Protocol):
    """A peer whose socket is read here."""

    def turn(self) -> bool:
        """Read once, and deliver for a fair share of time. Returns whether more is left."""
        ...

    def found_after_stall(self, began: float) -> None:
        """What is read next has waited since this process stalled (s), or may have."""
        ...


PeerT = TypeVar("PeerT", bound=ReadInTurns)


_RUNNING: trio.lowlevel.RunVar[set["SharedReader[Any]"]] = trio.lowlevel.RunVar("shared readers")


def _running() -> set["SharedReader[Any]"]:
    try:
        return _RUNNING.get()
    except LookupError:
        readers: set[SharedReader[Any]] = set()
        _RUNNING.set(readers)
        return readers


FURTHER_ROUNDS = 0.05
"""Seconds after which no further round begins, if many sockets have much to read."""


async def read_all_arrived(rounds: int) -> None:
    """Let every listener read what has arrived so far: each socket that can be read gets a turn,
    and up to `rounds` of them within `FURTHER_ROUNDS`; other tasks get as many turns."""
    until = trio.current_time() + FURTHER_ROUNDS
    for done in range(rounds):
        if done and trio.current_time() > until:
            return
        await trio.lowlevel.checkpoint()
        for reader in [*_running()]:
            await reader.finish_round()


class SharedReader(Generic[PeerT]):
    """Reads all added peers while `run` runs. Calls `over` once for each peer that is no longer
    read, with the error, if any, and also for the rest at the end."""

    def __init__(self, over: Callable[[PeerT, Exception | None], None]) -> None:
        assert system.EPOLL is not None
        self._over = over
        self._epoll = system.EPOLL()
        self._peers: dict[int, PeerT] = {}
        self._guest_epoll = system.EPOLL()  # the other watches it
        self._epoll.register(self._guest_epoll.fileno(), system.READABLE)
        self._guests: dict[int, PeerT] = {}
        """Peers that are introduced, each by a task; their sockets are in `_guest_epoll`."""
        self._waiting: dict[int, trio.lowlevel.Task] = {}
        self._woken: set[int] = set()  # rescheduled tasks that have not run yet
        self._queue: deque[int] = deque()  # next turns
        self._queued: set[int] = set()
        self._paused: list[tuple[float, int, int, PeerT]] = []  # a heap
        self._turns = 0  # given so far
        self._round = 0  # when this many were given, all that the last poll found have had one
        self._next_poll = 0.0  # at the latest (`perf_counter`)
        self._number = count()

    def add(self, fd: int, peer: PeerT) -> None:
        """Start to read this socket."""
        self._forget_guest(fd)
        self._epoll.register(fd, system.READABLE)
        self._peers[fd] = peer

    async def wait(self, fd: int, peer: PeerT) -> None:
        """Return when this socket can be read. Always a checkpoint.

        Raises `trio.ClosedResourceError` at `forget`, `trio.BusyResourceError` if another task
        waits, and `OSError` at a limit of the system.
        """
        if self._epoll.closed:
            await trio.lowlevel.wait_readable(fd)
            return
        if fd in self._waiting:
            raise trio.BusyResourceError("another task waits for this socket")
        if self._guests.get(fd) is not peer:
            self._guest_epoll.register(fd, system.READABLE)
            self._guests[fd] = peer
        self._waiting[fd] = trio.lowlevel.current_task()

        def abort(_: object) -> trio.lowlevel.Abort:
            del self._waiting[fd]
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(abort)
        self._woken.discard(fd)
        if self._guests.get(fd) is not peer:
            raise trio.ClosedResourceError("this socket is being closed")

    def _wake_guests(self) -> None:
        """Reschedule tasks whose sockets can be read. If no task waits for one, stop to watch it
        until `wait` is called."""
        for fd, _ in self._guest_epoll.poll(0, WOKEN_AT_ONCE):
            if (task := self._waiting.pop(fd, None)) is not None:
                self._woken.add(fd)
                trio.lowlevel.reschedule(task)
            elif fd not in self._woken:
                self._forget_guest(fd)

    def _forget_guest(self, fd: int) -> None:
        if self._guests.pop(fd, None) is None:
            return
        self._woken.discard(fd)
        with contextlib.suppress(FileNotFoundError):  # it was closed before
            self._guest_epoll.unregister(fd)
        if (task := self._waiting.pop(fd, None)) is not None:
            trio.lowlevel.reschedule(task)

    def forget(self, fd: int, failure: Exception | None = None) -> None:
        """Stop to read this socket; call before closing it. A second call does nothing."""
        self._forget_guest(fd)
        peer = self._peers.pop(fd, None)
        if peer is not None:
            self._queued.discard(fd)
            self._stop(fd)
            self._over(peer, failure)

    def pause(self, fd: int, until: float) -> None:
        """Do not read this socket before that time (s)."""
        # Unregistered, not masked: epoll reports a reset regardless of the mask, in a loop.
        self._queued.discard(fd)
        self._stop(fd)
        heapq.heappush(self._paused, (until, next(self._number), fd, self._peers[fd]))

    def _stop(self, fd: int) -> None:
        with contextlib.suppress(FileNotFoundError):  # it is paused
            self._epoll.unregister(fd)

    async def run(self) -> None:
        """Read, until cancelled."""
        running = _running()
        running.add(self)
        try:
            while True:
                if self._queue:
                    await trio.lowlevel.checkpoint()
                elif self._paused:
                    with trio.CancelScope(deadline=self._paused[0][0]):
                        await trio.lowlevel.wait_readable(self._epoll.fileno())
                else:
                    await trio.lowlevel.wait_readable(self._epoll.fileno())
                self._work()
        finally:
            running.discard(self)
            for fd in [*self._peers]:
                self.forget(fd)
            for fd in [*self._guests]:
                self._forget_guest(fd)
            self._queue.clear()
            self._epoll.close()
            self._guest_epoll.close()

    def _work(self) -> None:
        now, began = trio.current_time(), perf_counter()
        if self._paused:
            self._resume(now)
        queue, queued, peers = self._queue, self._queued, self._peers
        stalled = stall(now)
        if stalled or self._turns >= self._round or began > self._next_poll:
            self._poll(now - stalled if stalled else None)
            self._round, self._next_poll = self._turns + len(queue), began + POLL_INTERVAL
        until = began + WAKE_TIME
        while queue:
            fd = queue.popleft()
            self._turns += 1
            if fd not in queued:
                continue  # forgotten in the meantime
            queued.remove(fd)
            try:
                if peers[fd].turn():
                    queued.add(fd)
                    queue.append(fd)
            except Exception as error:  # noqa: BLE001 (it ends one connection, and is reported)
                self.forget(fd, error)
            if perf_counter() > until:
                break

    async def finish_round(self) -> None:
        """Return when every socket that can be read now has had a turn."""
        if self not in _running():
            return
        now = trio.current_time()
        stalled = stall(now)
        self._poll(now - stalled if stalled else None, 1 + len(self._peers))
        last = self._turns + len(self._queue)
        while self._turns < last and self._queue:
            await trio.lowlevel.checkpoint()

    def _poll(self, stalled_since: float | None, most: int = AT_ONCE) -> None:
        """Queue sockets that can be read. All that waited during a stall is found at once, as its
        reading may take many turns."""
        queue, queued, peers = self._queue, self._queued, self._peers
        if stalled_since is not None:
            most = 1 + len(peers)
        guests = self._guest_epoll.fileno()
        for fd, _ in self._epoll.poll(0, most):
            if fd == guests:
                self._wake_guests()
                continue
            if fd not in queued:
                queued.add(fd)
                queue.append(fd)
            if stalled_since is not None:
                peers[fd].found_after_stall(stalled_since)

    def _resume(self, now: float) -> None:
        while self._paused and self._paused[0][0] <= now:
            _, _, fd, peer = heapq.heappop(self._paused)
            if self._peers.get(fd) is peer:
                try:
                    self._epoll.register(fd, system.READABLE)
                except OSError as error:  # a limit of the system
                    self.forget(fd, error)
