"""The opening of a number: of the tournament's own book, or of its pool."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ulci_server.lobby import Pool
from ulci_server.openings import Book, Opening, draw_opening
from ulci_server.tournament import TournamentSettings

_FOLDER = re.compile(r"/\S*/")


class Openings:
    """pool: whose games are played. books: of the pools that have one. book: opens the
    tournament's own; None: it has none.
    """

    def __init__(self, pool: Pool, books: Mapping[str, Book], book: Book | None) -> None:
        self._starts = pool.starts
        self._book = book or books.get(pool.name)

    async def draw(self, number: int) -> Opening:
        """The opening of that number, from 0. Raises `BookError`."""
        if self._book is not None:
            return (await draw_opening(self._book, number)).opening
        return Opening(self._starts[number % len(self._starts)])


OpenBook = Callable[[], Book]


def without_folder(why: str, settings: TournamentSettings) -> str:
    """What is wrong with the book, the tournament's or its pool's, for everybody: it does not show
    where on the server that is."""
    if settings.openings is not None:
        path = Path(settings.openings.file)
        for written in (settings.openings.file, str(path)):
            why = why.replace(written, path.name)
    return _FOLDER.sub("", why)
