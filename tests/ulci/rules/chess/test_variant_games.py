"""Every variant ends as its own rules say, and says why a move is none."""

import chess.variant
import pytest

from ulci.rules import GAMES, Illegal, Legal, Needs, Outcome, Over, Reason, Side, StartError
from ulci.rules.chess import VARIANTS

NAMES = [rules.name for rules in VARIANTS]


def position(game: str, start: str | None = None, moves: str = ""):
    made = GAMES[game].new(start)
    for move in moves.split():
        verdict = made.play_untrusted(move)
        assert not isinstance(verdict, Illegal), verdict
    return made


def test_every_variant_of_python_chess_is_a_game_here():
    known = {board.uci_variant for board in chess.variant.VARIANTS} - {"chess"}
    assert known == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_asks_for_an_engine_that_can_be_told(name: str):
    needs = GAMES[name].needs(None)
    assert needs == Needs(pieces=frozenset("pnbrqk"), options={"UCI_Variant": name})


@pytest.mark.parametrize("name", NAMES)
def test_the_usual_start_needs_no_fen(name: str):
    rules = GAMES[name]
    assert rules.new().start is None
    assert rules.new(rules.new().fen()).start is None


RULE = Reason.GAME_RULE


@pytest.mark.parametrize(
    ("game", "start", "moves", "outcome"),
    [
        ("3check", "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1", "a1a8", Outcome(Side.WHITE, RULE)),
        ("kingofthehill", "8/8/k7/8/8/3K4/8/7r w - - 0 1", "d3d4", Outcome(Side.WHITE, RULE)),
        ("atomic", "4k3/4q3/8/8/8/8/8/K3R3 w - - 0 1", "e1e7", Outcome(Side.WHITE, RULE)),
        ("antichess", "8/8/8/8/8/1p6/P7/8 w - - 0 1", "a2b3", Outcome(Side.BLACK, RULE)),
        ("suicide", "8/8/8/8/8/1p6/P7/8 w - - 0 1", "a2b3", Outcome(Side.BLACK, RULE)),
        ("giveaway", "8/8/8/8/8/1p6/P7/8 w - - 0 1", "a2b3", Outcome(Side.BLACK, RULE)),
        # The stalemated side wins.
        ("antichess", "8/8/8/8/p7/8/P7/8 b - - 0 1", "a4a3", Outcome(Side.WHITE, RULE)),
        ("antichess", "8/8/7n/8/p7/8/P7/8 b - - 0 1", "a4a3", Outcome(Side.WHITE, RULE)),
        ("giveaway", "8/8/8/8/p7/8/P7/8 b - - 0 1", "a4a3", Outcome(Side.WHITE, RULE)),
        ("giveaway", "8/p7/8/P7/6N1/8/8/8 w - - 0 1", "a5a6", Outcome(Side.BLACK, RULE)),
        # The side with fewer men wins.
        ("suicide", "8/8/8/8/p7/8/P7/8 b - - 0 1", "a4a3", Outcome(None, RULE)),
        ("suicide", "8/8/7n/8/p7/8/P7/8 b - - 0 1", "a4a3", Outcome(Side.WHITE, RULE)),
        ("suicide", "8/8/8/p7/8/P7/P7/8 b - - 0 1", "a5a4", Outcome(Side.BLACK, RULE)),
        ("horde", "4k3/8/8/8/8/8/r7/P7 b - - 0 1", "a2a1", Outcome(Side.BLACK, RULE)),
        ("racingkings", "8/K7/8/8/7k/8/8/8 w - - 0 1", "a7a8", Outcome(Side.WHITE, RULE)),
        ("racingkings", "8/K6k/8/8/8/8/8/8 w - - 0 1", "a7a8 h7h8", Outcome(None, RULE)),
        (
            "crazyhouse",
            "6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1",
            "R@e8",
            Outcome(Side.WHITE, Reason.CHECKMATE),
        ),
    ],
)
def test_a_variant_ends_by_its_own_rule(game: str, start: str, moves: str, outcome: Outcome):
    *before, last = moves.split()
    made = position(game, start, " ".join(before))
    assert made.outcome() is None
    assert made.play_untrusted(last) == Over(last, outcome)
    assert made.legal_moves() == []


def test_a_man_is_dropped_however_it_is_written():
    start = "4k3/8/8/8/8/8/8/4K3[Pn] w - - 0 1"
    assert position("crazyhouse", start).play_untrusted("p@e4") == Legal("P@e4")
    made = position("crazyhouse", start)
    assert made.parse_untrusted("@e4") == "P@e4"
    assert made.san("P@e4") == "@e4"
    made.play_untrusted("P@e4")
    assert made.parse_untrusted("n@c2+") == "N@c2"


def test_what_was_captured_and_dropped_again_repeats_a_position_of_before():
    cycle = "g1f3 g8f6 f3g1 f6g8"
    made = position("crazyhouse", None, cycle)
    assert [type(made.play_untrusted(move)) for move in cycle.split()] == [Legal] * 3 + [Over]
    assert made.outcome() == Outcome(None, Reason.REPETITION)


@pytest.mark.parametrize("half_moves", [99, 149])
@pytest.mark.parametrize("claims", [False, True])
def test_crazyhouse_knows_no_fifty_moves(half_moves: int, claims: bool):
    start = f"4k3/8/8/8/8/8/8/4K3[Pp] w - - {half_moves} 90"
    made = GAMES["crazyhouse"].new(start, claims=claims)
    assert [made.play_untrusted(move) for move in ("e1e2", "e8e7")] == [
        Legal("e1e2"),
        Legal("e8e7"),
    ]
    assert made.claim() is None


