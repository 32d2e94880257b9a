import chess
import pytest

from ulci.rules import Illegal, Legal, Outcome, Over, Reason, Side, Verdict
from ulci.rules.chess import CHESS, CHESS960, ChessPosition

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def play(position: ChessPosition, moves: str | list[str]) -> Verdict:
    """The verdict of the last move; all before it have to be legal."""
    *first, last = moves.split() if isinstance(moves, str) else moves
    for move in first:
        verdict = position.play_untrusted(move)
        assert isinstance(verdict, Legal), verdict
    return position.play_untrusted(last)


def draw(reason: Reason) -> Outcome:
    return Outcome(None, reason)


def test_a_legal_move_changes_the_turn():
    position = CHESS.new()
    assert position.play_untrusted("e2e4") == Legal("e2e4")
    assert position.turn is Side.BLACK
    assert position.moves == ["e2e4"]
    assert position.outcome() is None


def test_an_illegal_move_changes_nothing():
    position = CHESS.new()
    assert position.play_untrusted("e2e5") == Illegal("e2e5 is not a move of the pawn")
    assert position.turn is Side.WHITE
    assert position.moves == []


def test_a_move_is_remembered_in_its_canonical_spelling():
    position = CHESS.new("r3k2r/P4p2/8/8/8/8/8/4K2R w Kk - 0 1")
    assert play(position, ["e1h1"]) == Legal("e1g1")
    assert play(position, ["E8H8"]) == Legal("e8g8")
    assert play(position, ["a7a8Q"]) == Illegal("a8 is occupied, and a pawn captures diagonally")
    assert position.moves == ["e1g1", "e8g8"]


def test_chess960_remembers_castling_as_king_takes_rook():
    position = CHESS960.new("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert play(position, ["e1g1"]) == Legal("e1h1")
    assert play(position, ["e8a8"]) == Legal("e8a8")
    assert position.fen() == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"


def test_chess960_writes_castling_rights_as_files():
    position = CHESS960.new("1r2k1r1/8/8/8/8/8/8/2R1KR2 w FCgb - 0 1")
    assert play(position, "f1f2") == Legal("f1f2")
    assert position.fen() == "1r2k1r1/8/8/8/8/8/5R2/2R1K3 b Cgb - 1 1"


# How a game ends


def test_checkmate_wins():
    verdict = play(CHESS.new(), "f2f3 e7e5 g2g4 d8h4")
    assert verdict == Over("d8h4", Outcome(Side.BLACK, Reason.CHECKMATE))


def test_stalemate_is_a_draw():
    position = CHESS.new("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    assert play(position, "f1f7") == Over("f1f7", draw(Reason.STALEMATE))


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "e1d2"),
        ("4k3/8/8/8/8/8/3r4/4K1N1 w - - 0 1", "e1d2"),
        ("4k1b1/8/8/8/8/8/3r4/4K3 w - - 0 1", "e1d2"),
        # Bishops of one square colour, however many and whosever.
        ("2b1k1b1/8/8/8/8/8/3r4/4KB2 w - - 0 1", "e1d2"),
        ("4k3/8/8/8/1B1B4/B7/3r1B2/4K3 w - - 0 1", "e1d2"),
    ],
)
def test_material_that_cannot_mate_is_a_draw_at_once(fen: str, move: str):
    assert play(CHESS.new(fen), move) == Over(move, draw(Reason.MATERIAL))


@pytest.mark.parametrize(
    "fen",
    [
        "4k1n1/8/8/8/8/8/3r4/4K1N1 w - - 0 1",
        "4k3/8/8/8/8/8/3r4/4KNN1 w - - 0 1",
        "4k1b1/8/8/8/8/8/3r4/4K1B1 w - - 0 1",
        "4k3/8/8/8/8/8/P2r4/4K3 w - - 0 1",
    ],
)
def test_material_that_can_still_mate_goes_on(fen: str):
    assert play(CHESS.new(fen), "e1d2") == Legal("e1d2")


