"""Numbers for new games, which the server that hosts the lobby draws from the database in
advance."""

from collections import deque
from collections.abc import Callable
from functools import partial

from ulci_server.hall import Hall
from ulci_server.storage.ownership import Ownership

from .database_queries import DatabaseQueries

NUMBERS = 100
"""Numbers drawn at once. Those not used when the lobby moves are never used."""


class GameNumbers:
    """drawn: called when there are numbers again."""

    def __init__(
        self,
        hall: Hall,
        queries: DatabaseQueries,
        ownership: Ownership,
        drawn: Callable[[], object],
    ) -> None:
        self._hall = hall
        self._queries = queries
        self._ownership = ownership
        self._drawn = drawn
        self._numbers: deque[int] = deque()
        self._drawing = False

    def next(self) -> int:
        """A number that no other game gets; 0: there is none until `drawn` is called."""
        if len(self._numbers) < NUMBERS // 2 and not self._drawing:
            self._drawing = True
            self._hall.start(self.draw)
        return self._numbers.popleft() if self._numbers else 0

    def begin_again(self) -> None:
        """A new run of this server begins: the numbers of the last run are dropped."""
        self._numbers.clear()

    async def draw(self) -> None:
        """Draw numbers. Retries while the database does not answer."""
        try:
            # Above all that this server knows: the database may have been restored from an older
            # copy.
            known = max((table.id for table in self._hall.all_tables()), default=0)
            draw = partial(self._ownership.draw_numbers, NUMBERS, known)
            self._numbers.extend(await self._queries.ask_for_ever(draw))
        finally:
            self._drawing = False
        self._drawn()
