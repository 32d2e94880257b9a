"""The book of a match: the same file, with the same content, from its first game to its last.

The openings of a match follow from its seed and its book. If the book were another one in a later
run, the second game of a pair could have another opening than the first.
"""

import trio

from ulci.rules import Rules
from ulci_server.match import Past
from ulci_server.openings import Book, BookError, BookFile, open_book
from ulci_server.storage import Database


async def open_match_book(file: BookFile, rules: Rules, past: Past, database: Database) -> Book:
    """The book; its digest is kept with the match until games have begun.

    Raises:
        BookError: it cannot be used, or is not the one that earlier games were played from.
        StorageError: the digest cannot be kept.
    """
    book = await open_book(file, rules)
    kept = past.kept
    if book.digest != kept.book:
        if kept.book and (past.ended or past.running):
            raise BookError(
                f"the book {file.path} was changed since the match began, and its openings are"
                " others now: put the file back as it was, or begin a new match with another"
                " database by -db FILE"
            )
        await trio.to_thread.run_sync(database.tournaments.keep_book, kept.id, book.digest)
    return book
