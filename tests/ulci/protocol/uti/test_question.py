"""What a question asks."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.protocol.uti.question import Question, UnanswerableError, read_player, read_question


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("5", Question(5)),
        ("eval", Question(None, True)),
        ("size 4x5 eval 0", Question(0, True, {"size": "4x5"})),
        ("SIZE 4X5 7 Depth 3", Question(7, False, {"size": "4x5", "depth": "3"})),
        ("depth 3 7", Question(7, False, {"depth": "3"})),
        ("standard 0", Question(0)),
    ],
)
def test_the_parts_of_a_question_may_stand_in_any_order(line, question):
    assert read_question(line.split()) == question


def test_what_is_not_said_is_the_standard():
    assert Question(0).rules() == (3, 3, 3)
    assert Question(0).depth() is None
    asked = read_question(["size", "26X1", "0", "winlength", "26", "players", "2", "depth", "0"])
    assert asked.rules() == (26, 1, 26)
    assert asked.depth() == 0


WORDS = """
size eval 0 5 -5 3x3 -1x3 99x99 winlength players depth x 2
"""
words = st.sampled_from(WORDS.split())


@given(st.lists(words, max_size=8))
def test_whatever_cannot_be_asked_is_refused_and_raises_nothing_else(words):
    with contextlib.suppress(UnanswerableError):
        asked = read_question(words)
        width, height, length = asked.rules()
        assert 1 <= length <= max(width, height) <= 26
        assert (asked.depth() or 0) >= 0
    with contextlib.suppress(UnanswerableError):
        assert 1 <= read_player(words) <= 9


def test_a_refusal_has_the_words_of_the_standard():
    with pytest.raises(UnanswerableError) as caught:
        Question(0, settings={"winlength": "4"}).rules()
    assert caught.value.refusal.write() == (
        "CommandNotKnowError WinlengthBoardsizeMismatch try winlength=3"
    )
