import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.lobby import lobby_line
from ulci.protocol.messages import Blame, Info, Position, Report, Score
from ulci_client.sanitize import MAX_MARKS, clean, cleaned

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("good luck", "good luck"),
        ("Żółw ♞ 将棋", "Żółw ♞ 将棋"),
        ("\x1b[2J\x1b]0;owned\x07", "�[2J�]0;owned�"),
        ("\x9b31mred", "�31mred"),
        ("two\r\nlines", "two  lines"),
        ("tab\there", "tab here"),
        ("no\u00a0break", "no break"),
        ("\u202egnp.exe", "�gnp.exe"),
        ("a\u200bb\ufeffc", "a�b�c"),
        ("line\u2028separator", "line separator"),
        ("A\u200dda\u200c", "A�da�"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        ),
        ("lone \ud800 surrogate", "lone � surrogate"),
    ],
)
def test_nothing_that_steers_a_terminal_is_left(said: str, shown: str) -> None:
    assert clean(said) == shown


def test_heaps_of_combining_marks_are_cut_down() -> None:
    assert clean("Z" + "\u0321" * 50 + "o") == "Z" + "\u0321" * MAX_MARKS + "o"


@given(ANY_TEXT)
def test_what_is_clean_prints_on_one_line_and_stays_as_it_is(said: str) -> None:
    shown = clean(said)
    assert shown.translate({0x200C: None, 0x200D: None}).isprintable()
    assert "\x1b" not in shown
    assert clean(shown) == shown


def test_every_text_of_a_message_is_cleaned() -> None:
    dirty = lobby_line("say B\x1b[1mob hi\x07")
    assert cleaned(dirty) == lobby_line("say B�[1mob hi�")
    assert cleaned(Position("8/8\x1b c", ("e2e4\x9b",))) == Position("8/8� c", ("e2e4�",))
    assert cleaned(Report(Blame.CLIENT, "\x1b")) == Report(Blame.CLIENT, "�")
    assert cleaned(Info(string="\x1b", score=Score(cp=3))) == Info(string="�", score=Score(cp=3))


def test_a_clean_message_is_the_same_message() -> None:
    message = Info(string="fine", score=Score(cp=3))
    assert cleaned(message) is message
