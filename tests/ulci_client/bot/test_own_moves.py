"""Moves of books and of tablebases."""

import struct
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.polyglot
import pytest

from ulci.protocol.messages import BestMove, Go, Position
from ulci_client.bot.books import Book, BookError, BookMove, choose
from ulci_client.bot.own_moves import OpeningBook, OwnMoves
from ulci_client.bot.sections import BookTable
from ulci_client.bot.tablebases import TablebaseError, Tablebases, open_tablebases

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def written(path: Path, *entries: tuple[chess.Board, str, int]) -> Path:
    """A book with these moves (castling onto the rook's square) and weights."""
    packed = []
    for board, uci, weight in entries:
        move = chess.Move.from_uci(uci)
        promotion = 0 if move.promotion is None else move.promotion - 1
        raw = promotion << 12 | move.from_square << 6 | move.to_square
        packed.append(struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), raw, weight, 0))
    path.write_bytes(b"".join(sorted(packed, key=lambda entry: entry[:8])))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    start, castling = chess.Board(), chess.Board(CASTLING)
    promoting = chess.Board("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1")
    return written(
        tmp_path / "book.bin",
        (start, "e2e4", 3),
        (start, "d2d4", 1),
        (start, "e2e5", 9),  # illegal
        (castling, "e1h1", 1),
        (castling, "e1a1", 1),
        (promoting, "e7e8n", 1),
    )


def known(book: Book, board: chess.Board) -> dict[str, int]:
    return {board.uci(move): weight for move, weight in book.moves(board)}


def test_a_book_has_the_legal_moves_of_its_positions_and_their_weights(path: Path) -> None:
    book = Book(path)
    assert known(book, chess.Board()) == {"e2e4": 3, "d2d4": 1}
    assert known(book, chess.Board(CASTLING)) == {"e1g1": 1, "e1c1": 1}
    assert known(book, chess.Board(CASTLING, chess960=True)) == {"e1h1": 1, "e1a1": 1}
    assert known(book, chess.Board("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1")) == {"e7e8n": 1}
    assert known(book, chess.Board("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")) == {}


def test_a_book_agrees_with_the_reader_of_python_chess(path: Path) -> None:
    with chess.polyglot.open_reader(path) as reader:
        for board in (chess.Board(), chess.Board(CASTLING)):
            theirs = {board.uci(e.move): e.weight for e in reader.find_all(board)}
            assert known(Book(path), board) == theirs


def test_what_is_no_book_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("e4 e5")
    with pytest.raises(BookError, match="is no Polyglot book"):
        Book(tmp_path / "text")
    with pytest.raises(BookError, match=r"cannot read the book .*: No such file"):
        Book(tmp_path / "none")


def test_a_move_is_chosen_by_weight_or_the_heaviest_is() -> None:
    e4, d4 = chess.Move.from_uci("e2e4"), chess.Move.from_uci("d2d4")
    moves = [BookMove(d4, 1), BookMove(e4, 3), BookMove(e4, 0)]
    for chance, move in ((0.0, d4), (0.24, d4), (0.26, e4), (0.999, e4)):
        assert choose(moves, best=False, least=1, chance=lambda c=chance: c) == move
    assert choose(moves, best=True, least=1, chance=lambda: 0.0) == e4
    assert choose(moves, best=False, least=2, chance=lambda: 0.0) == e4
    assert choose(moves, best=False, least=4, chance=lambda: 0.0) is None


# Tablebases


class Tables:
    """Knows king and queen against king, by the rules of thumb: the side with the queen wins, and
    the nearer the bare king is to a corner the sooner."""

    def probe_wdl(self, board: chess.Board) -> int:
        if not board.queens:
            if board.occupied.bit_count() > 2:
                raise KeyError(board.fen())
            return 0
        return 2 if board.queens & board.occupied_co[board.turn] else -2

    def probe_dtz(self, board: chess.Board) -> int:
        loser = board.king(not bool(board.queens & board.occupied_co[chess.WHITE]))
        corner = min(chess.square_distance(loser, c) for c in (chess.A1, chess.A8, chess.H1))
        return (corner + 1) * self.probe_wdl(board) // 2


