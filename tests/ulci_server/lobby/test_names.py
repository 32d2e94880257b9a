"""What people take a name for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.lobby.names import MOST_MARKS, looks, taken_for, visible


@pytest.mark.parametrize(
    "name", ["ADA", "\u0410d\u0430", "\uff21\uff24\uff21", "\U0001d400da", "A\u034fda"]
)
def test_what_looks_alike_is_alike(name):
    assert looks(name) == looks("Ada")


@pytest.mark.parametrize("name", ["Adam", "\u00c4da", "Ad\u00e1", "Eda"])
def test_what_looks_different_is_different(name):
    assert looks(name) != looks("Ada")


def test_what_cannot_be_seen_is_left_out_of_a_name():
    assert visible("A\u3164da\ufe0f\u034f").split() == ["A", "da"]
    assert visible("\u00c4nne") == "\u00c4nne"
    assert visible("x" + "\u0336" * 50) == "x" + "\u0336" * MOST_MARKS


def test_a_name_is_taken_for_its_word_in_the_lobby_and_for_who_would_be_there_twice():
    assert {"Ada_L", "ada_l"} <= taken_for("Ada L")
    assert {"Ada", "ada"} <= taken_for("Ada-2")
    assert "ada" in taken_for("\u0410da")


@given(st.text(max_size=80))
def test_any_text_is_a_name(name):
    assert visible(visible(name)) == visible(name)
    assert taken_for(name)
