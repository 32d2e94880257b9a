"""Time controls as people type them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.typed_times import CLEAR, REFUSED
from ulci.time_control import TimeError, entered, with_units


@pytest.mark.parametrize(("typed", "wire"), CLEAR)
def test_what_is_clear_is_put_into_seconds(typed: str, wire: str) -> None:
    assert entered(typed) == wire


@pytest.mark.parametrize(("typed", "why"), REFUSED)
def test_what_is_not_is_refused_with_what_to_type_instead(typed: str, why: str) -> None:
    with pytest.raises(TimeError) as refused:
        entered(typed)
    assert str(refused.value) == why


TIMES = st.from_regex(r"[0-9]{1,3}(\.[0-9])?(m|s|)", fullmatch=True)


@given(base=TIMES, bonus=TIMES, sign=st.sampled_from("+dbh:|/x"))
def test_what_is_suggested_is_clear(base: str, bonus: str, sign: str) -> None:
    try:
        entered(base + sign + bonus)
    except TimeError as error:
        suggested = str(error).partition("write ")[2].partition(", not ")[0]
        for word in suggested.replace(",", "").split():
            if word[0].isdigit() and word[-1] in "ms":
                entered(word)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_one_word_or_refused(typed: str) -> None:
    with suppress(TimeError):
        assert len(entered(typed).split()) == 1


def test_in_a_file_a_number_alone_is_seconds() -> None:
    assert with_units("5+3") == "5+3"
    assert with_units("5m+3s") == "300+3"
    assert with_units("10m|10") == "600|10"