TABLEBASES = Tablebases(Tables(), 3)


def keeping(fen: str) -> list[str]:
    board = chess.Board(fen)
    return [board.uci(move) for move in TABLEBASES.keeping(board)]


def test_a_win_is_played_by_the_tables_and_mate_is_the_best_of_it() -> None:
    assert keeping("k7/8/1K6/8/8/8/8/6Q1 w - - 0 1") == ["g1g8"]
    [move] = keeping("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    assert chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").is_legal(chess.Move.from_uci(move))


def test_of_drawn_moves_the_engine_chooses() -> None:
    # Only by taking the queen does the bare king draw.
    assert keeping("8/8/8/8/8/8/1Q6/k2K4 b - - 0 1") == ["a1b2"]
    # Lost whatever it plays.
    assert keeping("k7/2Q5/8/8/8/8/8/K7 b - - 0 1") == []


def test_other_positions_are_none_of_the_tables() -> None:
    assert keeping(chess.STARTING_FEN) == []
    assert keeping("8/8/8/3k4/8/8/4P3/K7 w - - 0 1") == []


class Damaged(Tables):
    def probe_wdl(self, board: chess.Board) -> int:
        raise IndexError("past the end")


def own_moves(
    complaints: list[str], *openings: OpeningBook, tablebases: Tablebases | None = None
) -> OwnMoves:
    return OwnMoves(openings, tablebases, lambda: 0.0, complaints.append)


def test_a_book_answers_up_to_its_ply_and_in_its_games(path: Path) -> None:
    complaints: list[str] = []
    table = BookTable.model_construct(path=path, plies=1, choose="best")
    moves = own_moves(complaints, OpeningBook(Book(path), table))
    go = Go(1000, 1000)
    assert moves.find("chess", Position(), go) == BestMove("e2e4")
    assert moves.find("chess", Position(CASTLING), go) in (BestMove("e1g1"), BestMove("e1c1"))
    assert moves.find("chess960", Position(), go) is go
    assert moves.find("liberty", Position(), go) is go
    late = Position(None, ("g1f3", "g8f6", "f3g1", "f6g8"))
    assert moves.find("chess", late, go) is go
    assert moves.find("chess", Position("8/8"), go) is go
    assert moves.find("chess", Position(None, ("e2e5",)), go) is go
    assert complaints == []


def test_a_file_that_is_gone_or_damaged_is_told_once_and_the_engine_plays(path: Path) -> None:
    complaints: list[str] = []
    opening = OpeningBook(Book(path), BookTable.model_construct(path=path))
    go = Go(1000, 1000)
    moves = own_moves(complaints, opening, tablebases=Tablebases(Damaged(), 3))
    ending = Position("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    assert moves.find("chess", ending, go) is go
    path.unlink()
    for _ in range(2):
        assert moves.find("chess", Position(), go) is go
    assert complaints == [
        "a tablebase fails at 8/8/8/3k4/8/8/8/KQ6 w - - 0 1: IndexError('past the end');"
        " the engine plays",
        f"cannot read the book {path}: No such file or directory; the engine plays",
    ]


def test_an_ending_is_answered_or_narrows_the_engines_choice() -> None:
    moves = own_moves([], tablebases=TABLEBASES)
    go = Go(1000, 1000)
    mate = Position("k7/8/1K6/8/8/8/8/6Q1 w - - 0 1")
    assert moves.find("chess", mate, go) == BestMove("g1g8")
    # The king may take the queen or the rook: one draws.
    assert moves.find("chess", Position("8/8/8/8/8/8/1Q6/k2K4 b - - 0 1"), go) == BestMove("a1b2")


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with ExitStack() as stack:
        assert open_tablebases([], stack) is None
        with pytest.raises(TablebaseError, match="there are no tablebases"):
            open_tablebases([tmp_path], stack)
        with pytest.raises(TablebaseError, match=r"cannot read the tablebases .*No such file"):
            open_tablebases([tmp_path / "none"], stack)
