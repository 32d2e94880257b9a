"""Which one is meant."""

import pytest

from ulci_client.terminal.chosen import chosen, number
from ulci_client.terminal.needs import RefusedError


def test_a_number_that_was_typed_is_meant_whatever_there_is():
    assert number("17", "accept 17") == 17
    assert chosen("17", {3: "Bob"}, "accept 17") == 17


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "१७", "1" * 19])
def test_what_is_no_number_is_refused_with_an_example(text):
    with pytest.raises(RefusedError, match=f"{text} is not a number; write for example: accept 17"):
        chosen(text, [], "accept 17")


def test_the_only_one_need_not_be_named():
    assert chosen("", {18: "Bob"}, "decline 18") == 18


@pytest.mark.parametrize("there", [[], [17, 18]])
def test_where_there_are_none_or_several_it_is_asked_which(there):
    with pytest.raises(RefusedError, match=r"^which\? write for example: accept 17$"):
        chosen("", there, "accept 17")
    with pytest.raises(RefusedError, match=r"^watch which game; write for example: watch 42$"):
        chosen("", there, "watch 42", "watch which game;")
