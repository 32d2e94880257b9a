import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules import StartError
from ulci.rules.chess.fen import read_start

USUAL = chess.STARTING_FEN
BOARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
KINGS = "4k3/8/8/8/8/8/8/4K3"

# FEN, the exact complaint in standard chess
FAULTS = [
    ("", "the FEN has 0 fields, expected 4 to 6: placement, side to move, castling"),
    (BOARD, "the FEN has 1 field, expected 4 to 6"),
    (f"{BOARD} w KQkq - 0 1 x", "the FEN has 7 fields, expected 4 to 6"),
    ("8/8/8/8/8/8/8 w - -", "the placement has 7 ranks, expected 8 separated by '/'"),
    ("4k3/9/8/8/8/8/8/4K3 w - -", "rank 7 of the placement has '9', expected pieces KQRBNP"),
    ("4k3/8/8/8/8/8/7/4K3 w - -", "rank 2 of the placement, '7', has 7 squares, expected 8"),
    ("4k3/8/8/8/8/8/8/4K2RR w - -", "rank 1 of the placement, '4K2RR', has 9 squares"),
    ("4k3/44/8/8/8/8/8/4K3 w - -", "rank 7 of the placement, '44', has two numbers in a row"),
    ("4k3/8/8/8/3x4/8/8/4K3 w - -", "rank 4 of the placement has 'x'"),
    ("4k3/8/8/8/3\u0664/8/8/4K3 w - -", r"rank 4 of the placement has '\u0664'"),
    ("4k3/8/8/8/8/8/8/4K2~ w - -", "rank 1 of the placement has '~'"),
    (f"{BOARD} x KQkq -", "the side to move is 'x', expected w or b"),
    (f"{BOARD} W KQkq -", "the side to move is 'W', expected w or b"),
    ("4k3/8/8/8/8/8/8/8 w - -", "the placement has 0 White kings, expected exactly 1"),
    ("4k3/8/8/8/8/8/8/2K1K3 w - -", "the placement has 2 White kings, expected exactly 1"),
    ("8/8/8/8/8/8/8/4K3 w - -", "the placement has 0 Black kings, expected exactly 1"),
    ("4k2P/8/8/8/8/8/8/4K3 w - -", "a pawn stands on h8, expected none on ranks 1 and 8"),
    ("4k3/8/8/8/8/8/8/p3K3 w - -", "a pawn stands on a1, expected none on ranks 1 and 8"),
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", "has 9 White pawns, expected at most 8"),
    (
        "4k3/8/8/8/8/2QQ4/PPPPPPPP/4K3 w - -",
        "White has 8 pawns and 1 piece that can only come from promotion, expected at most 8",
    ),
    (
        "qqqqkqqq/qqq5/8/8/8/8/8/4K3 b - -",
        "Black has 0 pawns and 9 pieces that can only come from promotion",
    ),
    (f"{BOARD} w KX -", "castling is 'KX', expected - or letters of KQkq"),
    (f"{BOARD} w BKQ -", "castling is 'BKQ', expected - or letters of KQkq; rooks on other files"),
    (f"{BOARD} w K-Q -", "castling is 'K-Q', expected - or letters of KQkq"),
    (f"{BOARD} w KK -", "castling is 'KK', which names the wing of K twice"),
    (f"{BOARD} w KH -", "castling is 'KH', which names the wing of H twice"),
    (f"{KINGS} w K -", "castling is 'K', but K needs White's king on e1 and a rook on h1"),
    (f"{KINGS} w q -", "castling is 'q', but q needs Black's king on e8 and a rook on a8"),
    ("4k3/8/8/8/8/8/8/3K3R w K -", "but K needs White's king on e1 and a rook on h1"),
    ("4k3/8/8/8/8/8/4K3/7R w K -", "but K needs White's king on e1 and a rook on h1"),
    ("4k3/8/8/8/8/8/8/4K1R1 w K -", "but K needs White's king on e1 and a rook on h1"),
    ("4k3/8/8/8/8/8/8/4K2r w K -", "but K needs White's king on e1 and a rook on h1"),
    (f"{BOARD} w KQkq e9", "the en passant square is 'e9' with White to move, expected - or a"),
    (f"{BOARD} w KQkq e3", "the en passant square is 'e3' with White to move, expected - or a"),
    (f"{BOARD} b KQkq e3", "the en passant square is e3 but White has no pawn on e4"),
    (f"{BOARD} w KQkq e6", "the en passant square is e6 but Black has no pawn on e5"),
    ("4k3/8/4n3/4p3/8/8/8/4K3 w - e6", "the en passant square is e6 but e6 is not empty"),
    ("3k4/4r3/8/4p3/8/8/8/3K4 w - e6", "the en passant square is e6 but e7 is not empty"),
    (f"{KINGS} w - - x", "the half-move clock is 'x', expected a number from 0 to 150"),
    (f"{KINGS} w - - -1", "the half-move clock is '-1', expected a number from 0 to 150"),
    (f"{KINGS} w - - 151 90", "the half-move clock is '151', expected a number from 0 to 150"),
    (f"{KINGS} w - - 0 1.5", "the move number is '1.5', expected a number from 0 to 9999"),
    (f"{KINGS} w - - 0 10000", "the move number is '10000', expected a number from 0 to 9999"),
    (f"{KINGS} w - - 0 {'9' * 5000}", "the move number is '9999"),
    (f"{KINGS} w - - \u00b2 1", "the half-move clock is "),
    ("4k3/4R3/8/8/8/8/8/4K3 w - -", "Black is in check but the side to move is White"),
    ("8/8/8/3kK3/8/8/8/8 w - -", "Black is in check but the side to move is White"),
    ("4k3/8/8/b3r3/7b/8/8/4K3 w - -", "White is in check from h4 and a5 and e5, which no single"),
    (
        "k7/8/8/8/8/8/8/r2K3r w - -",
        "White is in check from a1 and h1, which no single move of Black",
    ),
    ("3k4/8/8/1b2p3/8/8/4K3/8 w - e6", "White is in check from b5, which no single move of Black"),
]


