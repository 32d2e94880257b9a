"""The opening explorer: the moves that were played in a position, and the results of those games.

A game that ends costs nothing, because nothing is written for it. The first question reads the
newest games, page by page in a thread that rests as long as it works; later questions read the
games that have ended since. The explorer keeps one line of moves for each game, in alphabetical
order: games with the same beginning are adjacent, and a question reads only those. A position is
known by the moves that led to it, so transpositions count as other positions.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import trio

from ulci_server.storage import Database, GameRecord, StorageError
from ulci_server.web.archive import Archive
from ulci_server.web.documents import Document
from ulci_server.web.played_moves import Resting

MOST_GAMES = 10_000
"""Games in the explorer, the newest ones: 3 MB."""

FIRST_PLIES = 24
"""Plies of each game in the explorer."""

LOOKED_AT = 30
"""Facts of a game that are read to find its first plies: some facts are no moves."""

PAGE = 50
"""Games in one read of the database: 3 ms."""

KNOWN_PAGES = 4
"""Pages without a new game after which the explorer reads no older ones. One is not enough, because
games do not end in the order in which they begin."""

OLD_AFTER = 30.0
"""Seconds between two updates."""

PATIENCE = 1.0
"""Seconds that a question waits for an update."""

MOST_MOVES = 40
"""Moves in an answer, the most frequent ones."""

END, FIELD = "\x1e", "\x1f"
"""The separators of a line: before the result, and after the rules and the start. No move has
them."""


class Explored(NamedTuple):
    """A move, with the numbers of games that White won, that were drawn, and that Black won."""

    move: str
    white: int
    drawn: int
    black: int

    @property
    def games(self) -> int:
        return self.white + self.drawn + self.black


class Explorer:
    """The explorer of one site."""

    def __init__(self, database: Database, archive: Archive) -> None:
        self._database = database
        self._archive = archive
        self.lines: list[str] = []
        """The `line_of` each game, sorted."""
        self._known: dict[int, str] = {}
        self._failure: StorageError | None = None
        self._is_read = trio.Event()
        self._wanted = trio.Event()

    async def run(self) -> None:
        """Read games when somebody asks, for ever."""
        while True:
            await self._wanted.wait()
            try:
                await self.read()
                self._failure = None
            except StorageError as failure:  # the next question raises it
                self._failure = failure
            self._is_read.set()
            await trio.sleep(OLD_AFTER)
            self._wanted, self._is_read = trio.Event(), trio.Event()

    async def explored(
        self, rules: str, start: str | None, moves: Sequence[str]
    ) -> tuple[list[Explored], bool]:
        """The moves that were played after `moves`, the most frequent first; and whether all games
        have been read. Raises `StorageError`."""
        self._wanted.set()
        with trio.move_on_after(PATIENCE):
            await self._is_read.wait()
        if self._failure is not None:
            raise StorageError(str(self._failure))
        found = await self._archive.ask(lambda: explored(self.lines, rules, start, moves))
        return found[:MOST_MOVES], self._is_read.is_set()

    async def read(self) -> None:
        """Read the games that have ended since the last update. Raises `StorageError`."""
        before: int | None = None
        unchanged = read = 0
        while unchanged < KNOWN_PAGES and read < MOST_GAMES:
            games, new = await self._archive.ask(partial(self._page, before))
            unchanged = 0 if new else unchanged + 1
            read += len(games)
            if new:
                self._known.update(new)
            if len(games) < PAGE:
                break
            before = games[-1].id
        if len(self._known) != len(self.lines) or unchanged == 0:
            self.lines = await self._archive.ask(self._sorted)

    # In a worker thread

    def _page(self, before: int | None) -> tuple[list[GameRecord], dict[int, str]]:
        games = self._database.games.find(running=False, before=before, limit=PAGE)
        new = [game for game in games if game.id not in self._known]
        resting = Resting()
        found = self._database.games.beginnings([game.id for game in new], LOOKED_AT)
        resting.rest()
        return games, {
            game.id: line_of(game, [*game.opening, *found[game.id]][:FIRST_PLIES]) for game in new
        }

    def _sorted(self) -> list[str]:
        for number in sorted(self._known)[: max(0, len(self._known) - MOST_GAMES)]:
            del self._known[number]
        return sorted(self._known.values())


def line_of(game: GameRecord, moves: Sequence[str]) -> str:
    """``rules FIELD start FIELD e2e4 e7e5 END 1-0``; without moves if the game has no result."""
    shown = moves if game.result != "*" else ()
    return (
        f"{_begin(game.rules, game.start)}{''.join(f'{move} ' for move in shown)}{END}{game.result}"
    )


def _begin(rules: str, start: str | None) -> str:
    return f"{rules}{FIELD}{start or ''}{FIELD}"


def explored(
    lines: Sequence[str], rules: str, start: str | None, moves: Sequence[str]
) -> list[Explored]:
    """The moves that were played after `moves`, the most frequent first."""
    prefix = _begin(rules, start) + "".join(f"{move} " for move in moves)
    counts: dict[str, Counter[str]] = {}
    for move, result in _next(lines, prefix):
        counts.setdefault(move, Counter())[result] += 1
    found = [Explored(move, of["1-0"], of["1/2-1/2"], of["0-1"]) for move, of in counts.items()]
    return sorted(found, key=lambda each: (-each.games, each.move))


def _next(lines: Sequence[str], prefix: str) -> Iterator[tuple[str, str]]:
    """The next move and the result of each line that begins with `prefix`."""
    resting = Resting()
    for number in range(bisect_left(lines, prefix), len(lines)):
        line = lines[number]
        if not line.startswith(prefix):
            return
        move, _, rest = line[len(prefix) :].partition(" ")
        if rest:
            yield move, rest.rpartition(END)[2]
        if not number % 500:
            resting.rest()


def explored_document(found: Sequence[Explored], names: dict[str, str]) -> list[Document]:
    """The moves as JSON. names: the moves in the notation of the game."""
    return [
        {
            "move": each.move,
            "san": names.get(each.move, each.move),
            "games": each.games,
            "white": each.white,
            "drawn": each.drawn,
            "black": each.black,
        }
        for each in found
    ]
