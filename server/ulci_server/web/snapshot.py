"""Looks at a running game once, wherever it is played."""

from typing import NamedTuple

import trio

from ulci.protocol.messages import FromServer
from ulci_server.hall import Hall
from ulci_server.hall.table.interfaces import AnyTable, TableState

NO_ANSWER = 2.0
"""Seconds for the server that plays the game to say how it stands."""


class GameSnapshot(NamedTuple):
    """The game, the moves that spectators know, and its state; None: its server does not answer."""

    table: AnyTable
    moves: tuple[str, ...]
    state: TableState | None


class _Look:
    """Watches until something is told."""

    def __init__(self) -> None:
        self.over = trio.Event()

    def tell(self, *_: FromServer) -> None:
        self.over.set()

    def stop_watching(self) -> None:
        self.over.set()

    def watch(self, _: AnyTable) -> None:
        self.over.set()


async def look(hall: Hall, number: int) -> GameSnapshot | None:
    """A running game as it is now; None if it does not run. Its server is asked if it is another
    one, and nobody here watches the game."""
    table = hall.find_table(number)
    if table is None:
        return None
    watcher = _Look()
    if table.state() is None:
        table.watch(watcher)
        with trio.move_on_after(NO_ANSWER):
            await watcher.over.wait()
    try:
        position = table.spectators.position
        moves = () if position is None else tuple(position.moves)
        return GameSnapshot(table, moves, table.state())
    finally:
        table.unwatch(watcher)
