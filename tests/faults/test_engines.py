"""Engines that die and hang behind bad lines play on: longer where `ULCI_TEST_FAULTS` says so."""

import os
import sys

import pytest

from tests.faults.engines import NIM, Engines, Refereed, Seat
from tests.support.servers import program

pytestmark = [pytest.mark.faults, pytest.mark.system, pytest.mark.slow]

FAULTS = int(os.environ.get("ULCI_TEST_FAULTS", "0"))
GAMES = max(2, FAULTS // 500)
LIMIT = 8.0 if FAULTS < 1000 else 300.0
"""s until it stops doing harm."""


async def nothing_is_lost(run: Engines) -> None:
    outcome = await run()
    print(outcome.faults, outcome.results)
    assert [str(violation) for violation in outcome.violations] == []
    assert outcome.results.total() >= 1


async def test_engines_that_are_killed_and_stopped_lose_nothing_that_was_not_their_own(tmp_path):
    stockfish = (program("stockfish"),)
    small = (sys.executable, "-m", "ulci_client.cli", "engine")
    time = ("--option", "Move Overhead=500")
    seats = (
        Seat("fish", stockfish, words=("--option", "Hash=8", *time)),
        Seat("herring", stockfish, direct=True, words=("--option", "Hash=8", *time)),
        Seat("minnow", small, words=time),
    )
    await nothing_is_lost(Engines(tmp_path, seats, seed=8, games=GAMES, limit=LIMIT))


async def test_a_referee_that_is_killed_and_stopped_costs_nobody_time_or_a_game(tmp_path):
    words = ("--dialect", "ugi", "--game", "nim")
    seats = (Seat("one", NIM, words=words), Seat("two", NIM, words=words, direct=True))
    await nothing_is_lost(Refereed(tmp_path, seats, seed=9, games=GAMES, limit=LIMIT))
