import random

import pytest

from ulci.rules import StartError
from ulci.rules.liberty import LIBERTY_CHESS, NAMED
from ulci_client.house_engine.board import PositionError
from ulci_client.house_engine.libertyboard import LibertyBoard, read_untrusted
from ulci_client.house_engine.search import DECISIVE, Search

RICH = "rnz1k1wr/pppppppp/3o4/2B1B3/3p4/2e5/PPPPPPPP/RNUAKHIR w KQkq - 0 1 3 qcap ff"


def board_of(start: str | None = None, moves: str = "") -> LibertyBoard:
    return read_untrusted(start, moves.split())


def best(board: LibertyBoard, depth: int) -> tuple[str, int]:
    """The move that looks best, and its score."""
    lines = [line for line in Search(board).deepen(board.moves(), depth) if line is not None]
    return board.spell(lines[-1].moves[0]), lines[-1].score


def test_moves_are_made_from_the_start_and_taken_back():
    board = board_of("mini", "a2a3 b5b4")
    name, evaluation = board.name(), board.evaluate()
    for move in board.moves():
        board.make(move)
        board.unmake()
    assert (board.name(), board.evaluate()) == (name, evaluation)
    assert board.white_to_move()


def test_a_wrong_position_is_refused_with_the_reason():
    with pytest.raises(StartError, match="rank 2 of the board, '6', has 6 squares"):
        board_of("5/6/5 w - -")
    with pytest.raises(PositionError, match="move 2 is not legal: there is no piece on e3"):
        board_of(None, "e2e4 e3e4")


@pytest.mark.parametrize("start", [*NAMED, RICH])
def test_every_move_is_listed_once_and_captures_that_win_are_among_them(start: str):
    rng = random.Random(start)
    position = LIBERTY_CHESS.new(start)
    for _ in range(10):
        board = board_of(position.fen())
        moves = board.moves()
        assert sorted(map(board.spell, moves)) == sorted(set(position.legal_moves()))
        captures = board.captures()
        assert len(captures) == len(set(captures))
        assert set(captures) == {move for move in moves if board.gain(move) > 0}
        if not moves:
            return
        position.play_untrusted(rng.choice(position.legal_moves()))


def test_the_worth_is_the_same_from_both_sides():
    white = board_of("4k3/8/8/4u3/8/8/P6C/4K3 w")
    black = board_of("4k3/p6c/8/8/4U3/8/8/4K3 b")
    assert white.evaluate() == black.evaluate() != 0


def test_gain_knows_what_is_taken_between_bishops_and_in_passing():
    board = board_of("4k3/8/8/2BqB3/8/8/8/4K3 w")
    move = board.find_untrusted("c5e5")
    assert move is not None
    assert board.gain(move) > 900
    board = board_of("4k3/8/8/3pP3/8/8/8/4K3 w - d6")
    move = board.find_untrusted("e5d6")
    assert move is not None
    assert board.gain(move) == board.gain(board.captures()[0]) > 0


def test_it_mates_and_eliminates():
    assert best(board_of("k7/8/1K6/8/8/8/8/7R w"), 2)[0] == "h1h8"
    move, score = best(board_of("8/8/8/8/2p5/4N3/8/4K3 w"), 2)
    assert move == "e3c4"
    assert score >= DECISIVE


def test_what_is_drawn_is_known():
    assert board_of("4k3/8/8/8/8/8/8/4K3 w").drawn()
    assert board_of(None, "g1f3 g8f6 f3g1 f6g8").drawn()
    assert board_of("4k3/8/8/8/8/8/8/4K2R w - - 100 60").drawn()
    assert not board_of("8/8/8/8/8/8/8/4K2R b").drawn()
    assert board_of("8/8/8/8/8/8/8/4K2R b").in_check()


def test_a_board_of_any_size_is_searched():
    move, _ = best(board_of("k20r/22/22/K20R w"), 1)
    assert move == "v1v4"
