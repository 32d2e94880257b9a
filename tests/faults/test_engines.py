"""Engines that die and hang behind bad lines play on: longer where `ULCI_TEST_FAULTS` says so."""

import os

import pytest

from tests.faults.databases import store
from tests.faults.engines import Engines, Refereed, engines, nim_players
from tests.faults.report import Settings
from tests.support.servers import program

FAULTS = int(os.environ.get("ULCI_TEST_FAULTS", "0"))
GAMES = max(2, FAULTS // 500)
DEEDS = 3 * GAMES
"""Things done to engines, or to their referees: as often killed as stopped."""

MOVES = 5
"""At least, a game: what engines adjudicate is not short."""

LIMIT = 180.0 if FAULTS < 1000 else 1500.0
"""s after which it has failed, however little of it is done."""

pytestmark = [
    pytest.mark.faults,
    pytest.mark.system,
    pytest.mark.slow,
    pytest.mark.timeout(LIMIT + 300),
]


async def nothing_is_lost(kind: type[Engines], folder, seats, seed: int) -> None:
    settings = Settings(seed=seed, games=GAMES, faults=DEEDS, limit=LIMIT)
    with store("sqlite", folder) as where:
        report = await kind(folder, settings, where, seats)()
    print(*report.lines(), sep="\n")
    assert [str(violation) for violation in report.violations] == []
    assert [*report.shortfalls()] == []
    assert report.moves >= MOVES * GAMES
    assert report.calls > len(seats)


async def test_engines_that_are_killed_and_stopped_lose_nothing_that_was_not_their_own(tmp_path):
    await nothing_is_lost(Engines, tmp_path, engines(program("stockfish")), seed=8)


async def test_a_referee_that_is_killed_and_stopped_costs_nobody_time_or_a_game(tmp_path):
    await nothing_is_lost(Refereed, tmp_path, nim_players(), seed=9)
