import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ulci.rules.liberty.starts import STARTS, random_lfen
from ulci.rules import StartError
from ulci.rules.liberty import read_lfen, write_lfen

EMPTY_SIX = "4k3/8/8/8/8/8/8/4K3"


@pytest.mark.parametrize("lfen", STARTS)
def test_a_start_is_written_as_it_was_read(lfen: str):
    once = write_lfen(read_lfen(lfen))
    assert write_lfen(read_lfen(once)) == once
    assert once.split()[0] == lfen.split()[0]


@given(seed=st.integers(0, 2**32))
def test_any_board_is_the_same_after_writing_and_reading(seed: int):
    board = read_lfen(random_lfen(random.Random(seed)))
    again = read_lfen(write_lfen(board))
    assert again.setup == board.setup
    assert again.cells == board.cells
    assert write_lfen(again) == write_lfen(board)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("4k3/8/4K3", "4k3/8/4K3 w - - 0 1"),
        ("k1/1K b", "k1/1K b - - 0 1"),
        ("r3k2r/8/8/R3K2R w qkQK", "r3k2r/8/8/R3K2R w KQkq - 0 1"),
        ("k11/12/K11 w - -", "k11/12/K11 w - - 0 1"),
        (f"{EMPTY_SIX} w - - 255 4294967295", f"{EMPTY_SIX} w - - 255 4294967295"),
        (f"{EMPTY_SIX} w - - 0 1 2,2,1,1,8", f"{EMPTY_SIX} w - - 0 1"),
        (f"{EMPTY_SIX} w - - 0 1 - qrbn", f"{EMPTY_SIX} w - - 0 1"),
        (f"{EMPTY_SIX} w - - 0 1 ,3", f"{EMPTY_SIX} w - - 0 1 2,3"),
        (f"{EMPTY_SIX} w - - 0 1 ,,,2", f"{EMPTY_SIX} w - - 0 1 2,2,1,2"),
        # Row 0 is the first, and what is no column is the usual one.
        (f"{EMPTY_SIX} w - - 0 1 2,2,0,0,9", f"{EMPTY_SIX} w - - 0 1"),
        (f"{EMPTY_SIX} w - - 0 1 - QN", f"{EMPTY_SIX} w - - 0 1 - qn"),
        (f"{EMPTY_SIX} w - - 0 1 - qrbn ff", f"{EMPTY_SIX} w - - 0 1 - qrbn ff"),
        ("4k3/8/8/8/8/8/1p6/4K3 w - b3-6", "4k3/8/8/8/8/8/1p6/4K3 w - b3-6 0 1"),
        ("4k3/8/8/8/8/8/1p6/4K3 w - b3-3", "4k3/8/8/8/8/8/1p6/4K3 w - b3 0 1"),
    ],
)
def test_a_start_has_one_normal_form(written: str, normal: str):
    assert write_lfen(read_lfen(written)) == normal


@pytest.mark.parametrize(
    ("lfen", "fault"),
    [
        ("", "the L-FEN has 0 fields, expected 1 to 9: board, side to move, castling"),
        (f"{EMPTY_SIX} w - - 0 1 - qrbn ff more", "the L-FEN has 10 fields, expected 1 to 9"),
        # The board
        ("k7", "the board has 1 rank, expected 2 to 256 separated by '/'"),
        ("/".join(["8"] * 257), "the board has 257 ranks, expected 2 to 256"),
        ("k/K", "rank 2 of the board, 'k', has 1 square, expected 2 to 256"),
        ("257/257", "rank 2 of the board has '257' at character 1, expected 1 to 256 empty"),
        ("8/8/4611686018427387905", "rank 1 of the board has '46116860"),
        ("256k/257", "rank 2 of the board, '256k', has 257 squares, expected 2 to 256"),
        ("8/3y4/8", "rank 2 of the board has 'y' at character 2, expected pieces KMQCAEHURIWBZN"),
        ("8/44", "rank 1 of the board, '44', has 44 squares, expected 8 like rank 2"),
        ("8//8", "rank 2 of the board, '', has 0 squares, expected 2 to 256"),
        ("8/0k7", "rank 1 of the board has '0' at character 1"),
        # The usual fields
        (f"{EMPTY_SIX} W", "the side to move is 'W', expected w or b"),
        (f"{EMPTY_SIX} w KX", "castling is 'KX', with 'X' at character 2, expected - or letters"),
        (f"{EMPTY_SIX} w KK", "castling is 'KK', with 'K' twice"),
        (f"{EMPTY_SIX} w - - 256", "the half-move clock is '256', expected a number from 0 to 255"),
        (f"{EMPTY_SIX} w - - -1", "the half-move clock is '-1'"),
        (f"{EMPTY_SIX} w - - 0 4294967296", "the move number is '4294967296', expected a number"),
        # En passant
        (f"{EMPTY_SIX} w - e", "en passant is 'e', expected -, or the squares that a pawn"),
        (f"{EMPTY_SIX} w - z99", "en passant is 'z99', but z99 is not on the board"),
        (f"{EMPTY_SIX} w - e6-9", "en passant is 'e6-9', but its last rank is 9, expected 6 to 8"),
        (f"{EMPTY_SIX} w - e6-5", "en passant is 'e6-5', but its last rank is 5"),
        (
            "4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1",
            "en passant is 'e6' with White to move, but Black has nothing on e5",
        ),
        ("4k3/8/8/3PP3/8/8/8/4K3 w - e6", "but Black has nothing on e5"),
        (f"{EMPTY_SIX} w - a1", "but Black has nothing there, off the board"),
        (f"{EMPTY_SIX} b - a8", "but White has nothing there, off the board"),
        # What belongs to L-FEN alone
        (f"{EMPTY_SIX} w - - 0 1 1,2,3,4,5,6", "have 6 items, expected at most 5: pawn moves"),
        (f"{EMPTY_SIX} w - - 0 1 x", "item 1 of the rules of pawns and castling, 'x', is 'x'"),
        (f"{EMPTY_SIX} w - - 0 1 2,2,9", "the castling row is 9 in '2,2,9', expected 1 to 8"),
        (f"{EMPTY_SIX} w - - 0 1 999", "item 1 of the rules of pawns and castling, '999'"),
        (f"{EMPTY_SIX} w - - 0 1 - qy", "promotion is 'qy', with 'y' at character 2, expected"),
        (f"{EMPTY_SIX} w - - 0 1 - qrbn fire", "friendly fire is 'fire', expected ff or nothing"),
    ],
)
def test_a_fault_is_named_with_its_field_and_what_was_expected(lfen: str, fault: str):
    with pytest.raises(StartError) as caught:
        read_lfen(lfen)
    assert fault in str(caught.value)
    assert "expected" in str(caught.value)
    assert str(caught.value).isprintable()


@given(text=st.text(alphabet="kqKQRrNpPow/0123456789 -,wbfea\n", max_size=80))
def test_no_text_makes_reading_fail_otherwise(text: str):
    with contextlib.suppress(StartError):
        written = write_lfen(read_lfen(text))
        assert write_lfen(read_lfen(written)) == written
