"""Takes a snapshot of a running game, at whichever server it is played."""

from typing import NamedTuple

import trio

from ulci.protocol.messages import FromServer, Lobby
from ulci_server.hall.table.spectators import WatchedTable
from ulci_server.hall.table.state import TableState
from ulci_server.storage import GameRecord

from .answers import SiteContext

NO_ANSWER = 2.0
"""How long (s) to wait for the game's state from the server that plays it."""


RECORD_LOOKS, RECORD_PAUSE = 20, 0.1
"""How often to check whether the beginning of a game is recorded, and the pause between two checks
(s)."""


class GameSnapshot(NamedTuple):
    """A running game. moves: those that spectators know. state: None if its server does not
    answer."""

    table: WatchedTable
    moves: tuple[str, ...]
    state: TableState | None


class _Look:
    """Watches a table until its first message."""

    def __init__(self) -> None:
        self.over = trio.Event()

    def tell(self, *_: FromServer) -> None:
        self.over.set()

    def hear_chat(self, _: Lobby) -> None:
        """It does not show how the game stands."""

    def stop_watching(self) -> None:
        self.over.set()

    def watch(self, _: WatchedTable) -> None:
        self.over.set()


async def look(context: SiteContext, number: int) -> GameSnapshot | None:
    """A running game as it is now; None if it does not run. If another server plays it and nobody
    here watches it, this function asks that server. All requests that wait for its answer resume in
    turns."""
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
    """The record of a game; None if there is none. This function waits for the record of a game
    that begins at this moment, here or at another server."""
    for look_number in range(RECORD_LOOKS):
        game = await context.archive.record(number)
        if game is not None or context.hall.find_table(number) is None:
            return game
        if look_number:  # another server plays it
            await trio.sleep(RECORD_PAUSE)
        else:
            with trio.move_on_after(RECORD_LOOKS * RECORD_PAUSE):
                await context.journal.drain()
            await context.turns.take()  # one commit records many games
    return None
