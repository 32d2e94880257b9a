"""The scanner knows where it stands, and an error says so."""

import re

import pytest

from ulci_server.game.scanner import (
    LONGEST_TEXT,
    ControlError,
    Number,
    Scanner,
    spell_seconds,
)


def test_an_error_names_the_column_what_stands_there_and_what_was_expected() -> None:
    error = ControlError("300+x", 5, "a number")
    assert (error.text, error.column, error.found, error.expected) == (
        "300+x",
        5,
        "x",
        "a number",
    )
    assert str(error) == "time control '300+x', column 5: expected a number, found 'x'"


def test_an_error_behind_the_text_found_its_end() -> None:
    error = ControlError("300+", 5, "a number")
    assert error.found == ""
    assert str(error).endswith("found the end")


def test_an_error_repeats_only_the_beginning_of_a_long_text() -> None:
    error = ControlError("7" * 1000, 1, "less")
    assert error.found == "7" * 20
    assert len(str(error)) < 200


def test_a_text_without_end_is_not_read_at_all() -> None:
    with pytest.raises(ControlError) as caught:
        Scanner("3" * (LONGEST_TEXT + 1))
    assert caught.value.column == LONGEST_TEXT + 1
    assert not Scanner("3" * LONGEST_TEXT).ended


def test_what_was_taken_is_stepped_over() -> None:
    scan = Scanner("ab12")
    letters = re.compile("[a-z]+")
    assert scan.take(letters) == "ab"
    assert scan.take(letters) is None
    assert scan.column == 3
    assert scan.number("a number").whole("a number", 1, 99) == 12
    assert scan.ended


@pytest.mark.parametrize(
    ("text", "column"), [("", 1), ("x", 1), ("-1", 1), ("+1", 1), (".5", 1), ("5.", 3), ("٣", 1)]
)
def test_only_plain_digits_are_a_number(text: str, column: int) -> None:
    with pytest.raises(ControlError) as caught:
        Scanner(text).number("a number")
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("0", 0), ("1", 1000), ("0.6", 600), ("0.06", 60), ("0.006", 6), ("12.345", 12_345)],
)
def test_seconds_become_whole_milliseconds(text: str, milliseconds: int) -> None:
    assert Number(text, 1, text).milliseconds("time", 0, 20_000) == milliseconds


@pytest.mark.parametrize("text", ["0.0005", "1.0000", "0.9", "3.001"])
def test_seconds_out_of_bounds_or_too_fine_are_refused_with_the_bounds(text: str) -> None:
    with pytest.raises(ControlError, match=r"time in seconds from 1 to 3, at most three decimals"):
        Number(text, 1, text).milliseconds("time", 1000, 3000)


@pytest.mark.parametrize("text", ["0", "6", "2.5", "2.0"])
def test_a_count_is_whole_and_within_its_bounds(text: str) -> None:
    with pytest.raises(ControlError, match="moves, a whole number from 1 to 5"):
        Number(text, 1, text).whole("moves", 1, 5)


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0, "0"), (300_000, "300"), (600, "0.6"), (1_050, "1.05"), (1, "0.001")],
)
def test_seconds_are_spelled_without_idle_zeros(milliseconds: int, text: str) -> None:
    assert spell_seconds(milliseconds) == text
