"""One game: the stones put, and its end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules import Illegal, Legal, Outcome, Over, Reason, Side
from ulci.rules.mnk import MNK, TICTACTOE, MnkPosition

W, B = Side.WHITE, Side.BLACK


def played(*moves: str, start: str | None = None) -> MnkPosition:
    position = TICTACTOE.new(start)
    for move in moves:
        assert isinstance(position.play_untrusted(move), Legal)
    return position


def test_a_line_wins():
    position = played("b2", "a1", "b1", "a3")
    assert position.play_untrusted("b3") == Over("b3", Outcome(W, Reason.GAME_RULE))
    assert position.legal_moves() == []
    assert position.moves == ["b2", "a1", "b1", "a3", "b3"]


def test_the_second_player_wins_as_well():
    position = played("b2", "a1", "b1", "a2", "c3")
    assert position.play_untrusted("a3") == Over("a3", Outcome(B, Reason.GAME_RULE))


def test_a_full_board_without_a_line_is_a_draw():
    position = played("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3")
    verdict = position.play_untrusted("c3")
    assert verdict == Over("c3", Outcome(None, Reason.GAME_RULE))
    assert position.outcome().score == "1/2-1/2"


def test_the_last_square_may_complete_a_line():
    position = played(start="xx1/oox/oxo x")
    assert position.play_untrusted("c3") == Over("c3", Outcome(W, Reason.GAME_RULE))


def test_the_turn_comes_from_the_start():
    position = played("a1", start="3/1x1/3 x")
    assert position.turn is B
    assert position.fen() == "3/1x1/x2 o 3"


@pytest.mark.parametrize(
    ("start", "winner"),
    [("xxx/oo1/3 o", W), ("xxx/oo1/3 x", W), ("xxx/ooo/3 o", W), ("xxx/ooo/3 x", B)],
)
def test_a_start_may_be_over_and_who_moved_last_has_won(start, winner):
    position = TICTACTOE.new(start)
    assert position.outcome() == Outcome(winner, Reason.GAME_RULE)
    assert isinstance(position.play_untrusted("a1"), Illegal)
    assert position.parse_untrusted("a1") is None


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("b2", "there is a stone (x) on b2 already"),
        ("5", "there is a stone (x) on b2 already"),
        ("d4", "'d4' is not a move, expected an empty square from a1 to c3"),
        ("0000", "'0000' is not a move"),
        ("", "'' is not a move"),
        ("x" * 99, "is not a move"),
    ],
)
def test_an_illegal_move_is_told_why(move, why):
    verdict = played("b2").play_untrusted(move)
    assert isinstance(verdict, Illegal)
    assert why in verdict.why


def test_a_square_may_be_named_in_upper_case_or_by_its_number():
    position = played()
    assert position.play_untrusted("A1") == Legal("a1")
    assert position.play_untrusted("5") == Legal("b2")
    assert position.parse_untrusted(" C3 ") == "c3"
    assert position.san("C3") == "c3"


def test_what_is_seen():
    position = played("b2", "a1")
    assert position.squares() == [["", "", ""], ["", "X", ""], ["o", "", ""]]
    assert position.checked() == []
    assert position.claim() is None


@pytest.mark.parametrize(
    ("start", "side", "can"),
    [
        ("3/3/3 x", W, True),
        ("3/3/3 x", B, True),
        ("xox/xo1/ox1 x", W, False),  # no line is open
        ("xox/ox1/ox1 o", B, False),
        ("xx1/oo1/ox1 x", W, True),
        ("xo1/xo1/ox1 x", W, False),  # open, but there are not enough moves left
        ("2/2 o 2", W, True),
        ("xo/ox x 2", W, False),  # over: both have lines, and White's was first
        ("x2 o 3", W, False),
        ("xxx/3/3 o", W, True),  # over and won
        ("xxx/3/3 o", B, False),
    ],
)
def test_a_side_can_win_as_long_as_a_line_is_open_and_moves_are_left(start, side, can):
    assert MNK.new(start).can_win(side) is can


@given(st.data())
def test_who_wins_could_win_before(data):
    width, height = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    length = data.draw(st.integers(1, max(width, height)))
    position = MNK.new(f"{'/'.join([str(width)] * height)} x {length}")
    could = []
    while position.outcome() is None:
        could.append((position.can_win(W), position.can_win(B)))
        position.play_untrusted(data.draw(st.sampled_from(position.legal_moves())))
    winner = position.outcome().winner
    assert winner is None or all(each[winner] for each in could)
    assert len(position.moves) == len(could)


def test_a_square_with_a_stone_has_no_notation():
    with pytest.raises(ValueError, match="there is a stone"):
        played("b2").san("b2")
