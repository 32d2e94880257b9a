import random

import chess
import pytest

from ulci.rules import StartError
from ulci_client.house_engine.board import PositionError
from ulci_client.house_engine.chessboard import ChessBoard, read_untrusted

USUAL = chess.STARTING_FEN


def board_of(fen: str | None = None, moves: str = "", *, chess960: bool = False) -> ChessBoard:
    return read_untrusted(fen, moves.split(), chess960=chess960)


def test_the_usual_start_and_its_fen_are_the_same_position():
    assert board_of().name() == board_of(USUAL).name() == USUAL


def test_moves_are_made_from_the_start():
    board = board_of(None, "e2e4 e7e5 g1f3")
    assert not board.white_to_move()
    assert board.name() == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"


def test_a_wrong_position_is_refused_with_the_reason():
    with pytest.raises(StartError, match="rank 7"):
        board_of("rnbqkbnr/9/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    with pytest.raises(PositionError, match="move 2 is not legal: there is no piece on e3"):
        board_of(None, "e2e4 e3e4")


def test_a_game_that_is_drawn_by_rule_can_be_thought_about():
    assert board_of("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2 e8e7").moves()
    assert board_of(None, "g1f3 g8f6 f3g1 f6g8 " * 6).moves()


def test_chess960_castling_is_spelled_with_the_rook():
    board = board_of("4k3/8/8/8/8/8/8/4K2R w H - 0 1", chess960=True)
    assert "e1h1" in [board.spell(move) for move in board.moves()]
    assert board.find_untrusted("e1g1") == chess.Move.from_uci("e1h1")
    assert board.gain(chess.Move.from_uci("e1h1")) == 0
    assert board.name() == "4k3/8/8/8/8/8/8/4K2R w H - 0 1"


def test_every_move_is_listed_once_and_captures_are_among_them():
    rng = random.Random(1)
    reference = chess.Board()
    for _ in range(150):
        board = ChessBoard(reference.copy(stack=False))
        moves = board.moves()
        assert len(moves) == len(set(moves)) == reference.legal_moves.count()
        captures = board.captures()
        assert len(captures) == len(set(captures))
        for move in moves:
            changes = reference.is_capture(move) or move.promotion is not None
            assert (move in captures) == changes
            assert (board.gain(move) > 0) == changes
        if not moves:
            break
        reference.push(rng.choice(captures or moves))


def test_the_best_capture_is_searched_first():
    board = board_of("3qk3/8/1n6/2P1N3/8/8/8/3RK3 w - - 0 1")
    assert [board.spell(move) for move in board.captures()] == ["d1d8", "c5b6"]


def test_taking_back_restores_everything():
    board = board_of(None, "e2e4 d7d5")
    name, value = board.name(), board.evaluate()
    for move in board.moves():
        board.make(move)
        board.unmake()
    assert (board.name(), board.evaluate(), board.drawn()) == (name, value, False)


def test_both_sides_see_the_same_value():
    rng = random.Random(2)
    reference = chess.Board()
    for _ in range(60):
        reference.push(rng.choice(list(reference.legal_moves)))
        if reference.is_game_over():
            break
        mirrored = reference.mirror()
        theirs = ChessBoard(mirrored).evaluate()
        assert abs(ChessBoard(reference.copy(stack=False)).evaluate() - theirs) <= 1


def test_a_piece_more_is_worth_more():
    assert board_of("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1").evaluate() > 800
    assert board_of("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1").evaluate() < -800


def test_a_lone_king_is_driven_to_the_edge_by_the_other_king():
    edge = board_of("8/8/8/8/8/3K4/8/R2k4 b - - 0 1").evaluate()
    far = board_of("8/8/3K4/8/8/8/8/R2k4 b - - 0 1").evaluate()
    centre = board_of("8/8/3K4/8/3k4/8/8/R7 b - - 0 1").evaluate()
    assert edge < far
    assert edge < centre


@pytest.mark.parametrize(
    ("fen", "moves", "drawn"),
    [
        (None, "", False),
        (None, "g1f3 g8f6 f3g1", False),
        (None, "g1f3 g8f6 f3g1 f6g8", True),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h2 e8e7 h2h1 e7e8", False),  # castling is lost
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", True),
        ("4k3/8/8/8/8/8/8/4K2R w - - 99 90", "", False),
        ("4k3/8/8/8/8/8/8/4K2R w - - 99 90", "h1h2", True),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "a1a8", False),  # mate goes before fifty moves
    ],
)
def test_draws_are_seen(fen: str | None, moves: str, drawn: bool):
    assert board_of(fen, moves).drawn() is drawn


def test_check_is_seen():
    assert not board_of().in_check()
    assert board_of(None, "f2f3 e7e5 g2g4 d8h4").in_check()
