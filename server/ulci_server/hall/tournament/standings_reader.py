"""Standings for players, made in a thread from what is stored.

A thousand entrants take longer than the loop may be held, and the tournament that its director
changes must not be read in a thread meanwhile.
"""

from collections.abc import Sequence
from functools import partial

import trio

from ulci.protocol.messages import Lobby as Line
from ulci_server.lobby import lobby_lines
from ulci_server.storage import StorageError, StoredTournament

from .director import Director
from .rows import rebuilt
from .tools import Tools

MOST_LISTED = 500
"""Lines of standings in one answer."""


class StandingsReader:
    """Whoever asks while they are made gets the same answer; a version is made once."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._asking: dict[int, dict[str, None]] = {}
        self._made: dict[int, tuple[int, Sequence[Line]]] = {}
        self._asked = trio.Event()
        self._directors: dict[int, Director] = {}

    def ask(self, director: Director, handle: str) -> None:
        """Tell that client the standings."""
        self._directors[director.number] = director
        self._asking.setdefault(director.number, {})[handle] = None
        self._asked.set()

    async def run(self) -> None:
        """Answer, one tournament after the other, for ever."""
        while True:
            await self._asked.wait()
            self._asked = trio.Event()
            while self._asking:
                number, handles = self._asking.popitem()
                await self._answer(self._directors.pop(number), handles)

    async def _answer(self, director: Director, handles: dict[str, None]) -> None:
        what = f"standings {director.word}"
        try:
            lines = await self._lines(director)
        except StorageError:
            refusal = lobby_lines.error("database", "the database does not answer")
            for handle in handles:
                self._tools.lobby.tell_client(handle, refusal)
            return
        for handle in handles:
            self._tools.lobby.tell_lines(handle, what, partial(list, lines))

    async def _lines(self, director: Director) -> Sequence[Line]:
        version, made = director.version, self._made.get(director.number)
        if made is not None and made[0] == version:
            return made[1]
        stored = await self._tools.in_thread(partial(self._tools.store.stored, director.number))
        lines: Sequence[Line] = ()
        if stored is not None:
            lines = await self._tools.in_thread(partial(_standings, director.word, stored))
        self._made = {director.number: (version, lines)}
        return lines


def _standings(word: str, stored: StoredTournament) -> Sequence[Line]:
    entries = rebuilt(stored).now().entries[:MOST_LISTED]
    return [
        lobby_lines.standing(word, each.rank, each.name, each.points, each.tally.games.total)
        for each in entries
    ]
