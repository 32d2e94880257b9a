"""When a tournament and its rounds begin."""

import pytest

from ulci_server.tournament.timetable import Timetable, TimetableError, read_timetable


def test_a_day_and_a_time() -> None:
    assert read_timetable("2026-12-05 09:30") == Timetable((2026, 12, 5), None, 570)


def test_a_day_of_the_week_and_the_time_between_rounds() -> None:
    timetable = read_timetable("Sat 09:00/2h")
    assert timetable == Timetable(None, 5, 540, 7200.0)
    assert [timetable.round_begins(n) for n in (1, 2, 3)] == [0, 7200, 14_400]


def test_without_one_it_begins_when_it_is_started() -> None:
    assert read_timetable("") == Timetable()
    assert read_timetable("").round_begins(9) == 0


@pytest.mark.parametrize(
    "text", ["noon", "2026-02-29 09:00", "2026-13-01 09:00", "Sun 24:00", "Son 09:00", "Sat 09:00/"]
)
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(TimetableError):
        read_timetable(text)


def test_leap_years_have_a_day_more() -> None:
    assert read_timetable("2028-02-29 09:00").date == (2028, 2, 29)
