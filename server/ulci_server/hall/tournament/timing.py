"""When a tournament begins, by its timetable."""

from datetime import UTC, datetime, timedelta

from ulci_server.tournament import Timetable


def begins(timetable: Timetable, made: datetime) -> datetime | None:
    """The first round of a tournament that was made then (aware, UTC). None: when it is started."""
    at = timedelta(minutes=timetable.minute)
    if timetable.date is not None:
        return datetime(*timetable.date, tzinfo=UTC) + at
    if timetable.day is None:
        return None
    midnight = made.replace(hour=0, minute=0, second=0, microsecond=0)
    found = midnight + timedelta((timetable.day - made.weekday()) % 7) + at
    return found if found > made else found + timedelta(7)
