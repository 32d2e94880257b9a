"""When a tournament begins, by its timetable."""

from datetime import UTC, datetime

import pytest

from ulci_server.hall.tournament.timing import begins
from ulci_server.tournament.timetable import read_timetable

FRIDAY = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-12-05 09:30", datetime(2026, 12, 5, 9, 30, tzinfo=UTC)),
        ("Sat 09:00", datetime(2026, 11, 21, 9, tzinfo=UTC)),
        ("Fri 13:00", datetime(2026, 11, 20, 13, tzinfo=UTC)),
        ("Fri 11:00", datetime(2026, 11, 27, 11, tzinfo=UTC)),
        ("Fri 12:00", datetime(2026, 11, 27, 12, tzinfo=UTC)),
        ("", None),
    ],
)
def test_the_first_round_is_at(text: str, at: datetime | None) -> None:
    assert begins(read_timetable(text), FRIDAY) == at
