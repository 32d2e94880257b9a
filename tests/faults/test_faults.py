"""Faults by the dozen, in a run short enough for every day; by the thousand where it is asked for.

`ULCI_TEST_FAULTS` is how many faults to inject (default: see below), for a run of the length of
`python -m tests.faults`, whose help tells more.
"""

import os

import pytest

from tests.faults.report import Settings
from tests.faults.run import run
from tests.support.databases import POSTGRES

pytestmark = [pytest.mark.faults, pytest.mark.system]

FAULTS = int(os.environ.get("ULCI_TEST_FAULTS", "250"))
"""A tenth of them in games: each takes about as long as three faults."""

LIMIT = 25.0 if FAULTS < 1000 else 1500.0


def asked(**differently: object) -> Settings:
    """A run of the usual length."""
    usual = {"seed": 1, "faults": FAULTS, "games": max(20, FAULTS // 10), "at_once": 10}
    return Settings(**{"limit": LIMIT, **usual, **differently})


async def nothing_is_lost(settings: Settings, folder) -> None:
    report = await run(settings, folder)
    print(*report.lines(), sep="\n")
    assert [str(violation) for violation in report.violations] == []
    assert report.faults.total() >= settings.faults or report.seconds > settings.limit


async def test_a_bad_line_costs_nobody_a_move_a_game_or_a_second(tmp_path):
    await nothing_is_lost(asked(mishaps=0), tmp_path)


async def test_neither_does_what_befalls_the_server(tmp_path):
    await nothing_is_lost(asked(seed=2, faults=FAULTS // 3, mishaps=0.25), tmp_path)


@pytest.mark.slow
async def test_nor_what_befalls_a_postgres(tmp_path):
    if not os.environ.get(POSTGRES):
        pytest.skip(f"{POSTGRES} is not set")
    only = ("database-cut", "kill", "freeze")
    settings = asked(seed=3, faults=FAULTS // 3, mishaps=0.2, database="postgres", only=only)
    await nothing_is_lost(settings, tmp_path)
