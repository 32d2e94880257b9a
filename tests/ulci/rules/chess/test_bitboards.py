import random
from collections.abc import Iterator

import chess
import pytest

from ulci.rules.chess import CHESS960, bitboards
from ulci.rules.chess.bitboards import MOVES, has_move

# Where a generator is easily wrong: pins of every kind, checks, lost castling rights, promoted men.
FENS = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "3k4/8/8/2rqr3/1bPPPb2/2nKn3/2QRB3/8 w - - 0 1",
    "4k3/4r3/8/b7/8/2N1B3/3PPP2/r1Q1K2R w K - 0 1",
    "k7/8/8/3K4/8/8/8/qr6 w - - 0 1",
]


def state(board: chess.Board) -> tuple[object, ...]:
    """Everything that a board is, but for its history."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        tuple(board.occupied_co),
        board.occupied,
        board.promoted,
        board.turn,
        board.castling_rights,
        board.ep_square,
        board.halfmove_clock,
        board.fullmove_number,
    )


def is_ordinary(board: chess.Board, move: chess.Move) -> bool:
    return not (move.promotion or board.is_castling(move) or board.is_en_passant(move))


def check_every_move(board: chess.Board) -> None:
    """Of the legal ones each ordinary one is made as python-chess makes it, of others none."""
    before, check = state(board), board.is_check()
    ordinary = {move.uci(): move for move in board.legal_moves if is_ordinary(board, move)}
    made = set()
    for text, move in MOVES.items():
        mine = board.copy(stack=False)
        gives_check = bitboards.make(mine, move, check=check)
        if gives_check is None:
            assert state(mine) == before, (board.fen(), text)
            continue
        made.add(text)
        theirs = board.copy(stack=False)
        theirs.push(ordinary[text])
        assert (state(mine), gives_check) == (state(theirs), theirs.is_check()), text
    assert made == set(ordinary), board.fen()
    assert has_move(board, check=check) == any(board.legal_moves)


def walk(board: chess.Board, rng: random.Random, plies: int) -> Iterator[chess.Board]:
    """The board after every ply of a random game; captures and promotions are liked."""
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            return
        wild = [move for move in moves if move.promotion or board.is_capture(move)]
        board.push(rng.choice(wild if wild and rng.random() < 0.3 else moves))
        yield board


def starts(seed: int) -> chess.Board:
    """Usual positions, those above, and arrangements of Chess960."""
    if seed % 3 == 0:
        return chess.Board()
    if seed % 3 == 1:
        return chess.Board(FENS[seed // 3 % len(FENS)])
    return chess.Board(CHESS960.starts[seed * 37 % 960], chess960=True)


@pytest.mark.parametrize("fen", FENS)
def test_every_move_of_a_delicate_position_is_judged_as_by_python_chess(fen: str):
    check_every_move(chess.Board(fen))
    check_every_move(chess.Board(fen).mirror())


@pytest.mark.parametrize("seed", range(12))
def test_every_move_of_random_positions_is_judged_as_by_python_chess(seed: int):
    rng = random.Random(seed)
    for board in walk(starts(seed), rng, 60):
        if rng.random() < 0.2:
            check_every_move(board)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_every_move_of_thousands_of_positions_is_judged_as_by_python_chess(seed: int):
    rng = random.Random(seed)
    for board in walk(starts(seed), rng, 200):
        if rng.random() < 0.3:
            check_every_move(board)


@pytest.mark.parametrize("seed", range(60))
def test_a_whole_game_is_made_as_by_python_chess(seed: int):
    mine = starts(seed).copy(stack=False)
    theirs = mine.copy()
    for board in walk(theirs, random.Random(seed), 300):
        move = board.peek()
        known = MOVES.get(move.uci())
        if known is None or bitboards.make(mine, known, check=mine.is_check()) is None:
            mine.push(move)
            mine.clear_stack()
        assert state(mine) == state(board)


@pytest.mark.parametrize(
    "fen",
    [
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",  # mate
        "k7/P7/K7/8/8/8/8/8 b - - 0 1",
        "8/8/8/8/8/k7/p7/K7 w - - 0 1",
        "8/8/8/8/5b2/8/3P1p2/2K2k2 w - - 0 1",  # the pawn is pinned, the king is not stuck
        "k6r/8/8/8/8/p7/P6P/7K w - - 0 1",  # a pawn that is pinned on its file goes ahead
    ],
)
def test_whether_there_is_a_move_where_hardly_one_is_left(fen: str):
    board = chess.Board(fen)
    assert has_move(board, check=board.is_check()) == any(board.legal_moves)
