"""Files, threads, memory and rows that are kept."""

from dataclasses import replace

import pytest

from tests.faults.house import Busy, Means
from tests.faults.record import Wire

from .leaks import (
    A_GAME,
    A_LINE,
    CHORES,
    FILES,
    MEMORY,
    WARM,
    Sample,
    leaks,
    rows_left,
    tasks_left,
)

pytestmark = pytest.mark.faults


def life(*ends: tuple[int, Means], pid: int = 1) -> list[Sample]:
    """A server's, with 100 s between two looks."""
    return [Sample(100.0 * n, pid, means, games) for n, (games, means) in enumerate(ends)]


def texts(samples: list[Sample], *wires: Wire) -> list[str]:
    return [v.text for v in leaks(samples, wires)]


FRESH = Means(90_000, 9, 4, 0)


def test_a_server_that_keeps_nothing():
    assert texts(life((0, FRESH), (50, Means(92_000, 9, 5, 0)))) == []


def test_memory_that_is_needed_once_may_be_needed_soon():
    most = Means(90_000 + WARM + 50 * A_GAME, 9, 4, 0)
    assert texts(life((0, FRESH), (25, most), (50, most))) == []
    more = replace(most, resident=most.resident + 1)
    assert texts(life((0, FRESH), (25, more), (50, more))) == [
        f"kB: 90000, and {more.resident} after 200 s and 50 games"
    ]


def test_memory_that_grows_with_every_game():
    middle = Means(100_000, 9, 4, 0)
    most = Means(100_000 + MEMORY + 100 * A_GAME, 9, 4, 0)
    assert texts(life((0, FRESH), (99, FRESH), (100, middle), (200, most))) == []
    more = replace(most, resident=most.resident + 1)
    assert texts(life((0, FRESH), (99, FRESH), (100, middle), (200, more))) == [
        f"kB at half: 100000, and {more.resident} after 300 s and 200 games"
    ]


def test_a_file_for_every_line():
    kept = Means(90_000, 9 + FILES + 1, 4, 0)
    assert texts(life((0, FRESH), (50, kept))) == [
        f"files without a line: 9, and {kept.files} after 100 s and 50 games"
    ]


def test_files_of_lines_that_are_open_are_none_that_are_kept():
    kept = Means(90_000, 9 + FILES + 1, 4, 0)
    assert texts(life((0, FRESH), (50, kept)), Wire(opened=50.0)) == []


def test_lines_that_an_earlier_server_left_open_are_none_of_its_own():
    own = FILES + 1  # no line is among them
    two = life((0, replace(FRESH, files=own)), (50, replace(FRESH, files=own)))
    stale = [Wire(opened=-1.0, closed=50.0) for _ in range(own)]
    assert texts(two, *stale) == []


def test_each_server_is_judged_by_its_own_beginning():
    kept = Means(90_000, 30, 4, 0)
    later = [Sample(s.at + 1000, 2, s.means, s.games) for s in life((50, FRESH), (60, kept))]
    assert texts([*life((0, FRESH), (50, FRESH)), *later]) == [
        "files without a line: 9, and 30 after 100 s and 10 games"
    ]


def test_a_referee_that_is_left_running():
    assert texts(life((0, FRESH), (50, Means(90_000, 9, 4, 1)))) == [
        "children: 0, and 1 after 100 s and 50 games"
    ]


def test_rows_that_nobody_needs():
    found = {"players": 2, "tokens": 2, "bans": 0, "runs": 3}
    assert [*rows_left(found, {"players": 2, "tokens": 2, "runs": 3})] == []
    [violation] = rows_left(found, {"players": 2, "tokens": 2, "runs": 2})
    assert violation.text == "3 rows in runs, not 2"


IDLE = Busy(1, 15, 3)
CROWDED = Busy(41, 15 + 40 * A_LINE + CHORES, 43)
NOT_INTRODUCED_YET = replace(CROWDED, connections=1)


@pytest.mark.parametrize(
    ("idle", "seen", "last", "why"),
    [
        (IDLE, [CROWDED], IDLE, []),
        (IDLE, [NOT_INTRODUCED_YET], IDLE, []),
        (IDLE, [], Busy(1, 16, 3), ["tasks: 15, and 16 when all had gone"]),
        (IDLE, [Busy(1, 26, 3)] * 2, IDLE, ["tasks: 15, and 26 with 3 sockets"]),
        (IDLE, [Busy(1, 26, 2)], IDLE, ["tasks: 15, and 26 with 2 sockets"]),
        (None, [], IDLE, [f"tasks were not counted at rest: None, {IDLE}"]),
        (IDLE, [], Busy(2, 15, 3), [f"tasks were not counted at rest: {IDLE}, {Busy(2, 15, 3)}"]),
    ],
)
def test_a_task_that_nobody_needs_any_more(idle, seen, last, why):
    assert [v.text for v in tasks_left(idle, seen, last)] == why
