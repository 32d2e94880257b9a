"""Faults by the dozen, in a run short enough for every day; by the thousand where it is asked for.

`ULCI_TEST_FAULTS` is how many faults to inject (default: see below), for a run of the length of
`python -m tests.faults`, whose help tells more.
"""

import os

import pytest

from tests.faults.databases import PROGRAMS, programs
from tests.faults.report import Settings
from tests.faults.run import run

FAULTS = int(os.environ.get("ULCI_TEST_FAULTS", "210"))
"""A tenth of them in games: each takes about as long as three faults."""

MOVES = 10
"""At least, a game: some are over after eight, most are several times as long."""

LIMIT = 240.0 if FAULTS < 1000 else 3600.0
"""s after which it has failed, however little of it is done."""

pytestmark = [pytest.mark.faults, pytest.mark.system, pytest.mark.timeout(LIMIT + 300)]


def asked(**differently: object) -> Settings:
    """A run of the usual length."""
    usual = {"seed": 1, "faults": FAULTS, "games": max(20, FAULTS // 10), "at_once": 10}
    return Settings(**{"limit": LIMIT, **usual, **differently})


async def nothing_is_lost(settings: Settings, folder) -> None:
    report = await run(settings, folder)
    print(*report.lines(), sep="\n")
    assert [str(violation) for violation in report.violations] == []
    assert [*report.shortfalls()] == []
    assert report.moves >= MOVES * settings.games
    assert report.calls > 2 * settings.at_once, "no line was lost"


async def test_a_bad_line_costs_nobody_a_move_a_game_or_a_second(tmp_path):
    await nothing_is_lost(asked(mishaps=0), tmp_path)


async def test_neither_does_what_befalls_the_server(tmp_path):
    """Each of its six kinds at least once."""
    await nothing_is_lost(asked(seed=2, faults=FAULTS // 3, mishaps=0.3), tmp_path)


@pytest.mark.slow
async def test_nor_what_befalls_a_postgres(tmp_path):
    """Each of its four kinds at least once, and the server is killed and stopped, too."""
    if programs() is None:
        pytest.skip(f"PostgreSQL's programs are not installed: {PROGRAMS} has no initdb")
    only = ("database-cut", "database-kill", "database-restart", "database-stop", "kill", "freeze")
    settings = asked(seed=3, faults=FAULTS // 3, mishaps=0.3, database="cluster", only=only)
    await nothing_is_lost(settings, tmp_path)
