"""Openings of a book, and the faults of entries that are none."""

from dataclasses import dataclass


class BookError(ValueError):
    """The book cannot be used. The text is one sentence that names the file."""


class BadRunError(BookError):
    """Too many entries in a row are no openings. `after`: the number of the one after them."""

    def __init__(self, why: str, after: int) -> None:
        super().__init__(why)
        self.after = after


class UnplayableError(ValueError):
    """An entry is no opening of the game. `line`: of the entry's lines the one at fault, from 0."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


@dataclass(frozen=True, slots=True)
class Opening:
    """A start as in ``position`` (None: the usual one of the game), and the moves from there, in
    their canonical spelling. All are legal, and the game goes on after the last."""

    start: str | None = None
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BadEntry:
    """An entry that was left out: its first faulty line in the file, from 1, and why."""

    book: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.book}, line {self.line}: {self.why}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The opening, the number by which it would be drawn at once, and the entries before it that
    had to be left out."""

    number: int
    opening: Opening
    skipped: tuple[BadEntry, ...] = ()
