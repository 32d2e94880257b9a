"""Quiet hours."""

from datetime import UTC, datetime

import pytest

from ulci_client.bot.hours import Span


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A day of November 2026; the 23rd is a Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment", "quiet"),
    [
        ("13:00-15:00", at(23, 12, 59), False),
        ("13:00-15:00", at(23, 13), True),
        ("13:00-15:00", at(23, 15), False),
        ("23:00-07:00", at(23, 23), True),
        ("23:00-07:00", at(24, 6, 59), True),
        ("23:00-07:00", at(24, 7), False),
        ("00:00-00:00", at(24, 7), True),  # the whole day
        ("Sat,sun 10:00-12:00", at(28, 11), True),
        ("sat,sun 10:00-12:00", at(27, 11), False),
        ("fri 23:00-07:00", at(28, 6), True),  # the night that begins on Friday
        ("fri 23:00-07:00", at(27, 6), False),
    ],
)
def test_a_span_holds_by_the_day_on_which_it_begins(
    text: str, moment: datetime, quiet: bool
) -> None:
    assert Span.parse(text).has(moment) is quiet


@pytest.mark.parametrize("text", ["", "23-7", "25:00-07:00", "23:00", "day 10:00-11:00", "10:00-9"])
def test_what_is_no_span_is_told_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match='write "23:00-07:00"'):
        Span.parse(text)
