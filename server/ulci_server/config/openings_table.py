"""The book of a pool, opened before anybody plays from it."""

import secrets
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, PrivateAttr

from ulci.rules import Rules
from ulci.rules.starts import MOST_PLIES
from ulci.settings import SettingsTable, toml
from ulci_server.openings import Book, BookFile, Format, Order, format_of, load_book

from .fields import FilePath

SEEDS = 2**32
"""The server chooses one of so many seeds if none is set."""

Word = TypeVar("Word", bound=StrEnum)


def _one_of(words: type[Word]) -> Callable[[Any], Word]:
    def read(said: Any) -> Word:
        if said not in [*words]:
            raise ValueError(f"expected one of {', '.join(words)}, found {toml(said)}")
        return words(said)

    return read


class OpeningsTable(SettingsTable):
    """A book, of which each pair of games draws the next opening."""

    file: FilePath
    """A text of FENs or EPDs, games in PGN, or a Polyglot book."""
    format: Annotated[Format, BeforeValidator(_one_of(Format))] | None = None
    """None: as the name of the file ends."""
    order: Annotated[Order, BeforeValidator(_one_of(Order))] = Order.RANDOM
    """The order of the openings; in each, all are played once before any is played again."""
    plies: Annotated[int, Field(ge=1, le=MOST_PLIES)] | None = None
    """At most so many moves of an opening, both sides'; None: all."""
    start: Annotated[int, Field(ge=1)] = 1
    """The first entry in this order."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """The seed of the random order; None: another one at each start of the server."""

    _book: Book | None = PrivateAttr(default=None)

    @property
    def book(self) -> Book:
        """The book, once it is open."""
        assert self._book is not None
        return self._book

    def open(self, rules: Rules) -> None:
        """Index the book, and draw its first opening: some 4 s for five million lines.

        Raises:
            BookError: the file is missing, empty or of another format, or has no opening of this
                game.
        """
        form = self.format or format_of(self.file)
        if form is None:
            words = ", ".join(Format)
            raise ValueError(
                f"the name of {self.file} does not tell its format: say one of {words}"
            )
        seed = secrets.randbelow(SEEDS) if self.seed is None else self.seed
        file = BookFile(self.file, form, self.order, self.plies, self.start, seed)
        book = load_book(file, rules)
        book.draw(0)
        self._book = book
