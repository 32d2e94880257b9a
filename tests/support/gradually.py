"""A hall whose background work is done when a test wants it."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any


class Hall:
    """Its tables are whatever a test puts there."""

    def __init__(self) -> None:
        self.tables: dict[int, Any] = {}
        self.tasks: list[Callable[[], Awaitable[None]]] = []
        self.pieces: list[Callable[[], None]] = []

    def all_tables(self) -> list[Any]:
        return [*self.tables.values()]

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        self.tasks.append(task)

    def begin_gradually(self, pieces: Iterable[Callable[[], None]]) -> None:
        self.pieces.extend(pieces)

    async def run_tasks(self) -> None:
        """Run what was started, to its end."""
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            await task()
