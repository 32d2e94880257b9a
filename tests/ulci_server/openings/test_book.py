"""Books of text: entries by number, bad ones left out, files that are none."""

import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.books import epd, fens
from ulci.rules import GAMES
from ulci_server.openings import (
    BadEntry,
    Book,
    BookError,
    BookFile,
    Drawn,
    Format,
    Opening,
    Order,
    format_of,
    load_book,
)
from ulci_server.openings.index import CHUNK

CHESS = GAMES["chess"]


def starts(book: Book, count: int) -> list[str | None]:
    return [book.draw(number).opening.start for number in range(count)]


def test_openings_come_in_the_order_of_the_file_and_begin_again(tmp_path: Path) -> None:
    book = load_book(epd(tmp_path / "book.epd", fens(3)), CHESS)
    assert book.size == 3
    assert starts(book, 5) == [*fens(3), *fens(2)]


@pytest.mark.parametrize("start", [2, 5, 3_000_002])
def test_a_book_begins_with_the_entry_that_is_asked_for(tmp_path: Path, start: int) -> None:
    book = load_book(epd(tmp_path / "book.epd", fens(3), start=start), CHESS)
    assert starts(book, 2) == fens(3)[1:]


def test_a_random_order_has_every_entry_once_and_follows_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    first = starts(load_book(epd(path, fens(50), order=Order.RANDOM, seed=1), CHESS), 50)
    assert sorted(map(str, first)) == sorted(fens(50))
    assert first != fens(50)
    assert starts(load_book(epd(path, fens(50), order=Order.RANDOM, seed=1), CHESS), 50) == first
    assert starts(load_book(epd(path, fens(50), order=Order.RANDOM, seed=2), CHESS), 50) != first
    later = epd(path, fens(50), order=Order.RANDOM, seed=1, start=11)
    assert starts(load_book(later, CHESS), 40) == first[10:]


def test_a_bad_entry_is_told_with_its_line_and_the_next_is_taken(tmp_path: Path) -> None:
    one, two, three = fens(3)
    book = load_book(epd(tmp_path / "book.epd", ["# mine", one, "", "8/8", two, three]), CHESS)
    bad = BadEntry(
        str(tmp_path / "book.epd"),
        4,
        "the FEN has 1 field, expected 4 to 6: placement, side to move, castling, en passant,"
        " half-move clock, move number",
    )
    assert book.draw(1) == Drawn(2, Opening(two), (bad,))
    assert str(bad).startswith(f"{tmp_path}/book.epd, line 4: the FEN has 1 field")
    assert book.draw(2) == Drawn(2, Opening(two))


def test_after_a_bad_last_entry_comes_the_first(tmp_path: Path) -> None:
    book = load_book(epd(tmp_path / "book.epd", [*fens(2), "8/8"]), CHESS)
    drawn = book.draw(2)
    assert (drawn.number, drawn.opening.start) == (3, fens(1)[0])
    assert [bad.line for bad in drawn.skipped] == [3]


