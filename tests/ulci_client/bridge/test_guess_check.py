import random

import chess
import pytest

from tests.support.effort import instructions
from ulci.protocol.messages import BestMove, Position
from ulci_client.bridge.guess_check import MOST_REPLAYED, GuessCheck

FEN = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1"


@pytest.mark.parametrize(
    ("game", "start", "moves", "move", "guess", "legal"),
    [
        ("chess", None, "", "e2e4", "e7e5", True),
        ("chess", None, "", "e2e4", "e2e4", False),
        ("chess", None, "", "e2e4", "d2d4", False),
        ("chess", None, "", "e2e5", "e7e5", False),
        ("chess", None, "e2e4 e7e5", "g1f3", "b8c6", True),
        ("chess", None, "e2e4 e7e5", "g1f3", "b8a5", False),
        ("chess", None, "e2e4 e2e4", "g1f3", "b8c6", False),
        ("chess", None, "", "e2e4", "e7e9", False),
        ("chess", None, "", "e2e4", "quit", False),
        ("chess", None, "f2f3 e7e5 g2g4", "d8h4", "e1f2", False),  # it is mate
        ("chess", FEN, "", "e1g1", "e8d7", True),
        ("chess", FEN, "", "a7a8q", "e8d7", True),
        ("chess", FEN, "", "a7a8", "e8d7", False),
        ("chess", "8/8/8/8/8/8/8/8 w - - 0 1", "", "e2e4", "e7e5", False),
        ("chess960", FEN, "", "e1h1", "e8d7", True),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1", "", "Q@a1", "e8d7", True),
        ("atomic", None, "", "e2e4", "e7e5", True),
        ("ataxx", None, "", "a1", "whatever", True),
    ],
)
def test_a_guess_is_judged_by_the_rules_of_the_game_where_they_are_known(
    game, start, moves, move, guess, legal
):
    check = GuessCheck()
    check.game = game
    position = Position(start, tuple(moves.split()))
    for _ in range(2):  # the board is as it was before
        assert check.is_legal(position, BestMove(move, guess)) is legal


def test_the_board_goes_along_with_games_and_takebacks():
    check, chance, board = GuessCheck(), random.Random(7), chess.Board()
    for _ in range(300):
        if board.is_game_over() or (board.move_stack and chance.random() < 0.1):
            for _ in range(min(len(board.move_stack), chance.choice((1, 2, 500)))):
                board.pop()
        if board.is_game_over():
            continue
        played = tuple(move.uci() for move in board.move_stack)
        move = chance.choice([*board.legal_moves])
        board.push(move)
        guess = "".join(chance.choices(chess.SQUARE_NAMES, k=2))
        replies = [reply.uci() for reply in board.legal_moves] if not board.is_game_over() else []
        for said in (*replies[:3], guess):
            answer = BestMove(move.uci(), said)
            assert check.is_legal(Position(None, played), answer) is (said in replies)


def long_game(plies: int) -> list[str]:
    """A game of so many plies that is not over."""
    for seed in range(1000):
        chance, board = random.Random(seed), chess.Board()
        while not board.is_game_over() and len(board.move_stack) < plies:
            quiet = [move for move in board.legal_moves if not board.is_capture(move)]
            board.push(chance.choice(quiet or [*board.legal_moves]))
        if not board.is_game_over():
            return [move.uci() for move in board.move_stack]
    raise AssertionError("no game is so long")


def ready(plies: int) -> tuple[GuessCheck, Position, BestMove]:
    """The check, gone along with a game up to there, and an answer with a legal guess."""
    moves = long_game(plies + 2)
    check, position = GuessCheck(), Position(None, tuple(moves[:plies]))
    answer = BestMove(*moves[plies : plies + 2])
    for _ in range(plies // MOST_REPLAYED + 1):
        check.is_legal(position, answer)
    return check, position, answer


def test_a_jump_into_a_long_game_is_made_in_steps():
    _, position, answer = ready(300)
    check = GuessCheck()
    steps = [check.is_legal(position, answer) for _ in range(4)]
    assert steps == [False, False, True, True]


def test_a_ply_costs_the_same_in_a_long_game():
    def cost(plies: int) -> int:
        check, position, answer = ready(plies)
        assert check.is_legal(position, answer)
        return instructions(lambda: check.is_legal(position, answer))

    assert cost(300) < 4 * cost(20)
