"""Buses that note what they are told, over one hub."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import trio

from ulci_server.bus import Bus, Hub

KEY = "4f1c"


@dataclass
class Notes:
    """What one bus was told, in order: ``(run, message)``, ``(run, "lost")``, ``(run, "deaf")``."""

    said: list[tuple[int, bytes | str]] = field(default_factory=list)
    _changed: trio.Event = field(default_factory=trio.Event)

    def heard(self, run: int, messages: Sequence[bytes]) -> None:
        self.said += ((run, message) for message in messages)
        self._wake()

    def lost(self, run: int) -> None:
        self.said.append((run, "lost"))
        self._wake()

    def deaf(self, run: int) -> None:
        self.said.append((run, "deaf"))
        self._wake()

    def of(self, run: int) -> list[bytes | str]:
        """What was said of one run, without `deaf`."""
        return [what for other, what in self.said if other == run and what != "deaf"]

    def take(self) -> list[tuple[int, bytes | str]]:
        """All that was said since the last time."""
        taken, self.said = self.said, []
        return taken

    async def until(self, *expected: tuple[int, bytes | str]) -> None:
        """Wait until all of these were said."""
        while not set(expected) <= set(self.said):
            self._changed = trio.Event()
            await self._changed.wait()

    async def count(self, messages: int) -> None:
        """Wait until so many things were said."""
        while len(self.said) < messages:
            self._changed = trio.Event()
            await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()


class NotedBus(Bus):
    """A bus with its notes."""

    def __init__(self, hub: Hub, run: int, key: str = KEY) -> None:
        self.notes = Notes()
        super().__init__(
            hub, key, run, heard=self.notes.heard, lost=self.notes.lost, deaf=self.notes.deaf
        )


async def trouble_of(bus: Bus) -> str:
    """Wait until a bus is in trouble; what it says of it."""
    while not bus.trouble:  # noqa: ASYNC110 - operators look at it, and nobody is told
        await trio.sleep(0.01)
    return bus.trouble


async def start_buses(nursery: trio.Nursery, hub: Hub, *runs: int) -> list[NotedBus]:
    """Buses of these runs that know each other and are connected."""
    buses = [NotedBus(hub, run) for run in runs]
    for bus in buses:
        await nursery.start(bus.run)
    for bus in buses:
        for run in runs:
            bus.add(run)
    return buses