class Counted(io.FileIO):
    """A file that counts the bytes that are read of all such files."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        assert data is not None
        Counted.total += len(data)
        return data


def test_the_line_of_a_bad_entry_is_found_without_reading_all_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = 50_000
    book = load_book(epd(tmp_path / "book.epd", [*fens(many), "8/8"]), CHESS)
    assert (tmp_path / "book.epd").stat().st_size > 20 * CHUNK
    monkeypatch.setattr(Counted, "total", 0)
    monkeypatch.setattr("ulci_server.openings.index.open_book_file", Counted)
    assert [bad.line for bad in book.draw(many).skipped] == [many + 1]
    assert 0 < Counted.total < 2 * CHUNK


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 7, 80, 64 * 1024])
def test_lines_of_bad_entries_are_right_wherever_a_read_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, size: int
) -> None:
    monkeypatch.setattr("ulci_server.openings.index.CHUNK", size)
    text = ends.join(["# mine", "", "8/8", fens(1)[0], "", "", "8/7", "# more", "8/6"])
    (tmp_path / "book.epd").write_bytes(f"\N{BYTE ORDER MARK}{text}".encode())
    book = load_book(BookFile(tmp_path / "book.epd", Format.EPD), CHESS)
    assert [bad.line for bad in book.draw(0).skipped] == [3]
    assert [bad.line for bad in book.draw(2).skipped] == [7, 9, 3]


@pytest.mark.parametrize(("lines", "told"), [(5, 5), (1000, 100)])
def test_a_book_of_another_game_is_told_and_not_read_to_its_end(
    tmp_path: Path, lines: int, told: int
) -> None:
    book = load_book(epd(tmp_path / "book.epd", ["8/8"] * lines), CHESS)
    with pytest.raises(
        BookError, match=f"no opening of chess .* {told} entries in a row .* line 1"
    ):
        book.draw(0)


GAME = '[Event "{0}"]\n\n1. e4 {{{0}}} e5 2. Nf3 *\n\n'


def test_games_are_entries_of_pgn_and_faults_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "book.pgn"
    bad = '[Event "bad"]\n\n1. e4\n2. Ke5 *\n\n'
    path.write_text(GAME.format("one") + bad + GAME.format("Réti"), encoding="latin-1")
    book = load_book(BookFile(path, Format.PGN, plies=2), CHESS)
    assert book.size == 3
    drawn = book.draw(1)
    assert drawn.opening == Opening(None, ("e2e4", "e7e5"))
    assert [(each.line, each.why) for each in drawn.skipped] == [
        (8, "ply 2, 'Ke5', is no legal move")
    ]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 7, 64 * 1024])
def test_lines_may_end_as_on_any_system_wherever_a_read_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, size: int
) -> None:
    monkeypatch.setattr("ulci_server.openings.index.CHUNK", size)
    path = tmp_path / "book.epd"
    path.write_bytes(("\N{BYTE ORDER MARK}" + ends.join([*fens(3), "", *fens(2)])).encode())
    book = load_book(BookFile(path, Format.EPD), CHESS)
    assert starts(book, 5) == [*fens(3), *fens(2)]


@pytest.mark.parametrize(
    ("form", "content", "why"),
    [
        (Format.EPD, b"", "is empty"),
        (Format.EPD, b"\n# nothing\n", "holds no opening"),
        (Format.PGN, b"1. e4 e5 *\n", "holds no opening"),
        (Format.EPD, b'[Event "?"]\n\n*\n', "is not EPD .*, it looks like PGN .*: say format=pgn"),
        (Format.EPD, b"1. e4 e5 *\n", "is not EPD .*: say format=pgn"),
        (Format.PGN, b"startpos\n", "is not PGN .*: say format=epd"),
        (Format.EPD, bytes(16), "is not EPD .*: say format=polyglot"),
        (Format.POLYGLOT, b'[Event "?"]\n\n*\n', "is not a Polyglot book .*: say format=pgn"),
        (Format.EPD, b"\x1f\x8b\x08\0", "is compressed; unpack it first: gunzip -k .*book"),
        (Format.PGN, b"PK\x03\x04\0", "is compressed; unpack it first: unzip .*book"),
    ],
)
def test_a_file_that_is_no_book_says_why(
    tmp_path: Path, form: Format, content: bytes, why: str
) -> None:
    (tmp_path / "book").write_bytes(content)
    with pytest.raises(BookError, match=why):
        load_book(BookFile(tmp_path / "book", form), CHESS)


@pytest.mark.parametrize("form", Format)
def test_a_file_that_is_not_there_is_told(tmp_path: Path, form: Format) -> None:
    with pytest.raises(BookError, match=r"cannot read the book .*: No such file or directory"):
        load_book(BookFile(tmp_path / "book", form), CHESS)
    with pytest.raises(BookError, match="is not a file"):
        load_book(BookFile(tmp_path, form), CHESS)


def test_a_line_without_end_is_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ulci_server.openings.index.LONGEST_LINE", 100)
    monkeypatch.setattr("ulci_server.openings.index.CHUNK", 64)
    (tmp_path / "book").write_text("k" * 300)
    with pytest.raises(BookError, match="has a line of more than 100 bytes"):
        load_book(BookFile(tmp_path / "book", Format.EPD), CHESS)


def test_a_book_with_too_many_entries_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ulci_server.openings.index.MOST_ENTRIES", 3)
    assert load_book(epd(tmp_path / "book", fens(3)), CHESS).size == 3
    with pytest.raises(BookError, match="holds more than 3 openings; split it"):
        load_book(epd(tmp_path / "book", fens(4)), CHESS)


def test_a_file_that_changes_while_it_is_used_is_noticed(tmp_path: Path) -> None:
    file = epd(tmp_path / "book.epd", fens(3))
    book = load_book(file, CHESS)
    assert book.draw(0).opening.start == fens(1)[0]
    status = file.path.stat()
    epd(file.path, fens(3)[::-1])
    os.utime(file.path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    with pytest.raises(BookError, match="was changed while it was used"):
        book.draw(0)
    file.path.unlink()
    with pytest.raises(BookError, match="No such file"):
        book.draw(0)


def test_a_file_that_grows_while_it_is_indexed_is_noticed(tmp_path: Path) -> None:
    file = epd(tmp_path / "book.epd", fens(3))

    def grow() -> None:
        with file.path.open("a") as more:
            more.write("startpos\n")

    with pytest.raises(BookError, match="was changed while it was used"):
        load_book(file, CHESS, grow)


def test_a_digest_tells_whether_it_is_the_book_of_before(tmp_path: Path) -> None:
    digest = load_book(epd(tmp_path / "book.epd", fens(3)), CHESS).digest
    assert load_book(epd(tmp_path / "other.epd", fens(3)), CHESS).digest == digest
    assert load_book(epd(tmp_path / "book.epd", fens(4)), CHESS).digest != digest


def test_any_number_of_threads_may_draw(tmp_path: Path) -> None:
    book = load_book(epd(tmp_path / "book.epd", fens(100)), CHESS)
    with ThreadPoolExecutor(8) as threads:
        drawn = [*threads.map(book.draw, range(100))]
    assert [each.opening.start for each in drawn] == fens(100)


def test_a_name_suggests_a_format() -> None:
    named = {name: format_of(Path(name)) for name in ("a.epd", "a.PGN", "a.bin", "a.fen", "a.zip")}
    assert named == {
        "a.epd": Format.EPD,
        "a.PGN": Format.PGN,
        "a.bin": Format.POLYGLOT,
        "a.fen": Format.EPD,
        "a.zip": None,
    }


def test_no_opening_is_longer_than_openings_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ulci_server.openings.book.MOST_PLIES", 3)
    line = "startpos moves e2e4 e7e5 g1f3 b8c6"
    for plies, moves in ((None, 3), (2, 2), (9, 3)):
        file = epd(tmp_path / "book.epd", [line], plies=plies)
        assert len(load_book(file, CHESS).draw(0).opening.moves) == moves
