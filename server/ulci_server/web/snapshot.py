"""Looks at a running game once, wherever it is played."""

from typing import NamedTuple

import trio

from ulci.protocol.messages import FromServer
from ulci_server.hall.table.spectators import WatchedTable
from ulci_server.hall.table.state import TableState
from ulci_server.storage import GameRecord

from .answers import SiteContext

NO_ANSWER = 2.0
"""Seconds for the server that plays the game to say how it stands."""


RECORD_LOOKS, RECORD_PAUSE = 20, 0.1
"""How often is looked whether the beginning of a game is recorded, and the s between two looks."""


class GameSnapshot(NamedTuple):
    """The game, the moves that spectators know, and its state; None: its server does not answer."""

    table: WatchedTable
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

    def watch(self, _: WatchedTable) -> None:
        self.over.set()


async def look(context: SiteContext, number: int) -> GameSnapshot | None:
    """A running game as it is now; None if it does not run. Its server is asked if it is another
    one, and nobody here watches the game; all who wait for its answer go on in turns."""
    table = context.hall.find_table(number)
    if table is None:
        return None
    watcher = _Look()
    if table.state() is None:
        table.watch(watcher)
        with trio.move_on_after(NO_ANSWER):
            await watcher.over.wait()
        await context.turns.take()
    try:
        position = table.spectators.position
        moves = table.started.opening if position is None else tuple(position.moves)
        return GameSnapshot(table, moves, table.state())
    finally:
        table.unwatch(watcher)


async def recorded(context: SiteContext, number: int) -> GameRecord | None:
    """The record of a game; None if there is none. A game that begins at this moment, here or at
    another server, may not be recorded yet: that is waited for."""
    for look_number in range(RECORD_LOOKS):
        game = await context.archive.record(number)
        if game is not None or context.hall.find_table(number) is None:
            return game
        if look_number:  # another server plays it
            await trio.sleep(RECORD_PAUSE)
        else:
            with trio.move_on_after(RECORD_LOOKS * RECORD_PAUSE):
                await context.journal.drain()
            await context.turns.take()  # a commit is many games' at once
    return None
