"""Quiet hours."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ulci_client.bot.fields import QuietHours


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
    assert QuietHours.parse(text).has(moment) is quiet


# Clocks go from 02:00 to 03:00 (CET to CEST), and back, at one o'clock in Greenwich.
WINTER, SUMMER = (timezone(timedelta(hours=hours)) for hours in (1, 2))


def berlin(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    """The local time in Berlin at this moment (UTC) of a day in 2027 on which the clocks change."""
    before, after = (WINTER, SUMMER) if month == 3 else (SUMMER, WINTER)
    moment = datetime(2027, month, day, hour, minute, tzinfo=UTC)
    return moment.astimezone(before if hour < 1 else after)


@pytest.mark.parametrize(
    ("text", "moment", "quiet"),
    [
        ("23:00-07:00", berlin(3, 28, 0, 59), True),
        ("23:00-07:00", berlin(3, 28, 1), True),
        ("23:00-07:00", berlin(3, 28, 4, 59), True),
        ("23:00-07:00", berlin(3, 28, 5), False),  # by the new time, an hour less
        ("02:00-03:00", berlin(3, 28, 0, 59), False),
        ("02:00-03:00", berlin(3, 28, 1), False),  # there is no such hour on that day
        ("01:30-02:30", berlin(3, 28, 1), False),  # it ends with the change
        ("23:00-07:00", berlin(10, 31, 5, 59), True),
        ("23:00-07:00", berlin(10, 31, 6), False),  # an hour more
        ("02:00-03:00", berlin(10, 31, 0, 30), True),
        ("02:00-03:00", berlin(10, 31, 1, 30), True),  # the hour comes twice
        ("sun 00:00-10:00", berlin(3, 28, 8), False),
    ],
)
def test_when_the_clocks_change_a_span_goes_by_what_they_show(text, moment, quiet) -> None:
    assert QuietHours.parse(text).has(moment) is quiet


@pytest.mark.parametrize("text", ["", "23-7", "25:00-07:00", "23:00", "day 10:00-11:00", "10:00-9"])
def test_what_is_no_span_is_told_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match='write "23:00-07:00"'):
        QuietHours.parse(text)
