"""Books in worker threads: neither indexing nor drawing holds the event loop."""

import trio

from ulci.rules import Rules

from .book import Book, BookFile, load_book
from .opening import Drawn


async def open_book(file: BookFile, rules: Rules) -> Book:
    """`load_book` in a worker thread; ends early when cancelled. Raises BookError."""
    return await trio.to_thread.run_sync(load_book, file, rules, trio.from_thread.check_cancelled)


async def draw_opening(book: Book, number: int) -> Drawn:
    """`Book.draw` in a worker thread. Raises BookError."""
    return await trio.to_thread.run_sync(book.draw, number)
