import chess
import pytest

from ulci.rules import Needs, StartError
from ulci.rules.chess import CHESS, CHESS960

USUAL_960 = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"


def test_standard_chess_has_one_start():
    assert list(CHESS.starts) == [None]


def test_chess960_has_960_different_starts():
    starts = list(CHESS960.starts)
    assert len(CHESS960.starts) == len(set(starts)) == 960
    assert starts[518] == USUAL_960
    assert CHESS960.starts[-1] == starts[959]
    assert CHESS960.starts[517:519] == starts[517:519]
    assert starts == [
        chess.Board.from_chess960_pos(number).fen(shredder=True) for number in range(960)
    ]
    with pytest.raises(IndexError):
        CHESS960.starts[960]


def test_every_chess960_start_is_playable_and_keeps_its_spelling():
    for start in CHESS960.starts:
        position = CHESS960.new(start)
        assert position.start == start
        assert position.fen() == start


def test_the_usual_start_of_standard_chess_needs_no_fen():
    assert CHESS.new().start is None
    assert CHESS.new(chess.STARTING_FEN).start is None
    assert CHESS.new(USUAL_960).start is None
    assert CHESS.new().fen() == chess.STARTING_FEN


def test_chess960_always_says_its_start():
    assert CHESS960.new().start == USUAL_960
    assert CHESS960.new(chess.STARTING_FEN).start == USUAL_960


def test_a_start_is_given_back_in_its_normal_form():
    start = "4k3/8/8/8/8/8/8/4K2R  w  K -"
    assert CHESS.new(start).start == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert CHESS960.new(start).start == "4k3/8/8/8/8/8/8/4K2R w H - 0 1"


def test_an_impossible_start_is_refused():
    with pytest.raises(StartError, match="side to move"):
        CHESS.new("4k3/8/8/8/8/8/8/4K2R x K -")


def test_only_chess960_asks_for_an_option():
    letters = frozenset("kqrbnp")
    assert CHESS.needs(None) == Needs(pieces=letters, variant="chess")
    assert CHESS960.needs(None) == Needs(
        pieces=letters, options={"UCI_Chess960": "true"}, variant="chess"
    )
