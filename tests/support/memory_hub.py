"""A hub in this process, whose every fault is scripted: for tests of all that stands on a bus."""

import math
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count

import trio

from ulci_server.bus import HubError

Fate = Callable[[str, str], Iterable[float]]
"""What becomes of the next payload from one channel's connection to another channel: the delays in
s of its copies. ``()`` drops it, ``(0, 0)`` doubles it, ``(0.3,)`` lets others overtake it."""


def deliver(sender: str, receiver: str) -> Iterable[float]:
    """The fate of a payload on a hub without faults."""
    return (0.0,)


class MemoryHub:
    """Connections by channel. `fate` may be set at any time."""

    def __str__(self) -> str:
        return "the memory hub"

    def __init__(self, fate: Fate = deliver) -> None:
        self.fate = fate
        self._connections: dict[str, set[MemoryConnection]] = {}
        self._cut: set[str] = set()
        self._parted: set[frozenset[str]] = set()
        self._up = True
        self._thawed = trio.Event()
        self._thawed.set()

    @asynccontextmanager
    async def connect(self, channel: str) -> AsyncIterator["MemoryConnection"]:
        """As in `Hub`."""
        await self._thawed.wait()
        await trio.lowlevel.checkpoint()
        if not self._up or channel in self._cut:
            raise HubError(UNREACHABLE)
        connection = MemoryConnection(self, channel)
        self._connections.setdefault(channel, set()).add(connection)
        try:
            yield connection
        finally:
            connection.end("closed here")
            self._connections[channel].discard(connection)

    def stop(self) -> None:
        """End the hub, as by a restart: all connections and what was under way are lost."""
        self._up = False
        for channel in self._connections:
            self._end(channel)

    def start(self) -> None:
        """Begin anew after `stop`."""
        self._up = True

    def freeze(self) -> None:
        """Answer nobody from now on, and deliver nothing."""
        self._thawed = trio.Event()

    def thaw(self) -> None:
        """Go on where `freeze` stopped."""
        self._thawed.set()

    def cut(self, channel: str) -> None:
        """Part the run that hears this channel from the hub: it notices."""
        self._cut.add(channel)
        self._end(channel)

    def mend(self, channel: str) -> None:
        """Undo `cut`."""
        self._cut.discard(channel)

    def part(self, one: str, other: str) -> None:
        """Drop whatever these two publish to each other; nobody notices."""
        self._parted.add(frozenset((one, other)))

    def heal(self) -> None:
        """Undo every `part`."""
        self._parted.clear()

    def inject(self, channel: str, payload: bytes) -> int:
        """Publish as a foreign program would. Returns how many connections it reached."""
        return self._deliver("", channel, payload)

    def _end(self, channel: str) -> None:
        for connection in self._connections.get(channel, ()):
            connection.end(UNREACHABLE)

    def _deliver(self, sender: str, channel: str, payload: bytes) -> int:
        connections = self._connections.get(channel, set())
        connections = {connection for connection in connections if not connection.ended}
        if frozenset((sender, channel)) not in self._parted:
            for delay in self.fate(sender, channel):
                for connection in connections:
                    connection.put(payload, delay)
        return len(connections)

    async def publish(
        self, connection: "MemoryConnection", frames: Sequence[tuple[str, bytes]]
    ) -> list[int]:
        await trio.lowlevel.checkpoint()
        await self._thawed.wait()
        receivers = []
        for channel, payload in frames:
            if connection.ended:
                raise HubError(connection.ended)
            receivers.append(self._deliver(connection.channel, channel, payload))
        return receivers

    async def wait_thawed(self) -> None:
        await self._thawed.wait()


UNREACHABLE = "the memory hub is down, or this run is cut off from it"


class MemoryConnection:
    """As `HubConnection`."""

    def __init__(self, hub: MemoryHub, channel: str) -> None:
        self.channel = channel
        self.ended = ""
        self._hub = hub
        self._due: list[tuple[float, int, bytes]] = []
        self._order = count()
        self._changed = trio.Event()

    def put(self, payload: bytes, delay: float) -> None:
        heappush(self._due, (trio.current_time() + delay, next(self._order), payload))
        self._changed.set()

    def end(self, why: str) -> None:
        self.ended = self.ended or why
        self._changed.set()

    async def publish(self, frames: Sequence[tuple[str, bytes]]) -> list[int]:
        return await self._hub.publish(self, frames)

    async def receive(self) -> Sequence[bytes]:
        await trio.lowlevel.checkpoint()
        while True:
            await self._hub.wait_thawed()
            if self.ended:
                raise HubError(self.ended)
            now = trio.current_time()
            ready = []
            while self._due and self._due[0][0] <= now:
                ready.append(heappop(self._due)[2])
            if ready:
                return ready
            self._changed = trio.Event()
            with trio.move_on_at(self._due[0][0] if self._due else math.inf):
                await self._changed.wait()
