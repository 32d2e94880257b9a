"""Openings: with what a game begins, from the books that engine testers use.

An `Opening` is a start and the moves from there. A `BookFile` says which file of which format, in
which order and from which number on; `open_book` indexes it, in a worker thread, and `draw_opening`
gives the opening of a number, always the same one. Entries are judged by the rules of the game when
they are drawn, as books have millions; one that cannot be played is told with its line, and the
next is taken.

* `opening`: what a book gives, and its errors.
* `book`: a book of any format. `worker`: the same in worker threads. `queue`: openings that are
  drawn before they are needed.
* `formats`: which there are, and how a file of another one is noticed. `epd`, `pgn`, `polyglot`:
  each reads one. A new one is a module here, a row in `formats` and one in `book`.
* `index`: where the entries of a text begin. `order`: which entry a number has.
* `judge`: whether a game can begin so.
"""

from .book import Book, BookFile, load_book
from .formats import Format, format_of
from .opening import BadEntry, BookError, Drawn, Opening
from .order import Order
from .queue import OpeningQueue
from .worker import draw_opening, open_book

__all__ = [
    "BadEntry",
    "Book",
    "BookError",
    "BookFile",
    "Drawn",
    "Format",
    "Opening",
    "OpeningQueue",
    "Order",
    "draw_opening",
    "format_of",
    "load_book",
    "open_book",
]
