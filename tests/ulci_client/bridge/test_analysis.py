import pytest

from ulci.protocol import Unread
from ulci.protocol.messages import BestMove, Blame, Info, ReadyOk, Report, Score
from ulci_client.bridge.analysis import (
    BURST,
    LINE,
    MOST_WAITING,
    RATE,
    AnalysisFilter,
    centipawns_untrusted,
)

MOVE = BestMove("e2e4")


def thought(number: int, more: str = "") -> Unread:
    return Unread(f"info depth {number} {more}score cp 1 pv e2e4")


def flood(seconds: float, lines: int, *, waiting: int = 0) -> tuple[AnalysisFilter, list[Unread]]:
    """So many lines in so much time; the filter after them, and what it passed."""
    analysis, passed = AnalysisFilter(), []
    for number in range(lines):
        at = seconds * number / lines
        passed += analysis.passed([thought(number)], at, waiting)
    return analysis, passed  # type: ignore[return-value]


def test_an_ordinary_engine_is_heard_in_full():
    analysis, passed = flood(60.0, 1200)
    assert len(passed) == 1200
    assert analysis.left_out == 0


def test_a_flood_of_output_is_limited_to_what_a_server_reads():
    analysis, passed = flood(10.0, 100_000)
    bytes_passed = sum(len(each.line) + LINE for each in passed)
    assert BURST + 9 * RATE < bytes_passed <= BURST + 10 * RATE
    assert analysis.left_out == 100_000 - len(passed)


def test_nothing_is_added_to_what_nobody_reads():
    assert flood(1.0, 10, waiting=MOST_WAITING)[1]
    assert not flood(1.0, 10, waiting=MOST_WAITING + 1)[1]


def test_the_newest_thought_that_was_left_out_goes_ahead_of_the_move():
    analysis, passed = flood(0.0, 1000)
    assert passed[-1] != thought(999)
    assert analysis.passed([MOVE], 0.0, 0) == [thought(999), MOVE]
    assert analysis.passed([MOVE], 0.0, 0) == [MOVE]


def test_analysis_already_sent_is_not_repeated():
    analysis, _ = flood(0.0, 1000)
    assert analysis.passed([thought(1000)], 60.0, 0) == [thought(1000)]
    assert analysis.passed([MOVE], 60.0, 0) == [MOVE]


@pytest.mark.parametrize("more", ["multipv 2 ", "currmove e2e4 multipv 3 "])
def test_only_what_belongs_to_the_move_goes_ahead_of_it(more):
    analysis, _ = flood(0.0, 1000)
    analysis.passed([thought(1000, more), Unread("info nodes 7")], 0.0, 0)
    assert analysis.passed([MOVE], 0.0, 0) == [thought(999), MOVE]


def test_what_was_thought_for_another_search_is_forgotten():
    analysis, _ = flood(0.0, 1000)
    analysis.begin()
    assert analysis.passed([MOVE], 0.0, 0) == [MOVE]


def test_the_move_alone_is_said_to_who_does_not_read():
    analysis, _ = flood(0.0, 10, waiting=200_000)
    assert analysis.passed([ReadyOk(), MOVE], 0.0, 200_000) == [ReadyOk(), MOVE]


def test_other_dialects_analysis_and_complaints_count_as_well():
    analysis = AnalysisFilter()
    said = [Info(score=Score(cp=3)), Report(Blame.ERROR, "what?")]
    assert analysis.passed(said, 0.0, 0) == said
    assert analysis.passed(said, 0.0, MOST_WAITING + 1) == []
    assert analysis.passed([MOVE], 0.0, 0) == [*said, MOVE]


@pytest.mark.parametrize(
    ("analysis", "score"),
    [
        (Info(score=Score(cp=-35)), -35),
        (Info(score=Score(mate=-5)), -100_000),
        (Info(score=Score(mate=5)), 100_000),
        (Info(score=Score(mate=1)), 100_000),
        (Info(score=Score(mate=-1)), -100_000),
        (Info(score=Score(mate=0)), -100_000),  # who is to move is mated
        (Info(score=Score(cp=0)), 0),
        (Unread("info depth 3 score cp -250 pv e2e4"), -250),
        (Info(depth=3), None),
        (None, None),
    ],
)
def test_a_score_is_read_in_centipawns(analysis, score):
    assert centipawns_untrusted(analysis) == score
