"""Polyglot books: walks by weight, decided by the seed."""

from collections import Counter
from pathlib import Path

import chess
import chess.polyglot
import pytest

from tests.support.books import polyglot
from ulci.rules import GAMES
from ulci_server.openings import BookError, BookFile, Format, Opening, load_book

BOOK = {
    "": {"e2e4": 3, "d2d4": 1, "g2g4": 0},
    "e2e4": {"e7e5": 1},
    "e2e4 e7e5": {"g1f3": 1, "a1a5": 1000},
    "d2d4": {"d7d5": 65_535, "g8f6": 65_535},
}


def openings(file: BookFile, count: int, game: str = "chess") -> list[Opening]:
    book = load_book(file, GAMES[game])
    assert book.size is None
    return [book.draw(number).opening for number in range(count)]


def test_python_chess_reads_the_same_entries(tmp_path: Path) -> None:
    """The books of these tests are right by a reader that shares no code with this one."""
    file = polyglot(tmp_path / "book.bin", BOOK)
    with chess.polyglot.open_reader(file.path) as reader:
        found = {entry.move.uci(): entry.weight for entry in reader.find_all(chess.Board())}
    assert found == {"e2e4": 3, "d2d4": 1}


def test_a_walk_ends_where_the_book_ends(tmp_path: Path) -> None:
    walks = {opening.moves for opening in openings(polyglot(tmp_path / "book.bin", BOOK), 100)}
    assert walks == {("e2e4", "e7e5", "g1f3"), ("d2d4", "d7d5"), ("d2d4", "g8f6")}


def test_a_walk_ends_at_the_ply_that_is_asked_for(tmp_path: Path) -> None:
    file = polyglot(tmp_path / "book.bin", BOOK, plies=1)
    assert {opening.moves for opening in openings(file, 50)} == {("e2e4",), ("d2d4",)}


def test_moves_are_drawn_by_their_weights_and_never_by_none(tmp_path: Path) -> None:
    file = polyglot(tmp_path / "book.bin", BOOK, plies=1)
    firsts = Counter(opening.moves[0] for opening in openings(file, 1000))
    assert 700 < firsts["e2e4"] < 800
    assert firsts["g2g4"] == 0


def test_a_walk_is_decided_by_seed_and_number(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    first = openings(polyglot(path, BOOK, seed=1), 30)
    assert openings(polyglot(path, BOOK, seed=1), 30) == first
    assert openings(polyglot(path, BOOK, seed=2), 30) != first
    assert openings(polyglot(path, BOOK, seed=1, start=11), 20) == first[10:]


CASTLES = {
    "": {"e2e4": 1},
    "e2e4": {"e7e5": 1},
    "e2e4 e7e5": {"g1f3": 1},
    "e2e4 e7e5 g1f3": {"b8c6": 1},
    "e2e4 e7e5 g1f3 b8c6": {"f1c4": 1},
    "e2e4 e7e5 g1f3 b8c6 f1c4": {"f8c5": 1},
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5": {"e1h1": 1},
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1": {"g8f6": 1},
}


@pytest.mark.parametrize(("game", "castling"), [("chess", "e1g1"), ("chess960", "e1h1")])
def test_castling_is_spelled_as_the_game_does(tmp_path: Path, game: str, castling: str) -> None:
    (opening,) = openings(polyglot(tmp_path / "book.bin", CASTLES), 1, game)
    assert opening.moves[6:] == (castling, "g8f6")


def test_a_promotion_is_read(tmp_path: Path) -> None:
    line = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "b8c6", "a6a7", "a8b8"]
    book = {" ".join(line[:ply]): {move: 1} for ply, move in enumerate(line)}
    book[" ".join(line)] = {"a7b8n": 1}
    (opening,) = openings(polyglot(tmp_path / "book.bin", book), 1)
    assert opening.moves[-1] == "a7b8n"


def test_a_walk_ends_before_the_move_that_ends_the_game(tmp_path: Path) -> None:
    line = ["f2f3", "e7e5", "g2g4", "d8h4"]
    book = {" ".join(line[:ply]): {move: 1} for ply, move in enumerate(line)}
    (opening,) = openings(polyglot(tmp_path / "book.bin", book), 1)
    assert opening.moves == tuple(line[:-1])


def test_a_book_that_leads_in_a_circle_ends(tmp_path: Path) -> None:
    line = ["g1f3", "g8f6", "f3g1", "f6g8"]
    book = {" ".join(line[:ply]): {move: 1} for ply, move in enumerate(line)}
    (opening,) = openings(polyglot(tmp_path / "book.bin", book), 1)
    assert opening.moves == tuple((line * 2)[:7])


def test_only_games_that_begin_as_chess_have_such_books(tmp_path: Path) -> None:
    file = polyglot(tmp_path / "book.bin", BOOK)
    with pytest.raises(BookError, match="is a Polyglot book, and there are none of atomic"):
        load_book(file, GAMES["atomic"])


def test_a_book_without_the_start_is_none(tmp_path: Path) -> None:
    file = polyglot(tmp_path / "book.bin", {"e2e4": {"e7e5": 1}})
    with pytest.raises(BookError, match="has no move for the start of the game"):
        load_book(file, GAMES["chess"])


def test_a_book_that_was_cut_off_is_none(tmp_path: Path) -> None:
    file = polyglot(tmp_path / "book.bin", BOOK)
    file.path.write_bytes(file.path.read_bytes()[:-3])
    with pytest.raises(BookError, match="its 125 bytes are not a multiple of 16"):
        load_book(file, GAMES["chess"])


def test_a_book_that_is_changed_while_it_is_used_is_noticed(tmp_path: Path) -> None:
    file = polyglot(tmp_path / "book.bin", BOOK)
    book = load_book(file, GAMES["chess"])
    polyglot(file.path, CASTLES)
    with pytest.raises(BookError, match="was changed while it was used"):
        book.draw(0)


def test_the_format_is_said_in_full(tmp_path: Path) -> None:
    (tmp_path / "book.bin").write_text("startpos\n" * 16)
    with pytest.raises(BookError, match=r"is not a Polyglot book .*: say format=epd"):
        load_book(BookFile(tmp_path / "book.bin", Format.POLYGLOT), GAMES["chess"])
