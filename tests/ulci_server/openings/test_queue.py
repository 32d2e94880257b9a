"""Openings that are drawn before they are needed."""

from pathlib import Path

import pytest
import structlog.testing
import trio

from tests.support.books import epd, fens
from tests.support.clients import HANG
from ulci.rules import GAMES
from ulci_server.openings import Book, BookError, OpeningQueue, load_book, queue
from ulci_server.openings.book import MOST_BAD
from ulci_server.openings.queue import AHEAD

CHESS = GAMES["chess"]


def book(folder: Path, lines: list[str]) -> Book:
    return load_book(epd(folder / "book.epd", lines), CHESS)


async def filled(queue: OpeningQueue) -> None:
    """Wait until as many are ready as shall be."""
    with trio.fail_after(HANG):
        while len(queue) < AHEAD:
            await trio.lowlevel.checkpoint()


async def test_openings_come_in_the_order_of_the_book_and_begin_again(
    tmp_path: Path, nursery: trio.Nursery
) -> None:
    queue = OpeningQueue(book(tmp_path, fens(100)))
    await nursery.start(queue.run)
    drawn = []
    for _ in range(5):
        drawn += [queue.draw().start for _ in range(AHEAD // 2)]
        await filled(queue)
    assert drawn == (fens(100) * 2)[: len(drawn)]


async def test_who_draws_faster_than_the_book_gives_has_the_last_ones_again(
    tmp_path: Path, nursery: trio.Nursery
) -> None:
    queue = OpeningQueue(book(tmp_path, fens(1000)))
    await nursery.start(queue.run)
    drawn = [queue.draw().start for _ in range(2 * AHEAD + 3)]
    assert drawn == (fens(AHEAD) * 3)[: len(drawn)]


async def test_entries_that_are_no_openings_are_left_out_and_told_once(
    tmp_path: Path, nursery: trio.Nursery
) -> None:
    queue = OpeningQueue(book(tmp_path, [fens(1)[0], "nonsense", fens(2)[1]]))
    with structlog.testing.capture_logs() as logs:
        await nursery.start(queue.run)
    assert [queue.draw().start for _ in range(4)] == fens(2) * 2
    assert [(log["line"], log["log_level"]) for log in logs] == [(2, "warning")]


async def test_a_book_without_openings_is_an_error_at_the_start(tmp_path: Path) -> None:
    queue = OpeningQueue(book(tmp_path, ["nonsense"] * 3))
    with pytest.raises(BookError):
        await queue.run()


async def test_many_entries_in_a_row_that_are_no_openings_are_left_behind(
    tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "RETRY", 0.0)
    lines = [*fens(210)[:10], *["nonsense"] * MOST_BAD, *fens(210)[10:]]
    made = OpeningQueue(book(tmp_path, lines))
    with structlog.testing.capture_logs():
        await nursery.start(made.run)
        await filled(made)
        drawn = [made.draw().start for _ in range(10)]
        await filled(made)
        drawn += [made.draw().start for _ in range(AHEAD)]
    assert drawn == fens(210)[: 10 + AHEAD]


async def test_a_book_that_is_changed_meanwhile_is_told_and_its_last_openings_are_played(
    tmp_path: Path, nursery: trio.Nursery
) -> None:
    queue = OpeningQueue(book(tmp_path, fens(1000)))
    await nursery.start(queue.run)
    (tmp_path / "book.epd").write_text("")
    with structlog.testing.capture_logs() as logs:
        for _ in range(AHEAD + 10):
            assert queue.draw().start in fens(AHEAD)
        with trio.fail_after(HANG):
            while not logs:
                await trio.lowlevel.checkpoint()
    [log] = logs
    assert (log["event"], log["log_level"]) == ("openings are played again", "warning")