def test_a_start_may_be_the_end():
    mated = CHESS.new("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert mated.outcome() == Outcome(Side.WHITE, Reason.CHECKMATE)
    assert CHESS.new("4k3/8/8/8/8/8/8/4K3 w - - 0 1").outcome() == draw(Reason.MATERIAL)
    assert CHESS.new("4k3/8/8/8/8/8/8/4K2R w - - 100 80").outcome() == draw(Reason.FIFTY_MOVES)


def test_after_the_end_nothing_is_played_parsed_or_claimed():
    position = CHESS.new("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    why = "the game is over (checkmate), no move can be made"
    assert position.play_untrusted("h8g8") == Illegal(why)
    assert position.parse_untrusted("Kg8") is None
    assert position.claim() is None


# Repetition


def test_the_third_occurrence_ends_the_game_and_the_start_counts():
    position = CHESS.new()
    assert play(position, SHUFFLE * 2) == Over("f6g8", draw(Reason.REPETITION))
    assert len(position.moves) == 8


def test_with_claims_the_third_may_be_claimed_and_the_fifth_ends_it():
    position = CHESS.new(claims=True)
    assert play(position, SHUFFLE) == Legal("f6g8")
    assert position.claim() is None
    assert play(position, SHUFFLE) == Legal("f6g8")
    assert position.claim() is Reason.REPETITION
    assert play(position, SHUFFLE[:1]) == Legal("g1f3")
    # Black could claim here too: this position has also been there three times.
    assert position.claim() is Reason.REPETITION
    assert play(position, SHUFFLE[1:]) == Legal("f6g8")
    assert play(position, SHUFFLE) == Over("f6g8", draw(Reason.REPETITION))
    assert position.claim() is None


def test_lost_castling_rights_make_another_position():
    kings = ["e1e2", "e8e7", "e2e1", "e7e8"]
    position = CHESS.new("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    # Both kings moved for the first time at ply 2: what stood there comes back at plies 6 and 10.
    assert play(position, [*kings, *kings, "e1e2"]) == Legal("e1e2")
    assert position.play_untrusted("e8e7") == Over("e8e7", draw(Reason.REPETITION))


def test_an_en_passant_capture_that_was_possible_makes_another_position():
    position = CHESS.new("4k3/3p4/8/4P3/8/8/8/R3K3 b - - 0 1")
    play(position, "d7d5")
    assert play(position, "a1b1 e8e7 b1a1 e7e8 a1b1 e8e7 b1a1 e7e8") == Legal("e7e8")


def test_an_en_passant_square_that_nobody_can_use_does_not():
    position = CHESS.new("4k3/3p4/8/8/8/8/8/R3K3 b - - 0 1")
    play(position, "d7d5")
    assert play(position, "a1b1 e8e7 b1a1 e7e8 a1b1 e8e7 b1a1 e7e8") == Over(
        "e7e8", draw(Reason.REPETITION)
    )


def test_a_pinned_pawn_cannot_take_en_passant_so_the_position_is_the_same():
    position = CHESS.new("4k3/3p4/8/q3P2K/8/8/8/R7 b - - 0 1")
    play(position, "d7d5")
    verdict = play(position, "a1b1 e8e7 b1a1 e7e8 a1b1 e8e7 b1a1 e7e8")
    assert verdict == Over("e7e8", draw(Reason.REPETITION))


def test_the_same_men_with_the_other_side_to_move_are_another_position():
    # A king that takes two moves to where the other goes in one changes the turn.
    position = CHESS.new("7k/8/8/8/8/8/8/KR6 w - - 0 1")
    moves = "a1a2 h8g8 a2b2 g8h8 b2a1 h8g7 a1a2 g7g8 a2b2 g8h8 b2a1 h8g8"
    assert isinstance(play(position, moves), Legal)


# Fifty moves


def test_fifty_moves_of_each_side_are_a_draw():
    position = CHESS.new("4k3/8/8/8/8/8/8/4K2R w - - 99 80")
    assert play(position, "h1h2") == Over("h1h2", draw(Reason.FIFTY_MOVES))


def test_a_capture_or_pawn_move_starts_the_count_again():
    position = CHESS.new("4k3/8/8/8/8/8/7p/4K2R w - - 99 80")
    assert play(position, "h1h2") == Legal("h1h2")
    position = CHESS.new("4k3/8/8/8/8/8/7P/4K2R w - - 99 80")
    assert play(position, "h2h3") == Legal("h2h3")


def test_mate_beats_fifty_moves():
    position = CHESS.new("7k/8/6K1/8/8/8/8/R7 w - - 99 80")
    assert play(position, "a1a8") == Over("a1a8", Outcome(Side.WHITE, Reason.CHECKMATE))
    position = CHESS.new("7k/8/6K1/8/8/8/8/R7 w - - 149 90", claims=True)
    assert play(position, "a1a8") == Over("a1a8", Outcome(Side.WHITE, Reason.CHECKMATE))


def test_with_claims_fifty_moves_may_be_claimed_and_seventy_five_end_it():
    position = CHESS.new("4k3/8/8/8/8/8/8/4K2R w - - 99 80", claims=True)
    assert position.claim() is None
    assert play(position, "h1h2") == Legal("h1h2")
    assert position.claim() is Reason.FIFTY_MOVES
    position = CHESS.new("4k3/8/8/8/8/8/8/4K2R w - - 149 90", claims=True)
    assert play(position, "h1h2") == Over("h1h2", draw(Reason.FIFTY_MOVES))


# What the arbiter and the screen ask


@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        (chess.STARTING_FEN, True, True),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", True, False),
        ("4k3/8/8/8/8/8/p7/4KN2 w - - 0 1", True, True),
        ("4k3/8/8/8/8/8/8/q3KN2 w - - 0 1", False, True),
    ],
)
def test_who_can_still_win(fen: str, white: bool, black: bool):
    position = CHESS.new(fen)
    assert (position.can_win(Side.WHITE), position.can_win(Side.BLACK)) == (white, black)


def test_san_is_written_for_any_spelling_of_a_legal_move():
    position = CHESS.new("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert position.san("e1g1") == position.san("e1h1") == "O-O"
    assert position.san("a1a8") == "Rxa8+"
    with pytest.raises(ValueError, match="there is no piece on e3"):
        position.san("e3e4")


def test_the_squares_are_listed_from_the_top_left():
    squares = CHESS.new("4k2r/8/8/8/8/8/8/Q3K3 w - - 0 1").squares()
    assert [len(rank) for rank in squares] == [8] * 8
    assert squares[0] == ["", "", "", "", "k", "", "", "r"]
    assert squares[7] == ["Q", "", "", "", "K", "", "", ""]


def test_the_king_in_check_is_pointed_out():
    assert CHESS.new().checked() == []
    assert CHESS.new("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").checked() == [(4, 0)]


def test_history_is_dropped_when_it_cannot_come_back():
    position = CHESS.new()
    play(position, "g1f3 g8f6 e2e4")
    assert len(position._board.move_stack) == 0
    assert len(position._seen) == 1