@pytest.mark.parametrize(("fen", "complaint"), FAULTS)
def test_the_complaint_names_field_fault_and_expectation(fen: str, complaint: str):
    with pytest.raises(StartError) as caught:
        read_start(fen, chess960=False)
    assert complaint in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


FAULTS_960 = [
    (
        f"{BOARD} w KX -",
        "castling is 'KX', expected - or letters of KQkq or the files of the rooks",
    ),
    (f"{BOARD} w B -", "castling is 'B', but B needs White's king on rank 1 and a rook on b1"),
    (f"{BOARD} w HGA -", "but G needs White's king on rank 1 and a rook on g1"),
    ("4k3/8/8/8/8/8/8/4K1RR w HG -", "castling is 'HG', which names the wing of G twice"),
    ("4k3/8/8/8/8/8/8/R3K3 w K -", "but K needs White's king on rank 1 and a rook right of it"),
    ("4k3/8/8/8/8/8/8/4K2R w Q -", "but Q needs White's king on rank 1 and a rook left of it"),
    (f"{KINGS} w Q -", "but Q needs White's king on rank 1 and a rook left of it"),
    ("4k3/8/8/8/8/8/4K3/R6R w HA -", "but H needs White's king on rank 1 and a rook on h1"),
    ("r6r/4k3/8/8/8/8/8/4K3 w ha -", "but h needs Black's king on rank 8 and a rook on h8"),
]


@pytest.mark.parametrize(("fen", "complaint"), FAULTS_960)
def test_chess960_names_the_castling_rights_that_have_no_rook(fen: str, complaint: str):
    with pytest.raises(StartError) as caught:
        read_start(fen, chess960=True)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("fen", "normal"),
    [
        (USUAL, USUAL),
        (f"  {BOARD}\tw  qkQK -  ", USUAL),
        (f"{BOARD} w HAha - 0 0", USUAL),
        (f"{BOARD} w KQkq - 5", f"{BOARD} w KQkq - 5 1"),
        # En passant is kept where a pawn can take, and dropped where none can.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 2"),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2", "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
    ],
)
def test_what_can_be_played_is_read(fen: str, normal: str):
    assert read_start(fen, chess960=False).fen() == normal


@pytest.mark.parametrize(
    ("castling", "normal"),
    [
        ("KQkq", "HCgb"),
        ("HCgb", "HCgb"),
        ("Cg", "Cg"),
        ("FC", "FC"),
        ("-", "-"),
    ],
)
def test_chess960_reads_rights_by_wing_and_by_file(castling: str, normal: str):
    board = read_start(f"1r2k1r1/8/8/8/8/8/8/2R1KR1R w {castling} - 0 1", chess960=True)
    assert board.fen(shredder=True).split()[2] == normal


def test_rooks_on_other_files_belong_to_chess960():
    fen = "1r2k1r1/8/8/8/8/8/8/2R1KR1R w HCgb - 0 1"
    assert read_start(fen, chess960=True)
    with pytest.raises(StartError):
        read_start(fen, chess960=False)


@pytest.mark.parametrize("chess960", [False, True])
def test_every_position_of_a_game_can_be_a_start(chess960: bool):
    rng = random.Random(6)
    for number in range(15):
        board = chess.Board.from_chess960_pos(number * 64) if chess960 else chess.Board()
        for _ in range(120):
            moves = list(board.legal_moves)
            if not moves or board.halfmove_clock >= 150:
                break
            board.push(rng.choice(moves))
            for shredder in (False, True) if chess960 else (False,):
                fen = board.fen(shredder=shredder)
                assert read_start(fen, chess960=chess960).fen() == board.fen()


_PLACEMENT = st.lists(st.sampled_from("1" * 20 + "pPnNbBrRqQ"), min_size=64, max_size=64)


@st.composite
def nearly_fens(draw: st.DrawFn) -> str:
    men = draw(_PLACEMENT)
    men[draw(st.integers(0, 63))] = "k"
    men[draw(st.integers(0, 63))] = "K"
    board = chess.Board(None)
    for square, man in enumerate(men):
        if man != "1":
            board.set_piece_at(square, chess.Piece.from_symbol(man))
    castling = draw(st.sampled_from(["-", "KQkq", "K", "q", "HAha", "Bg", "-K"]))
    en_passant = draw(st.sampled_from(["-", "e3", "d6", "a1", "h8"]))
    return f"{board.board_fen()} {draw(st.sampled_from('wb'))} {castling} {en_passant} 0 1"


@given(fen=st.one_of(nearly_fens(), st.text()), chess960=st.booleans())
def test_a_fen_is_either_refused_or_valid(fen: str, chess960: bool):
    try:
        board = read_start(fen, chess960=chess960)
    except StartError:
        pass
    else:
        assert board.is_valid()


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/8/8/8/8/8/8/4K3 w K - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/8/4K3 w - - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "rnbqkbnr/pppp1Qpp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
        "rrrqkrrr/bbbbbbbb/nnnnnnnn/pppppppp/PPPPPPPP/NNNNNNNN/BBBBBBBB/RRRQKRRR w - - 0 1",
    ],
)
def test_what_crashes_stockfish_15_is_refused(fen: str):
    with pytest.raises(StartError):
        read_start(fen, chess960=False)