@pytest.mark.parametrize("game", ["atomic", "3check"])
def test_other_variants_know_fifty_moves(game: str):
    checks = "3+3 " if game == "3check" else ""
    start = f"4k3/8/8/8/8/8/P7/4K3 w - - {checks}{{}} 90"
    made = GAMES[game].new(start.format(99))
    assert made.play_untrusted("e1e2") == Over("e1e2", Outcome(None, Reason.FIFTY_MOVES))
    made = GAMES[game].new(start.format(99), claims=True)
    assert made.play_untrusted("e1e2") == Legal("e1e2")
    assert made.claim() is Reason.FIFTY_MOVES
    made = GAMES[game].new(start.format(149), claims=True)
    assert made.play_untrusted("e1e2") == Over("e1e2", Outcome(None, Reason.FIFTY_MOVES))


@pytest.mark.parametrize(
    ("game", "start", "move", "why"),
    [
        ("antichess", "8/8/8/8/8/1p6/P7/7R w - - 0 1", "h1h2", "has to be"),
        ("atomic", "4k3/8/8/8/8/8/4p3/4K2R w - - 0 1", "e1e2", "explode"),
        ("racingkings", "8/8/8/8/k7/8/8/K6R w - - 0 1", "h1h4", "here no king may be"),
        ("crazyhouse", None, "N@e4", "White has no knight to drop"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@e1", "occupied"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@a1", "first or last rank"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/r3K3[P] w - - 0 1", "P@a4", "does not end it"),
        ("atomic", None, "N@e4", "does not know"),
        ("horde", None, "zz", "not a move"),
        ("3check", None, "e2e5", "not a move of the pawn"),
    ],
)
def test_why_there_is_no_such_move(game: str, start: str | None, move: str, why: str):
    verdict = position(game, start).play_untrusted(move)
    assert isinstance(verdict, Illegal)
    assert why in verdict.why


@pytest.mark.parametrize(
    ("game", "start", "why"),
    [
        ("3check", "4k3/8/8/8/8/8/8/4K3 w", "2 fields"),
        ("3check", "4k3/8/8/8/8/8/8/4K3 w - - x+y 0 1", "invalid check part"),
        ("atomic", "8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
        ("racingkings", "8/8/8/8/K6r/8/8/k7 w - - 0 1", "a king is in check"),
        ("horde", "8/8/8/8/8/8/8/PPPPPPPP w - - 0 1", "Black has no king"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K2P[] w - - 0 1", "first or last rank"),
        ("kingofthehill", "x" * 300, "1 field"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[K] w - - 0 1", "White has a king in the pocket"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[Qkn] b - - 0 1", "Black has a king in the pocket"),
        ("crazyhouse", f"4k3/8/8/8/8/8/8/4K3[{'N' * 31}] w - - 0 1", "there are 33 men"),
        ("crazyhouse", "4k3/8/8/8/RRN~5/8/8/4K3[PPPPPPPPPPPPPPPP] w - - 0 1", "are 17 pawns"),
        ("crazyhouse", "4k3/8/8/8/8/8/8/4K3[x] w - - 0 1", "something else than men"),
        ("crazyhouse", "4k~3/8/8/8/8/8/8/4K3[] w - - 0 1", "marked as promoted"),
        ("atomic", "4k~3/8/8/8/8/8/P~7/4K3 w - - 0 1", "marked as promoted"),
        ("3check", "4k3/8/8/8/8/8/8/4K3 w - - 4+3 0 1", "not 0 to 3 of each side"),
        ("3check", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 +4+0", "not 0 to 3 of each side"),
        ("atomic", "4k3/8/8/8/8/8/8/4K3 w - - 151 1", "half-move clock is '151', more than 150"),
        ("antichess", "4k3/8/8/8/8/8/8/4K3 w - - 0 10000", "move number is '10000', more than"),
    ],
)
def test_a_start_that_cannot_be_played_is_refused(game: str, start: str, why: str):
    with pytest.raises(StartError, match=why) as caught:
        GAMES[game].new(start)
    assert "expected a FEN such as" in str(caught.value)


def test_all_pawns_of_the_horde_can_become_queens():
    queens = "/".join(["QQQQQQQQ"] * 4)
    assert GAMES["horde"].to_play(f"4k3/8/8/QQQQ4/{queens} b - - 0 1").turn is Side.BLACK


@pytest.mark.parametrize(
    ("game", "start", "why"),
    [
        ("kingofthehill", "4k3/8/8/8/8/QQQQQQQ1/QQQ5/4K3 b - - 0 1", "only come from promotion"),
        ("atomic", "rrrrrrrr/rrr1k3/8/8/8/8/8/4K3 b - - 0 1", "only come from promotion"),
        ("antichess", "kkkkkkkk/kk6/8/8/8/8/8/4K3 b - - 0 1", "only come from promotion"),
        ("horde", "4k3/8/8/8/qqqq4/qqqqqq2/8/Q7 b - - 0 1", "Black has 0 pawns and 9 pieces"),
    ],
)
def test_too_many_promoted_men_are_for_old_records_only(game: str, start: str, why: str):
    assert GAMES[game].new(start).start == start
    with pytest.raises(StartError, match=why) as caught:
        GAMES[game].to_play(start)
    assert "expected a FEN such as" in str(caught.value)
