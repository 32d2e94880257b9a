import random
from collections.abc import Mapping
from itertools import islice

import chess.variant
import pytest

from ulci.rules import GAMES, Illegal
from ulci_client.house_engine.chessboard import ChessBoard, read_untrusted, read_variant_untrusted
from ulci_client.house_engine.search import DECISIVE, MATE, Search, Variation


def lines_of(
    fen: str | None,
    depth: int,
    moves: str = "",
    liking: Mapping[chess.Move, int] | None = None,
) -> list[Variation[chess.Move]]:
    board = read_untrusted(fen, moves.split(), chess960=False)
    steps = Search(board, liking).deepen(board.moves(), depth)
    return [line for line in steps if line is not None]


def best(fen: str | None, depth: int, moves: str = "") -> tuple[str, int]:
    line = lines_of(fen, depth, moves)[-1]
    return line.moves[0].uci(), line.score


def brute_force(board: chess.Board, depth: int, ply: int = 0) -> int:
    """Plain negamax with the same rules for leaves, without any pruning."""
    ours = ChessBoard(board.copy(stack=False))
    in_check = ours.in_check()
    if depth <= 0 and not in_check:
        top, moves = ours.evaluate(), ours.captures()
    else:
        top, moves = -MATE - 1, ours.moves()
        if not moves:
            return ply - MATE if in_check else 0
    for move in moves:
        board.push(move)
        top = max(top, -brute_force(board, depth - 1, ply + 1))
        board.pop()
    return top


def test_a_hanging_queen_is_taken():
    assert best("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", 1)[0] == "d1d5"


def test_a_defended_pawn_is_not_worth_a_queen():
    assert best("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", 1)[0] != "d1d6"


