"""Openings of games, from the books that engine testers use.

An `Opening` is a start and the moves from there. A `BookFile` names the file, its format, the order
and the first number; `open_book` indexes it in a worker thread, and `draw_opening` gives the
opening of a number, always the same one. The rules of the game judge an entry when it is drawn,
because books have millions of entries; an entry that cannot be played is reported with its line,
and the next one is taken.

* `opening`: an opening, and the errors of a book.
* `book`: a book of any format. `worker`: books in worker threads. `queue`: openings that are drawn
  before they are needed.
* `formats`: the formats, and how to detect a file of another one. `epd`, `pgn`, `polyglot`: each
  reads one format. A new one is a module here, a row in `formats` and one in `book`.
* `index`: where the entries of a text begin. `order`: the entry of each number.
* `judge`: whether a game can begin with a start and moves.
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
