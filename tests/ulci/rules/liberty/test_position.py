import random

import pytest

from ulci.rules import Illegal, Legal, Outcome, Over, Reason, Side, Verdict
from ulci.rules.liberty import LIBERTY_CHESS, LibertyPosition

SHUFFLE = "g1f3 g8f6 f3g1 f6g8"


def play(position: LibertyPosition, moves: str) -> Verdict:
    """The verdict of the last move; all before it have to be legal."""
    *first, last = moves.split()
    for move in first:
        verdict = position.play_untrusted(move)
        assert isinstance(verdict, Legal), verdict
    return position.play_untrusted(last)


def after(lfen: str, moves: str) -> str:
    position = LIBERTY_CHESS.new(lfen)
    verdict = play(position, moves)
    assert not isinstance(verdict, Illegal), verdict
    return position.fen()


def draw(reason: Reason) -> Outcome:
    return Outcome(None, reason)


def test_a_move_is_remembered_in_its_canonical_spelling():
    position = LIBERTY_CHESS.new("4k3/P7/8/8/8/8/8/4K3 w")
    assert position.play_untrusted(" A7-A8=Q ") == Legal("a7a8q")
    assert position.moves == ["a7a8q"]
    assert position.turn is Side.BLACK


def test_boards_of_any_size_have_moves_of_any_length():
    position = LIBERTY_CHESS.new("k29r/31/31/31/31/31/31/31/31/31/31/K29R w")
    assert position.play_untrusted("ae1ae10") == Legal("ae1ae10")
    assert position.play_untrusted("ae12ae10") == Legal("ae12ae10")
    assert LIBERTY_CHESS.new(f"k254r{'/256' * 254}/K254R w").legal_moves()[-1] == "iv1iv256"


def test_every_kind_of_man_takes_only_what_its_attack_beats():
    lfen = "4k3/8/8/8/8/3wew2/3XEP2/4K3 w"
    moves = LIBERTY_CHESS.new(lfen).legal_moves()
    assert {"e2d3", "e2e3", "e2f3", "f2e3"} <= set(moves)
    assert not {"d2d3", "d2e3"} & set(moves)


def test_two_bishops_take_what_stands_between_them():
    lfen = "r3k3/8/8/2BpB3/8/8/8/R3K3 w Qq - 7 9"
    assert after(lfen, "c5e5") == after(lfen, "e5c5") == "r3k3/8/8/2B1B3/8/8/8/R3K3 b Qq - 0 9"


def test_a_pawn_that_went_far_can_be_taken_on_every_square_it_passed():
    lfen = "4k3/1p6/8/8/P1P5/8/8/4K3 b - - 0 1 5,2"
    assert after(lfen, "b7b2") == "4k3/8/8/8/P1P5/8/1p6/4K3 w - b3-6 0 2 5"
    assert after(lfen, "b7b2 a4b5") == "4k3/8/8/1P6/2P5/8/8/4K3 b - - 0 2 5"
    assert isinstance(play(LIBERTY_CHESS.new(lfen), "b7b2 e1e2 e8e7 a4b5"), Illegal)


def test_even_what_was_promoted_is_taken_in_passing():
    lfen = "3k2/1p4/6/2P3/5K b - - 0 1 3,4 qe"
    assert after(lfen, "b4b1q c2b3") == "3k2/6/1P4/6/5K b - - 0 2 3,4 qe"


def test_castling_takes_the_partner_along_whatever_it_is():
    lfen = "1n2k1m1/8/8/8/8/8/8/1N2K1M1 w KQkq - 0 1 2,2,1,2,7"
    assert isinstance(play(LIBERTY_CHESS.new(lfen), "e1g1"), Illegal)
    lfen = "1n2k2m/8/8/8/8/8/8/1N2K2M w KQkq - 0 1 2,2,1,2"
    assert after(lfen, "e1g1 e8c8") == "2kn3m/8/8/8/8/8/8/1N3MK1 w - - 2 2 2,2,1,2"


def test_who_walks_onto_a_partners_square_ends_that_right():
    lfen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert after(lfen, "a1a8").split()[2] == "Kk"
    assert after(lfen, "e1e2").split()[2] == "kq"


# How a game ends


