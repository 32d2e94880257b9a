"""What people take a name for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.lobby.names import MOST_MARKS, looks, taken_for, visible


@pytest.mark.parametrize(
    "name",
    [
        "ADA",
        "\u0410d\u0430",
        "\uff21\uff24\uff21",
        "\U0001d400da",
        "A\u034fda",
        "\u13aa\u13a0\u13aa",  # Cherokee
        "\ua4ee\ua4d3\ua4ee",  # Lisu
        "\u15c5da",  # Canadian syllabics
    ],
)
def test_what_looks_alike_is_alike(name):
    assert looks(name) == looks("Ada")


def test_what_no_font_holds_apart_is_alike():
    assert (
        len(set(map(looks, ("Bill", "BiIl", "B1ll", "Bi|l", "BILL", "\u0412\u0456\u04cfl")))) == 1
    )
    assert looks("Bob0-1") == looks("B0bO\u2010l")
    assert len({looks(str(number)) for number in range(1000)}) == 1000


@pytest.mark.parametrize("name", ["Adam", "\u00c4da", "Ad\u00e1", "Eda"])
def test_what_looks_different_is_different(name):
    assert looks(name) != looks("Ada")


def test_what_cannot_be_seen_is_left_out_of_a_name():
    assert visible("A\u3164da\ufe0f\u034f").split() == ["A", "da"]
    assert visible("\u00c4nne") == "\u00c4nne"
    assert visible("x" + "\u0336" * 50) == "x" + "\u0336" * MOST_MARKS


def test_a_name_is_taken_for_its_word_in_the_lobby_and_for_who_would_be_there_twice():
    assert looks("Ada_L") in taken_for("Ada L")
    assert looks("Ada") in taken_for("\u0410da")
    for copy in ("Ada-2", "\uff21da-\uff12", "Ada\u20102", "Ada\u20112", "Ada\u22122", "Ada-2-13"):
        assert looks("Ada") in taken_for(copy)
    assert looks("Ada-2") in taken_for("Ada\u20132-3")


@given(st.text(max_size=80))
def test_any_text_is_a_name(name):
    assert visible(visible(name)) == visible(name)
    assert taken_for(name)
