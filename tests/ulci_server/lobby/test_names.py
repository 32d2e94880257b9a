"""What people take a name for."""

import string
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.lobby.names import LONGEST, MOST_MARKS, looks, taken_for, visible

CONFUSABLES = Path(__file__).parents[2] / "data" / "confusables.txt"


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
        "\u1d00da",  # a small capital
        "\u2c80da",  # Coptic
        "\u2c81da",
        "\U0001f170d\U0001f1e6",  # in boxes
        "A\u0335da",  # with a stroke through it
        "A\u20d2da",
        "A\u0332d\u0332a\u0332",  # underlined
        "Ad\u20dda",  # in a circle
        "Ad\u0363a",  # with a small letter above
        "A\u200dd\u200ca\u202e",  # with what cannot be seen
    ],
)
def test_what_looks_alike_is_alike(name):
    assert looks(name) == looks("Ada")


def rows() -> list[tuple[str, str]]:
    """Every letter that looks like a Latin one or a digit, and that."""
    lines = CONFUSABLES.read_text().splitlines()
    pairs = [line.split(":") for line in lines if not line.startswith("#")]
    return [(chr(int(code, 16)), latin) for latin, codes in pairs for code in codes.split()]


def test_every_letter_of_the_table_looks_like_its_latin_one():
    assert len(rows()) > 1400
    wrong = [
        f"{ord(letter):04x} {letter} {latin}"
        for letter, latin in rows()
        if looks(f"x{letter}x") != looks(f"x{latin}x")
    ]
    assert not wrong


@pytest.mark.parametrize(
    "kind",
    [
        "LATIN LETTER SMALL CAPITAL",
        "FULLWIDTH LATIN CAPITAL LETTER",
        "MATHEMATICAL BOLD CAPITAL",
        "SQUARED LATIN CAPITAL LETTER",
        "NEGATIVE CIRCLED LATIN CAPITAL LETTER",
        "NEGATIVE SQUARED LATIN CAPITAL LETTER",
        "REGIONAL INDICATOR SYMBOL LETTER",
    ],
)
def test_a_letter_that_is_only_drawn_otherwise_looks_like_itself(kind):
    drawn = {}
    for latin in string.ascii_uppercase:
        try:
            drawn[unicodedata.lookup(f"{kind} {latin}")] = latin
        except KeyError:
            continue
    assert len(drawn) > 20
    assert not [letter for letter, latin in drawn.items() if looks(letter) != looks(latin)]


def test_a_digit_of_any_script_is_a_digit():
    table = dict(rows())
    digits = [chr(code) for code in range(0x110000) if unicodedata.decimal(chr(code), None)]
    assert len(digits) > 500
    for digit in digits:
        value = table.get(digit, str(unicodedata.decimal(digit)))
        assert looks(f"Ada-{digit}") == looks(f"Ada-{value}")
        assert looks("Ada") in taken_for(f"Ada-{digit}")
    assert looks("Ada-\u0662") == looks("Ada-2")


@pytest.mark.parametrize(
    "name", ["\u0645\u06cc\u0645", "\u0e17\u0e35\u0e48", "\u05d0\u05b8", "\u0928\u093f"]
)
def test_the_marks_of_a_script_of_its_own_count(name):
    assert looks(name[:-1]) != looks(name)


def test_an_accent_counts_however_it_is_written_and_an_ornament_never():
    assert looks("Jos\u00e9") == looks("Jose\u0301") != looks("Jose")
    assert looks("i\u0307") == looks("i")
    assert looks("\u0301\u0336") == ""


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


@pytest.mark.parametrize("letter", ["\u0416", "\ufdfa", "\u0301", "-1"])
def test_of_a_name_of_thousands_of_letters_only_the_first_count(letter):
    assert 64 + len("-1000") < LONGEST
    assert looks("A" + letter * 4000) == looks(("A" + letter * 4000)[:LONGEST])
    assert taken_for("A" + letter * 4000) == taken_for(("A" + letter * 4000)[:LONGEST])


@given(st.text(max_size=80))
def test_any_text_is_a_name(name):
    assert visible(visible(name)) == visible(name)
    assert taken_for(name)


@pytest.mark.parametrize(
    "dash",
    [
        "HYPHEN-MINUS", "HYPHEN", "NON-BREAKING HYPHEN", "FIGURE DASH", "EN DASH", "EM DASH",
        "HORIZONTAL BAR", "HYPHEN BULLET", "MINUS SIGN", "HEAVY MINUS SIGN", "SMALL EM DASH",
        "MODIFIER LETTER MINUS SIGN",
    ],
)  # fmt: skip
def test_whatever_dash_it_has_a_numbered_name_is_taken_for_that_of_the_original(dash: str) -> None:
    assert looks("Ada") in taken_for(f"Ada{unicodedata.lookup(dash)}2")
