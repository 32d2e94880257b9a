import random

import chess
import pytest

from ulci.rules.chess.notation import parse_untrusted

USUAL = chess.STARTING_FEN
CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
CENTRE = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
PROMOTING = "3n4/P3P1k1/8/8/8/8/8/4K3 w - - 0 1"
TWO_KNIGHTS = "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1"
BISHOP_OR_PAWN = "4k3/8/8/3p4/2p5/1P3B2/8/4KB2 w - - 0 1"
EN_PASSANT = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        (USUAL, "e4", "e2e4"),
        (USUAL, "E4", "e2e4"),
        (USUAL, "e2e4", "e2e4"),
        (USUAL, "E2E4", "e2e4"),
        (USUAL, "e2-e4", "e2e4"),
        (USUAL, " e2 - e4 ", "e2e4"),
        (USUAL, "Nf3", "g1f3"),
        (USUAL, "nf3", "g1f3"),
        (USUAL, "NF3!", "g1f3"),
        (USUAL, "Ng1f3", "g1f3"),
        (USUAL, "Ng1-f3", "g1f3"),
        (USUAL, "Ngf3", "g1f3"),
        (USUAL, "N1f3", "g1f3"),
        (USUAL, "b1c3", "b1c3"),
        (CENTRE, "exd5", "e4d5"),
        (CENTRE, "ed5", "e4d5"),
        (CENTRE, "e4xd5", "e4d5"),
        (CENTRE, "e4:d5", "e4d5"),
        (CASTLE, "O-O", "e1g1"),
        (CASTLE, "0-0", "e1g1"),
        (CASTLE, "o-o", "e1g1"),
        (CASTLE, "oo", "e1g1"),
        (CASTLE, "O-O-O", "e1c1"),
        (CASTLE, "0-0-0", "e1c1"),
        (CASTLE, "o-o-o", "e1c1"),
        (CASTLE, "e1h1", "e1g1"),
        (CASTLE, "Rxa8+", "a1a8"),
        (CASTLE, "ra8", "a1a8"),
        (PROMOTING, "e8=Q", "e7e8q"),
        (PROMOTING, "e8Q", "e7e8q"),
        (PROMOTING, "e8q", "e7e8q"),
        (PROMOTING, "e8=N+", "e7e8n"),
        (PROMOTING, "exd8=R", "e7d8r"),
        (PROMOTING, "e7xd8=q", "e7d8q"),
        (TWO_KNIGHTS, "Nbd2", "b1d2"),
        (TWO_KNIGHTS, "nfd2", "f1d2"),
        (BISHOP_OR_PAWN, "Bxc4", "f1c4"),
        (BISHOP_OR_PAWN, "bxc4", "b3c4"),
        (EN_PASSANT, "exd6", "e5d6"),
        (EN_PASSANT, "exd6 e.p.", "e5d6"),
        (EN_PASSANT, "ed6ep", "e5d6"),
    ],
)
def test_people_may_write_a_move_in_many_ways(fen: str, text: str, move: str):
    assert parse_untrusted(chess.Board(fen), text) == move


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        (USUAL, ""),
        (USUAL, "   "),
        (USUAL, "e5"),
        (USUAL, "Nd2"),
        (USUAL, "O-O"),
        (USUAL, "resign"),
        (USUAL, "e4" + " " * 100 + "x"),
        # python-chess takes these for a null move
        (USUAL, "0000"),
        (USUAL, "--"),
        (USUAL, "Z0"),
        (USUAL, "@@@@"),
        (CENTRE, "d5"),
        (CASTLE, "0000"),
        (PROMOTING, "e8"),
        (PROMOTING, "e8=K"),
        (TWO_KNIGHTS, "Nd2"),
        (TWO_KNIGHTS, "nd2"),
        (TWO_KNIGHTS, "N1d2"),
        (BISHOP_OR_PAWN, "bc4"),
        (BISHOP_OR_PAWN, "BXC4"),
    ],
)
def test_what_fits_no_move_or_two_is_no_move(fen: str, text: str):
    assert parse_untrusted(chess.Board(fen), text) is None


@pytest.mark.parametrize("chess960", [False, True])
def test_san_is_read_back_in_whole_games(chess960: bool):
    rng = random.Random(8)
    for number in range(5):
        board = chess.Board.from_chess960_pos(number * 119) if chess960 else chess.Board()
        for _ in range(50):
            if board.is_game_over():
                break
            for move in board.legal_moves:
                assert parse_untrusted(board, board.san(move)) == move.uci()
                assert parse_untrusted(board, board.lan(move)) == move.uci()
            board.push(rng.choice(list(board.legal_moves)))


def test_reading_leaves_the_board_alone():
    board = chess.Board()
    before = board.copy()
    for text in ("e4", "nf3", "nonsense", "O-O"):
        parse_untrusted(board, text)
    assert board == before
    assert board.move_stack == []
