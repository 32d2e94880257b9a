import pytest

from ulci.rules import Outcome, Reason, Side, reason_in_english


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


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("time", "on time"),
        ("illegal-move", "as Black made an illegal move"),
        ("new-reason", "(new reason)"),
    ],
)
def test_a_reason_is_told_in_english_also_one_of_a_newer_server(word: str, english: str):
    assert reason_in_english(word, "Black") == english


@pytest.mark.parametrize("reason", Reason)
def test_every_row_of_the_table_is_complete(reason: Reason):
    assert Reason(reason.value) is reason
    assert reason.scores
    assert not reason.english.endswith(".")
    # Seven values of PGN 9.8.1; a game that has ended is not "unterminated".
    assert reason.termination in {
        "abandoned", "adjudication", "death", "emergency", "normal", "rules infraction",
        "time forfeit",
    }  # fmt: skip
