import chess
import pytest

from ulci.rules.chess import moves

CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def found(fen: str, text: str, *, chess960: bool = False) -> str | None:
    move = moves.find_untrusted(chess.Board(fen, chess960=chess960), text)
    return move.uci() if move else None


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("e2e4", "e2e4"),
        ("E2E4", "e2e4"),
        ("  e2e4 ", "e2e4"),
        ("e2-e4", "e2e4"),
        ("e2xe4", "e2e4"),
        ("a7a8q", "a7a8q"),
        ("a7a8Q", "a7a8q"),
        ("a7a8=n", "a7a8n"),
        ("a7a8k", "a7a8k"),
        ("a1a1", "0000"),
    ],
)
def test_squares_are_read_however_they_are_joined(text: str, move: str):
    read = moves.read_untrusted(text)
    assert read is not None
    assert read.uci() == move


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "e2",
        "e2e",
        "e2e9",
        "i2e4",
        "e2e4e5",
        "a7a8x",
        "a7a8qq",
        "Nf3",
        "0000",
        "(none)",
        "é2e4",
    ],
)
def test_what_is_no_pair_of_squares_is_not_read(text: str):
    assert moves.read_untrusted(text) is None


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("e1g1", "e1g1"), ("e1h1", "e1g1"), ("e1c1", "e1c1"), ("e1a1", "e1c1"), ("e1f1", "e1f1")],
)
def test_standard_castling_is_spelled_with_the_kings_target(text: str, canonical: str):
    assert found(CASTLE, text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("e1g1", "e1h1"), ("e1h1", "e1h1"), ("e1c1", "e1a1"), ("e1a1", "e1a1"), ("e1f1", "e1f1")],
)
def test_chess960_castling_is_spelled_with_the_rook(text: str, canonical: str):
    assert found(CASTLE, text, chess960=True) == canonical


@pytest.mark.parametrize(
    ("fen", "text", "canonical"),
    [
        # The king may step to g1, so f1g1 is that step; castling needs the rook's square.
        ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1g1", "f1g1"),
        ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "f1h1"),
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "f1g1"),
        # Three files cannot be a step.
        ("4k3/8/8/8/8/8/8/3K3R w H - 0 1", "d1g1", "d1h1"),
        ("3k3r/8/8/8/8/8/8/4K3 b h - 0 1", "d8g8", "d8h8"),
        ("4k3/8/8/8/8/8/8/R4K2 w A - 0 1", "f1c1", "f1a1"),
        ("4k3/8/8/8/8/8/8/R4K2 w - - 0 1", "f1c1", None),
        ("4k3/8/8/8/8/8/8/R4K1R w HA - 0 1", "f1d1", None),
        ("4k3/8/8/8/8/8/8/R4K1R w HA - 0 1", "f1c1q", None),
        ("4k3/8/8/8/8/8/8/R4K1R w HA - 0 1", "a1c1", "a1c1"),
    ],
)
def test_chess960_castling_by_target_is_read_where_the_king_cannot_walk(
    fen: str, text: str, canonical: str | None
):
    assert found(fen, text, chess960=True) == canonical


def test_chess960_castling_moves_king_and_rook_to_their_usual_squares():
    board = chess.Board("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    move = moves.find_untrusted(board, "f1g1")
    assert move
    board.push(move)
    assert board.board_fen() == "4k3/8/8/8/8/8/8/5RK1"


def test_a_promotion_needs_its_letter():
    fen = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1"
    assert found(fen, "a7a8") is None
    assert found(fen, "a7a8k") is None
    assert found(fen, "A7A8R") == "a7a8r"


def test_a_promotion_letter_on_another_move_is_refused():
    assert found(chess.STARTING_FEN, "e2e4q") is None
    assert found(CASTLE, "e1g1q") is None
