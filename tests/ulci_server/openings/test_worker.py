"""Books in worker threads."""

from pathlib import Path

import pytest
import trio

from tests.support.books import epd, fens
from ulci.rules import GAMES, Rules
from ulci_server.openings import BookError, BookFile, Format, draw_opening, open_book
from ulci_server.openings.index import Pulse


async def test_a_book_is_opened_and_drawn_from_beside_the_loop(tmp_path: Path) -> None:
    book = await open_book(epd(tmp_path / "book.epd", fens(3)), GAMES["chess"])
    assert (await draw_opening(book, 2)).opening.start == fens(3)[2]


async def test_what_is_wrong_with_a_book_is_raised(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="No such file"):
        await open_book(BookFile(tmp_path / "none", Format.EPD), GAMES["chess"])


async def test_indexing_ends_when_it_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal to end needs not wait for a large book."""

    def endless(file: BookFile, rules: Rules, pulse: Pulse) -> None:
        while True:
            pulse()

    monkeypatch.setattr("ulci_server.openings.worker.load_book", endless)
    with trio.CancelScope() as scope:
        scope.cancel()
        await open_book(epd(tmp_path / "book.epd", fens(3)), GAMES["chess"])
    assert scope.cancelled_caught
