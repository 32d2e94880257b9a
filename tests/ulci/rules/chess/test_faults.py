import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules.chess.faults import why_not
from ulci.rules.chess.moves import find

USUAL = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
PROMOTING = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1"
EXAMPLE = "expected the squares it leaves and reaches, such as e2e4, or e7e8q"


@pytest.mark.parametrize(
    ("fen", "text", "why"),
    [
        (USUAL, "", f"empty, {EXAMPLE}"),
        (USUAL, "Nf3", f"'Nf3' is not a move, {EXAMPLE}"),
        (USUAL, "e2e9", f"'e2e9' is not a move, {EXAMPLE}"),
        (USUAL, "0000", "'0000' is no move, and White has to make one"),
        (USUAL, "(none)", "'(none)' is no move, and White has to make one"),
        (AFTER_E4, "NULL", "'NULL' is no move, and Black has to make one"),
        (USUAL, "e3e4", "there is no piece on e3"),
        (USUAL, "e7e5", "it is White's move, and the pawn on e7 is Black's"),
        (AFTER_E4, "g1f3", "it is Black's move, and the knight on g1 is White's"),
        (USUAL, "e2e2", "the pawn on e2 has to leave it"),
        (USUAL, "e2e5", "e2e5 is not a move of the pawn"),
        (USUAL, "e2d3", "e2d3 is not a move of the pawn"),
        (USUAL, "g1g3", "g1g3 is not a move of the knight"),
        (USUAL, "b1d2", "d2 is occupied by White's own pawn"),
        (USUAL, "a1a4", "the rook cannot pass the piece on a2"),
        (USUAL, "f1b5", "the bishop cannot pass the piece on e2"),
        (USUAL, "f1b6", "f1b6 is not a move of the bishop"),
        (USUAL, "e2e4q", "e2e4q promotes, but only a pawn that reaches the last rank does"),
        (USUAL, "b1c3q", "b1c3q promotes, but only a pawn that reaches the last rank does"),
        (
            "4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1",
            "e2e4",
            "e4 is occupied, and a pawn captures diagonally",
        ),
        ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e2e4", "the pawn cannot pass the piece on e3"),
        (
            PROMOTING,
            "a7a8",
            "a pawn that reaches the last rank is promoted: add q, r, b or n, such as a7a8q",
        ),
        (PROMOTING, "a7a8k", "a pawn may become q, r, b or n, not a king"),
        (PROMOTING, "a7a8p", "a pawn may become q, r, b or n, not a pawn"),
        (PROMOTING, "a7b8q", "a7b8q is not a move of the pawn"),
        (PROMOTING, "a7b8", "a7b8 is not a move of the pawn"),
        ("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "e1d1", "the king would be in check after e1d1"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "the king would be in check after e2c3"),
        (
            "4k3/4r3/8/8/8/8/P7/4K3 w - - 0 1",
            "a2a3",
            "the king is in check, and a2a3 does not end it",
        ),
        ("4k3/4r3/8/8/8/8/P7/4K3 w - - 0 1", "e1e2", "the king would be in check after e1e2"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "a king in check may not castle"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1", "White may no longer castle kingside"),
        ("r3k3/8/8/8/8/8/8/4K3 b - - 0 1", "e8a8", "Black may no longer castle queenside"),
        (
            USUAL,
            "e1g1",
            "White cannot castle kingside now: squares that king or rook cross or reach are"
            " occupied, or the king would cross or reach an attacked one",
        ),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1f3", "e1f3 is not a move of the king"),
    ],
)
def test_the_mover_is_told_what_is_wrong(fen: str, text: str, why: str):
    assert why_not(chess.Board(fen), text) == why


def test_every_illegal_pair_of_squares_has_a_reason():
    rng = random.Random(7)
    for chess960 in (False, True):
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(25):
            for _ in range(200):
                move = chess.Move(
                    rng.randrange(64), rng.randrange(64), rng.choice([None, None, 1, 2, 5, 6])
                )
                if find(board, move) is None:
                    why = why_not(board, move.uci())
                    assert why
                    assert not board.is_pseudo_legal(move) or "in check" in why, (board, move)
            board.push(rng.choice(list(board.legal_moves)))


@given(text=st.text())
def test_any_text_gets_a_printable_answer(text: str):
    assert why_not(chess.Board(), text).isprintable()
