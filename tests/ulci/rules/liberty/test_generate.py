"""Which moves are legal, against a slow reference and against python-chess."""

import itertools
import random

import chess
import pytest

from tests.support import slow_liberty
from tests.ulci.rules.liberty.starts import STARTS, random_lfen
from ulci.rules import Illegal
from ulci.rules.liberty import (
    LIBERTY_CHESS,
    Board,
    legal_moves,
    read_lfen,
    spell,
    watch,
    write_lfen,
)
from ulci.rules.liberty.generate import any_legal, is_legal


def state(board: Board) -> tuple[object, ...]:
    """All that a board knows."""
    return (
        write_lfen(board),
        bytes(board.cells),
        [sorted(men) for men in board.men],
        [sorted(kings) for kings in board.kings],
        list(board.pieces),
        list(board.groups),
        board.turn,
        board.rights,
        board.passed,
    )


def random_line(lfen: str, rng: random.Random, plies: int) -> Board:
    board = read_lfen(lfen)
    for _ in range(plies):
        moves = list(legal_moves(board, watch(board)))
        if not moves:
            break
        board.make(rng.choice(moves))
    return board


def spelled(board: Board) -> list[str]:
    return [spell(board.setup.geometry, move) for move in legal_moves(board, watch(board))]


def agrees(lfen: str, rng: random.Random, plies: int) -> None:
    """Along a random game, the same moves as the reference at every ply."""
    board, slow = read_lfen(lfen), slow_liberty.read(lfen)
    for ply in range(plies):
        moves = spelled(board)
        assert sorted(moves) == sorted(slow.legal()), (ply, write_lfen(board))
        seen = watch(board)
        assert any_legal(board, seen) == bool(moves)
        if not moves:
            return
        text = rng.choice(moves)
        move = next(m for m in legal_moves(board, seen) if spell(board.setup.geometry, m) == text)
        board.make(move)
        start, end, letter = text_parts(text)
        slow = slow.after(start, end, letter)


def text_parts(text: str) -> tuple[slow_liberty.Square, slow_liberty.Square, str]:
    letter = text[-1] if text[-1].isalpha() else ""
    digits = "0123456789"
    stem = text.removesuffix(letter)
    middle = next(n for n in range(2, len(stem)) if stem[n] not in digits and stem[n - 1] in digits)
    return slow_liberty.square_of(stem[:middle]), slow_liberty.square_of(stem[middle:]), letter


@pytest.mark.parametrize("lfen", STARTS)
def test_the_moves_are_those_of_the_reference(lfen: str):
    agrees(lfen, random.Random(lfen), 8)


@pytest.mark.parametrize("seed", range(40))
def test_the_moves_on_random_boards_are_those_of_the_reference(seed: int):
    rng = random.Random(seed)
    agrees(random_lfen(rng), rng, 10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400))
def test_the_moves_of_many_random_games_are_those_of_the_reference(seed: int):
    rng = random.Random(seed)
    agrees(random_lfen(rng), rng, 30)


@pytest.mark.parametrize("seed", range(12))
def test_every_pair_of_squares_is_judged_as_the_list_of_moves_says(seed: int):
    rng = random.Random(seed)
    board = random_line(random_lfen(rng), rng, rng.randrange(12))
    position = LIBERTY_CHESS.new(write_lfen(board))
    if position.outcome() is not None:
        return
    legal, before = set(position.legal_moves()), position.fen()
    geometry = board.setup.geometry
    names = [
        geometry.name(geometry.at(file, rank))
        for file in range(geometry.width)
        for rank in range(geometry.height)
    ]
    for start, end in itertools.product(names, repeat=2):
        for letter in ("", "q", "k"):
            move = f"{start}{end}{letter}"
            if move not in legal:
                verdict = position.play_untrusted(move)
                assert isinstance(verdict, Illegal)
                assert verdict.why
                assert not verdict.why.endswith(".")
    assert position.fen() == before


@pytest.mark.parametrize("seed", range(60))
def test_a_move_taken_back_leaves_no_trace(seed: int):
    rng = random.Random(seed)
    board = random_line(random_lfen(rng), rng, rng.randrange(20))
    before = state(board)
    moves = list(legal_moves(board, watch(board)))
    assert state(board) == before
    for move in moves:
        assert is_legal(board, watch(board), move)
        board.unmake(board.make(move))
        assert state(board) == before


@pytest.mark.parametrize("seed", range(40))
def test_what_is_kept_while_moving_is_what_the_board_shows(seed: int):
    rng = random.Random(seed)
    board = random_line(random_lfen(rng), rng, 40)
    again = read_lfen(write_lfen(board))
    assert state(again) == state(board)


def without_vatican(board: Board) -> list[str]:
    """The only rule by which standard men move in another way."""
    seen, geometry = watch(board), board.setup.geometry
    moves = (move for move in legal_moves(board, seen) if not board.is_vatican(move))
    return sorted(spell(geometry, move) for move in moves)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_standard_games_have_the_moves_of_python_chess(seed: int):
    """Four hundred of them."""
    rng = random.Random(seed)
    for _ in range(20):
        board, reference = read_lfen(chess.STARTING_FEN), chess.Board()
        while reference.ply() < 150:
            expected = sorted(reference.legal_moves, key=chess.Move.uci)
            assert without_vatican(board) == [move.uci() for move in expected], reference.fen()
            assert bool(watch(board).checks) == reference.is_check()
            if not expected:
                break
            chosen = rng.choice(expected)
            reference.push(chosen)
            geometry = board.setup.geometry
            board.make(
                next(
                    move
                    for move in legal_moves(board, watch(board))
                    if spell(geometry, move) == chosen.uci()
                )
            )