def test_mate_in_one_is_played_and_nothing_deeper_is_looked_at():
    lines = lines_of("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 5)
    assert lines[-1].moves[0].uci() == "a1a8"
    assert lines[-1].score == MATE - 1
    assert lines[-1].depth == 1


def test_mate_in_two_is_found_at_three_plies():
    move, score = best("6k1/5ppp/8/8/8/8/R7/1R4K1 w - - 0 1", 3)
    assert (move, score) in {("a2a8", MATE - 1), ("b1b8", MATE - 1)}
    line = lines_of("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 4)[-1]
    assert line.score == MATE - 3
    assert len(line.moves) == 3


def test_being_mated_is_put_off_as_long_as_possible():
    _, score = best("k7/8/1K6/8/8/8/8/7R b - - 0 1", 3)
    assert score == 2 - MATE


def test_mate_beats_the_fifty_move_rule():
    assert best("7k/8/6K1/8/8/8/8/R7 w - - 99 90", 2) == ("a1a8", MATE - 1)


def test_stalemate_is_no_win():
    # Queen to f7 or c7 would leave the other king without a move.
    for fen in ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"):
        assert best(fen, 2)[1] > 300


@pytest.mark.parametrize(
    ("start", "score"),
    [
        # The last move of Black leaves White without one.
        ("8/8/7n/8/p7/8/P7/8 b - - 0 1", 1 - MATE),
        # The last man is lost.
        ("8/8/8/8/8/1p6/P7/8 w - - 0 1", 1 - MATE),
    ],
)
def test_whoever_has_no_move_left_has_won_in_antichess(start: str, score: int):
    board = read_variant_untrusted(chess.variant.AntichessBoard, start, ())
    moves = [board.find_untrusted(move) for move in ("a4a3", "a2b3")]
    lines = [*Search(board).deepen([move for move in moves if move is not None], 2)]
    assert next(line.score for line in reversed(lines) if line is not None) == score


def test_crazyhouse_is_not_drawn_after_fifty_moves():
    start = "4k3/8/8/8/8/8/8/4K3[Pp] w - - 100 90"
    assert not read_variant_untrusted(chess.variant.CrazyhouseBoard, start, ()).drawn()


def test_the_losing_side_repeats_and_the_winning_side_does_not():
    moves = "f1e1 d8e8 e1f1 e8d8"
    winning = "3k4/8/8/8/8/8/1Q6/5K2 w - - 4 1"
    assert best(winning, 2, moves)[1] > 300
    losing = "3k4/8/8/8/8/8/1q6/5K2 w - - 4 1"
    assert best(losing, 2, moves) == ("f1e1", 0)


def test_the_first_line_is_a_guess_and_the_next_are_ever_deeper():
    lines = lines_of(None, 3)
    assert lines[0].depth == 0
    depths = [line.depth for line in lines]
    assert depths == sorted(depths)
    assert depths[-1] == 3


def test_every_line_can_be_played():
    rng = random.Random(3)
    for _ in range(10):
        reference = chess.Board()
        for _ in range(rng.randrange(40)):
            if reference.is_game_over():
                break
            reference.push(rng.choice(list(reference.legal_moves)))
        for line in lines_of(reference.fen(), 2):
            board = reference.copy()
            for move in line.moves:
                assert board.is_legal(move)
                board.push(move)


def test_without_moves_there_is_no_line():
    assert lines_of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 2) == []


def test_only_the_moves_that_are_asked_for_are_looked_at():
    board = read_untrusted(None, [], chess960=False)
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h3")]
    lines = [line for line in Search(board).deepen(wanted, 2) if line]
    assert {line.moves[0] for line in lines} <= set(wanted)


def test_there_is_a_step_for_every_node():
    class Counting(ChessBoard):
        made = 0

        def make(self, move: chess.Move) -> None:
            self.made += 1
            super().make(move)

    board = Counting(chess.Board())
    steps = list(Search(board).deepen(board.moves(), 2))
    assert steps.count(None) == board.made > 40


def test_the_board_is_left_as_it_was():
    board = read_untrusted(None, ["e2e4"], chess960=False)
    before = board.name()
    list(Search(board).deepen(board.moves(), 2))
    assert board.name() == before


def test_a_move_that_is_liked_is_chosen_among_equals_and_its_score_is_not_changed():
    plain = lines_of(None, 2)[-1]
    liked = chess.Move.from_uci("b1c3")
    line = lines_of(None, 2, liking={liked: 60})[-1]
    assert line.moves[0] == liked != plain.moves[0]
    assert line.score <= plain.score


def test_preferences_do_not_delay_a_mate():
    fen = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
    board = read_untrusted(fen, [], chess960=False)
    liking = {move: 0 if move.uci() == "a1a8" else 500 for move in board.moves()}
    assert lines_of(fen, 3, liking=liking)[-1].moves[0].uci() == "a1a8"


@pytest.mark.parametrize(("depth", "men"), [(1, 10), (2, 6)])
def test_pruning_changes_no_score(depth: int, men: int):
    rng = random.Random(4)
    compared = 0
    while compared < 8:
        reference = chess.Board()
        while len(reference.piece_map()) > men and not reference.is_game_over():
            reference.push(rng.choice(list(reference.legal_moves)))
        if reference.is_game_over():
            continue
        reference.halfmove_clock = 0
        score = lines_of(reference.fen(), depth)[-1].score
        if abs(score) < DECISIVE:
            assert score == brute_force(reference, depth), reference.fen()
        compared += 1


def play_itself(game: str, seed: int, depth: int) -> int:
    """Plays a game against itself to its end by the rules; the number of plies."""
    rng = random.Random(seed)
    rules = GAMES[game]
    position = rules.new(rules.starts[rng.randrange(len(rules.starts))])
    board = read_untrusted(position.start, [], chess960=game == "chess960")
    while position.outcome() is None:
        move = rng.choice(board.moves())
        if len(position.moves) >= 6:
            liking = {move: rng.randint(0, 12) for move in board.moves()}
            lines = [line for line in Search(board, liking).deepen(board.moves(), depth) if line]
            move = lines[-1].moves[0]
        verdict = position.play_untrusted(board.spell(move))
        assert not isinstance(verdict, Illegal), (position.fen(), verdict)
        board.make(move)
    return len(position.moves)


@pytest.mark.parametrize("game", ["chess", "chess960"])
def test_a_game_against_itself_is_legal_and_ends(game: str):
    assert play_itself(game, seed=1, depth=1) > 6


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chess", "chess960"])
def test_a_game_against_itself_at_depth_two_is_legal_and_ends(game: str):
    assert play_itself(game, seed=100, depth=2) > 6


def test_where_men_come_back_to_the_board_checks_are_not_looked_at_for_ever():
    played = (
        "g1f3 g8f6 f3e5 b8c6 f2f4 f6d5 d2d4 b7b5 b1c3 c6e5 f4e5 N@e3 c1e3 d5e3 d1d3 B@f4 N@d5 e3d5"
        " c3d5 N@e6 N@e4 g7g5 N@f5 a7a6 b2b4 h7h5 a2a4 c7c6 d5f4 e6f4 d3f3 N@d5 B@c5 d7d6 f5d6 e7d6"
        " c5d6 N@e3 P@c7 e3c2 e1d1 c2e3 d1c1"
    )
    board = read_variant_untrusted(chess.variant.CrazyhouseBoard, None, played.split())
    looks = Search(board).deepen(board.moves(), 1)
    assert sum(1 for _ in islice(looks, 50_000)) < 50_000
