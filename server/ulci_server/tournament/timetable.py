"""When a tournament and its rounds begin: ``2026-12-05 09:00``, ``Sat 09:00``, ``Sat 09:00/2h``.

Times are UTC. A day of the week is the first one after the tournament was made.
"""

import re
from dataclasses import dataclass

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_FORM = re.compile(
    r"(?:(?P<year>\d{4})-(?P<month>\d\d)-(?P<date>\d\d)|(?P<day>[A-Z][a-z]{2}))"
    r" (?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)"
    r"(?:/(?P<every>[1-9]\d{0,3})(?P<unit>[mhd]))?"
)
_UNITS = {"m": 60, "h": 3600, "d": 86_400}
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EXPECTED = "2026-12-05 09:00, Sat 09:00 or Sat 09:00/2h"


class TimetableError(ValueError):
    """There is no such timetable; the text says what is expected."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """date: year, month and day; day: of the week, from Monday as 0. One of both, or none: it
    begins when it is started. minute: of that day. every: s from round to round; None: the next
    follows at once."""

    date: tuple[int, int, int] | None = None
    day: int | None = None
    minute: int = 0
    every: float | None = None

    def round_begins(self, round_: int) -> float:
        """Seconds after the first round at which that one may begin, from 1."""
        return 0.0 if self.every is None else (round_ - 1) * self.every


def read_timetable(text: str) -> Timetable:
    """An empty one begins when it is started. Raises `TimetableError`."""
    if not text:
        return Timetable()
    found = _FORM.fullmatch(text)
    if found is None or (found["day"] and found["day"] not in DAYS):
        raise TimetableError(f"expected a time (UTC) such as {_EXPECTED}, found {text!r}")
    date = None
    if found["year"]:
        year, month, day = (int(found[part]) for part in ("year", "month", "date"))
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        last = _LENGTHS[month - 1] if 1 <= month <= 12 else 0
        if not (1 <= day <= last) or (month == 2 and day == 29 and not leap):
            raise TimetableError(f"there is no day {text.split()[0]}")
        date = year, month, day
    every = None if found["every"] is None else float(found["every"]) * _UNITS[found["unit"]]
    minute = 60 * int(found["hour"]) + int(found["minute"])
    return Timetable(date, DAYS.index(found["day"]) if found["day"] else None, minute, every)
