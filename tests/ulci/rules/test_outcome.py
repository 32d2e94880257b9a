import pytest

from ulci.rules import Outcome, Reason, Side


def test_each_side_knows_the_other_and_its_word():
    assert (Side.WHITE.other, Side.BLACK.other) == (Side.BLACK, Side.WHITE)
    assert [side.word for side in Side] == ["white", "black"]


@pytest.mark.parametrize(
    ("winner", "reason", "score"),
    [
        (Side.WHITE, Reason.CHECKMATE, "1-0"),
        (Side.BLACK, Reason.TIME, "0-1"),
        (None, Reason.STALEMATE, "1/2-1/2"),
        (None, Reason.TIME_INSUFFICIENT, "1/2-1/2"),
        (None, Reason.ABORTED, "*"),
        (None, Reason.SERVER, "*"),
    ],
)
def test_a_draw_is_not_the_same_as_no_result(winner: Side | None, reason: Reason, score: str):
    assert Outcome(winner, reason).score == score
