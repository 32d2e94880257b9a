import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules import Illegal
from ulci.rules.liberty import LIBERTY_CHESS, read_lfen, watch, why_not

USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
EXAMPLE = "expected the squares it leaves and reaches, such as e2e4, or e7e8q"
PROMOTING = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1 - ehw"
BISHOPS = "4k3/8/8/2B{}B3/8/8/8/4K2R w - - 0 1"
CASTLING = "{}/8/8/8/8/8/8/R3K2R w KQ - 0 1"
TWO_KINGS = "1k1k4/8/8/8/8/8/1r6/1K1K4 w - - 0 1"


@pytest.mark.parametrize(
    ("lfen", "text", "why"),
    [
        (USUAL, "", f"empty, {EXAMPLE}"),
        (USUAL, "Nf3", f"'Nf3' is not a move, {EXAMPLE}"),
        (USUAL, "0000", "'0000' is no move, and White has to make one"),
        (USUAL, "e2e9", "e9 is not on the board, whose squares are a1 to h8"),
        ("k29/30/30/K29 w", "ae1a1", "ae1 is not on the board, whose squares are a1 to ad4"),
        (USUAL, "e2e4y", "'y' is no piece, a pawn may become q, r, b or n"),
        (USUAL, "e3e4", "there is no piece on e3"),
        (USUAL, "e7e5", "it is White's move, and the pawn on e7 is Black's"),
        (USUAL, "e2e2", "the pawn on e2 has to leave it"),
        (USUAL, "g1g3", "g1g3 is not a move of the knight"),
        (USUAL, "b1d2", "d2 is occupied by White's own pawn"),
        (USUAL, "a1a4", "the rook cannot pass the piece on a2"),
        (USUAL, "f1b6", "f1b6 is not a move of the bishop"),
        # The next square by number stands at the other end of the board.
        ("4k3/8/8/8/8/8/r7/7R w - - 0 1 - qrbn ff", "h1b2", "h1b2 is not a move of the rook"),
        # Pawns
        (USUAL, "e2e5", "the pawn on e2 may go 2 forward at most, not 3"),
        (USUAL, "e2d3", "there is nothing on d3 that the pawn could take"),
        (USUAL, "e2e1", "e1 is occupied by White's own king"),
        (USUAL, "e2c4", "e2c4 is not a move of the pawn"),
        (
            "4k3/8/8/8/4p3/8/4P3/4K3 w",
            "e2e4",
            "e4 is occupied, and a pawn captures diagonally",
        ),
        ("4k3/8/8/8/8/4p3/4P3/4K3 w", "e2e4", "the pawn cannot pass the piece on e3"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 0", "e2e3", "pawns do not move in this game"),
        (USUAL, "e2e4q", "e2e4q promotes, but only a pawn that reaches the last rank does"),
        (
            PROMOTING,
            "a7a8",
            "a pawn that reaches the last rank is promoted, and a pawn may become e, h or w,"
            " such as a7a8e",
        ),
        (PROMOTING, "a7a8q", "a pawn may become e, h or w, not a queen"),
        # Who takes whom
        ("4k3/4Q3/8/8/8/8/8/4K3 w", "e7e8", "the king on e8 cannot be taken"),
        (
            "4k3/4w3/4R3/8/8/8/8/4K3 w",
            "e6e7",
            "only kings, elephants and pawns take the wall on e7",
        ),
        ("4k3/4w3/4W3/8/8/8/8/R3K3 w", "e6e7", "e7 is occupied, and a wall takes nothing"),
        (
            "4k3/8/8/8/8/8/8/R3K2R w - - 0 1 - qrbn ff",
            "a1e1",
            "the king on e1 cannot be taken",
        ),
        # El Vaticano
        (
            BISHOPS.format("1"),
            "c5e5",
            "there is nothing between the bishops, on d5, that they could take",
        ),
        (BISHOPS.format("N"), "c5e5", "the bishops cannot take White's own knight on d5"),
        (BISHOPS.format("e"), "e5c5", "the bishops cannot take the elephant on d5"),
        # Castling
        (
            USUAL,
            "e1g1",
            "White cannot castle kingside now: squares that it needs are occupied",
        ),
        (
            CASTLING.format("4kr2"),
            "e1g1",
            "White cannot castle kingside now: f1, which the king crosses, is attacked",
        ),
        (CASTLING.format("4r1k1"), "e1c1", "a king in check may not castle"),
        (CASTLING.format("4k1r1"), "e1g1", "the king would be in check after e1g1"),
        ("r3k2r/8/8/8/8/8/8/4K3 b q", "e8g8", "Black may not castle kingside, or no longer"),
        # Kings
        ("4k3/4r3/8/8/8/8/4N3/4K3 w", "e2c3", "the king would be in check after e2c3"),
        (
            "4k3/4r3/8/8/8/8/P7/4K3 w",
            "a2a3",
            "the king is in check, and a2a3 does not end it",
        ),
        (TWO_KINGS, "d1d2", "a king would be in check after d1d2"),
    ],
)
def test_an_illegal_move_is_explained(lfen: str, text: str, why: str):
    board = read_lfen(lfen)
    assert why_not(board, watch(board), text) == why


@given(
    lfen=st.sampled_from(
        (USUAL, PROMOTING, TWO_KINGS, BISHOPS.format("n"), CASTLING.format("4k3"))
    ),
    text=st.one_of(st.text(), st.from_regex(r"[a-i][1-9][a-i][1-9][a-z]?", fullmatch=True)),
)
def test_whatever_is_sent_is_played_or_explained(lfen: str, text: str):
    position = LIBERTY_CHESS.new(lfen)
    before = position.fen()
    verdict = position.play_untrusted(text)
    if isinstance(verdict, Illegal):
        assert position.fen() == before
        assert verdict.why.isprintable()
        assert not verdict.why.endswith(".")
