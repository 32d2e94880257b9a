"""A book: a file, the game that it is for, and the order in which its openings are played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ulci.rules import Rules
from ulci.rules.starts import MOST_PLIES

from .epd import read_epd, scan_lines
from .formats import Format
from .index import Pulse, Scan, make_index
from .opening import BadEntry, BadRunError, BookError, Drawn, Opening, UnplayableError
from .order import Order, entry
from .pgn import read_pgn, scan_games
from .polyglot import GAMES, PolyglotFile

MOST_BAD = 100
"""Bad entries in a row that are left out: a book of another game has no good entry at all."""


@dataclass(frozen=True, slots=True)
class BookFile:
    """The settings of a book.

    plies: at most so many moves of an entry; None: as many as an opening may have, which is never
    exceeded (`ulci.rules.starts.MOST_PLIES`). start: the first entry in this order, from
    1; beyond the end of the book it begins again. seed: of the random order, and of the walks
    through a Polyglot book.
    """

    path: Path
    format: Format
    order: Order = Order.SEQUENTIAL
    plies: int | None = None
    start: int = 1
    seed: int = 0

    @property
    def most_plies(self) -> int:
        return MOST_PLIES if self.plies is None else min(self.plies, MOST_PLIES)


class Book(Protocol):
    """Openings by number. A book reads files, so use it in a worker thread (`worker`); any number
    of threads may draw at once."""

    @property
    def file(self) -> BookFile: ...

    @property
    def size(self) -> int | None:
        """How many entries the book has; None if it makes openings by chance."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the file, in hex: it shows whether the book is still the same file."""
        ...

    def draw(self, number: int) -> Drawn:
        """The opening of this number, from 0; a number always gives the same opening. If an entry
        is no opening, the next one of the order is taken, so that two numbers may share an opening.

        Raises:
            BookError: the file was changed.
            BadRunError: too many entries in a row are bad.
        """
        ...


def load_book(file: BookFile, rules: Rules, pulse: Pulse = lambda: None) -> Book:
    """Open a book and index it: some 4 s for five million lines. `pulse` is called every 64 kB, and
    may raise to give up.

    Raises:
        BookError: the file is missing, empty, of another format, or not of this game.
    """
    if file.format is Format.POLYGLOT:
        return WalkedBook(file, rules, pulse)
    return IndexedBook(file, rules, pulse)


Read = Callable[[Rules, str, int], Opening]

_TEXTS: Mapping[Format, tuple[Scan, Read]] = {
    Format.EPD: (scan_lines, read_epd),
    Format.PGN: (scan_games, read_pgn),
}


class IndexedBook:
    """A text of many entries."""

    def __init__(self, file: BookFile, rules: Rules, pulse: Pulse) -> None:
        """Raises as `load_book`."""
        scan, self._read = _TEXTS[file.format]
        self.file, self._rules = file, rules
        self._index = make_index(file.path, file.format, scan, pulse)

    @property
    def size(self) -> int | None:
        return len(self._index)

    @property
    def digest(self) -> str:
        return self._index.digest

    def draw(self, number: int) -> Drawn:
        skipped: list[BadEntry] = []
        for each in range(number, number + min(MOST_BAD, len(self._index))):
            place = entry(
                self.file.order, self.file.start - 1 + each, len(self._index), self.file.seed
            )
            found = self._entry(place)
            if isinstance(found, Opening):
                return Drawn(each, found, tuple(skipped))
            skipped.append(found)
        why = _all_bad(self.file.path, self._rules, skipped)
        raise BadRunError(why, number + len(skipped))

    def _entry(self, place: int) -> Opening | BadEntry:
        try:
            return self._read(self._rules, self._index.text(place), self.file.most_plies)
        except UnplayableError as error:
            line = self._index.line(place) + error.line
            return BadEntry(str(self.file.path), line, str(error))


class WalkedBook:
    """A Polyglot book: as many openings as are asked for. The order does not matter, as chance
    decides every move."""

    size = None

    def __init__(self, file: BookFile, rules: Rules, pulse: Pulse) -> None:
        """Raises as `load_book`."""
        if rules.name not in GAMES:
            raise BookError(
                f"the book {file.path} is a Polyglot book, and there are none of {rules.name}"
            )
        self.file, self._rules = file, rules
        self._entries = PolyglotFile(file.path, pulse)
        if not self._entries.walk(rules, 1, 0, 0).moves:
            raise BookError(f"the book {file.path} has no move for the start of the game")

    @property
    def digest(self) -> str:
        return self._entries.digest

    def draw(self, number: int) -> Drawn:
        file = self.file
        walked = self._entries.walk(self._rules, file.most_plies, file.seed, file.start + number)
        return Drawn(number, walked)


def _all_bad(path: Path, rules: Rules, skipped: list[BadEntry]) -> str:
    first = skipped[0]
    return (
        f"no opening of {rules.name} is found in the book {path}: {len(skipped)} entries in a row"
        f" cannot be played, the first of them in line {first.line}: {first.why}"
    )