@pytest.mark.parametrize(
    ("lfen", "moves", "outcome"),
    [
        ("4k3/8/8/8/8/8/3r4/4K3 w", "e1d2", draw(Reason.MATERIAL)),
        ("8/8/8/2p5/8/4N3/8/4K3 w", "e3d5 c5c4 d5b6 c4c3 b6d5 c3c2 d5e3 c2c1q", None),
        ("8/8/8/8/2p5/4N3/8/4K3 w", "e3c4", Outcome(Side.WHITE, Reason.ELIMINATION)),
        ("k7/8/1K6/8/8/8/8/7R w", "h1h8", Outcome(Side.WHITE, Reason.CHECKMATE)),
        ("k7/8/1K6/8/8/8/2Q5/8 w", "c2c7", draw(Reason.STALEMATE)),
        ("4k3/8/8/8/8/8/8/4K2R w - - 99 60", "h1h2", draw(Reason.FIFTY_MOVES)),
        # Mate on the hundredth half-move wins.
        ("k7/8/1K6/8/8/8/8/7R w - - 99 60", "h1h8", Outcome(Side.WHITE, Reason.CHECKMATE)),
        # A side without a king cannot be mated, but may have no move.
        ("8/8/8/8/8/p7/P7/4K3 w", "e1e2", draw(Reason.STALEMATE)),
    ],
)
def test_a_game_ends(lfen: str, moves: str, outcome: Outcome | None):
    position = LIBERTY_CHESS.new(lfen)
    verdict = play(position, moves)
    assert position.outcome() == outcome
    assert isinstance(verdict, Legal if outcome is None else Over)


@pytest.mark.parametrize(
    ("lfen", "enough"),
    [
        ("4k3/8/8/8/8/8/8/4KN2 w", False),
        ("4k3/8/8/8/8/8/8/4KNN1 w", True),
        ("4k3/8/8/8/8/8/8/4KNI1 w", True),
        ("4k3/8/8/8/8/8/8/B1B1K3 w", False),
        ("4k3/8/8/8/8/8/8/BB2K3 w", True),
        ("4k3/8/8/8/8/8/8/B1L1K3 w", False),
        ("4k3/8/8/8/8/8/8/B1L1KZ2 w", True),
        ("4k3/8/8/8/8/8/P7/4K3 w", True),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1 - n", False),
        ("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1 - n", True),
        ("4k3/8/8/8/8/8/8/OW2K3 w", False),
        ("4k3/8/8/8/8/8/8/O2KK3 w", True),
        ("4k3/8/8/8/8/8/8/4KX2 w", True),
        ("4k3/8/8/8/8/8/8/4K3 w", False),
        ("kk6/8/8/8/8/8/8/KK6 w", False),
    ],
)
def test_men_that_cannot_mate_a_bare_king_are_a_draw(lfen: str, enough: bool):
    expected = None if enough else draw(Reason.MATERIAL)
    assert LIBERTY_CHESS.new(lfen).outcome() == expected


def test_the_third_occurrence_ends_the_game_whatever_is_said_of_claims():
    for claims in (False, True):
        position = LIBERTY_CHESS.new(claims=claims)
        assert isinstance(play(position, SHUFFLE), Legal)
        assert position.claim() is None
        assert play(position, SHUFFLE) == Over("f6g8", draw(Reason.REPETITION))
        assert position.play_untrusted("e2e4") == Illegal(
            "the game is over (repetition), no move can be made"
        )


def test_a_passed_square_makes_another_position_even_if_nobody_can_take():
    position = LIBERTY_CHESS.new("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    assert isinstance(play(position, "g8f6 g1f3 f6g8 f3g1 " * 2), Legal)
    assert play(position, "g8f6") == Over("g8f6", draw(Reason.REPETITION))


@pytest.mark.parametrize(
    ("lfen", "white"),
    [
        ("r3k3/8/8/8/8/8/8/4K3 w", False),
        ("r3k3/8/8/8/8/8/8/4KN2 w", True),
        ("r3k3/8/8/8/8/8/8/O2WK3 w", False),
        ("r7/8/8/8/8/8/8/O2WK3 w", True),
        ("r7/8/8/8/8/8/8/O2W4 w", False),
    ],
)
def test_who_gives_no_check_wins_only_by_elimination(lfen: str, white: bool):
    position = LIBERTY_CHESS.new(lfen)
    assert position.can_win(Side.WHITE) is white
    assert position.can_win(Side.BLACK)


def test_every_king_in_check_is_named():
    assert LIBERTY_CHESS.new("4k3/8/8/8/8/8/8/K2r2K1 w").checked() == [(0, 0), (6, 0)]
    assert LIBERTY_CHESS.new("4k3/8/8/8/8/8/8/R5K1 w").checked() == []


def test_squares_come_from_the_top():
    rows = LIBERTY_CHESS.new("k2/3/2Z/1Ka w").squares()
    assert rows == [["k", "", ""], ["", "", ""], ["", "", "Z"], ["", "K", "a"]]


def test_play_along_a_random_game_is_what_a_fresh_position_says():
    rng = random.Random(8)
    for name in ("liberty", "mini", "trump", "elimination"):
        position = LIBERTY_CHESS.new(name)
        while position.outcome() is None and len(position.moves) < 80:
            again = LIBERTY_CHESS.new(position.fen())
            assert again.legal_moves() == position.legal_moves()
            position.play_untrusted(rng.choice(position.legal_moves()))
