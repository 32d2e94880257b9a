import pytest

from ulci.protocol import Info, Score, Unread
from ulci_client.bridge.scores import BEHIND, EVEN, IN_A_ROW, MOVES, Scores


def agrees(*scores: Score | None, before: int = 0) -> bool:
    """After so many moves that it liked, and then moves with these scores."""
    found = Scores()
    for score in [Score(cp=300)] * before + [*scores]:
        found.moved(None if score is None else Info(score=score))
    return found.agree_to_draw()


@pytest.mark.parametrize(
    ("score", "before", "agreed"),
    [
        (Score(cp=EVEN), MOVES - IN_A_ROW, True),
        (Score(cp=-EVEN), MOVES - IN_A_ROW, True),
        (Score(cp=EVEN + 1), MOVES - IN_A_ROW, False),
        (Score(cp=0), MOVES - IN_A_ROW - 1, False),
        (Score(cp=BEHIND), 0, True),
        (Score(cp=BEHIND + 1), 0, False),
        (Score(mate=-5), 0, True),
        (Score(mate=5), MOVES, False),
        (None, MOVES, False),
    ],
)
def test_it_agrees_late_when_it_is_even_and_early_only_when_it_is_behind(score, before, agreed):
    assert agrees(*[score] * IN_A_ROW, before=before) is agreed


def test_one_better_moment_is_enough_to_play_on():
    assert not agrees(*[Score(cp=-300)] * IN_A_ROW, Score(cp=20))
    assert not agrees(*[Score(cp=-300)] * (IN_A_ROW - 1))


def test_lines_that_nobody_has_read_yet_count_as_well():
    found = Scores()
    for _ in range(IN_A_ROW):
        found.moved(Unread("info depth 3 score cp -250 pv e2e4"))
    assert found.agree_to_draw()
