"""The words of UTI: options, and the errors that an engine may answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sayings import words
from ulci.protocol.uti.words import DETAILS, CommandNotKnown, meant, parts, read_refusal_untrusted


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("hint", [None, ("winlength", "5")])
def test_every_error_of_the_standard_is_written_read_and_explained(detail, hint):
    refusal = CommandNotKnown(detail, hint)
    assert read_refusal_untrusted(refusal.write().split()) == refusal
    assert DETAILS[detail] in refusal.explain()
    assert hint is None or "winlength=5" in refusal.explain()


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        # the examples of the standard
        (
            "CommandNotKnowError WinlengtNotSupported try winlengt=5",
            CommandNotKnown("WinlengtNotSupported", ("winlengt", "5")),
        ),
        ("CommandNotKnowError WinlengtNotSupported", CommandNotKnown("WinlengtNotSupported")),
        ("CommandNotKnowError OptionNotSupported", CommandNotKnown("OptionNotSupported")),
        ("CommandNotKnowError", CommandNotKnown()),
        ("CommandNotKnowError try size=3X3", CommandNotKnown("", ("size", "3X3"))),
        ("commandnotknownerror TRY size = 3x3", CommandNotKnown("", ("size", "3x3"))),
        ("CommandNotKnowError I am lost", CommandNotKnown("I am lost")),
        ("CommandNotKnowError x try", CommandNotKnown("x")),
        ("CommandNotKnowError x try this", CommandNotKnown("x")),
        ("CommandNotKnowError x try a b=c", CommandNotKnown("x")),
        ("CommandNotKnowError x try a=", CommandNotKnown("x")),
    ],
)
def test_an_error_is_read_with_its_hint(line, refusal):
    assert read_refusal_untrusted(line.split()) == refusal


def test_other_lines_are_no_errors():
    assert read_refusal_untrusted([]) is None
    assert read_refusal_untrusted(["5", "30"]) is None


@given(st.lists(words, max_size=4).map(" ".join), st.none() | st.tuples(words, words))
def test_any_error_is_read_as_it_was_written(detail, hint):
    if hint is not None and "=" in hint[0]:
        return
    assert read_refusal_untrusted(CommandNotKnown(detail, hint).write().split()) == CommandNotKnown(
        detail, hint
    )


def test_an_unknown_detail_is_shown_as_it_is():
    assert CommandNotKnown("I am lost").explain() == "CommandNotKnowError I am lost"


@pytest.mark.parametrize(
    ("name", "setting"),
    [("winlengt", "winlength"), ("Size", "size"), ("tables", "table"), ("joho", None), ("", None)],
)
def test_a_setting_is_known_by_a_name_that_is_nearly_right(name, setting):
    assert meant(name) == setting


def test_names_and_values_are_found_however_they_are_joined():
    assert parts(["depth=5", "nodes:", "7,", "x", "="]) == ["depth", "5", "nodes", "7", "x"]
