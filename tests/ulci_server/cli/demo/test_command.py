"""The game as the database has it."""

from collections.abc import Callable

import pytest

from tests.support.facts import finished, line, noted, played, started
from ulci_server.cli.demo.command import next_game
from ulci_server.cli.demo.command import played as watched
from ulci_server.game import Fact
from ulci_server.storage import MemoryDatabase


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ulci_server.cli.demo.command.POLL", 0)


def meanwhile(database: MemoryDatabase, *batches: list[Fact]) -> Callable[[], None]:
    """What happens between two looks, one batch each."""
    left = iter(batches)
    return lambda: database.save(noted(next(left)))


def test_the_game_after_the_last_is_waited_for() -> None:
    database = MemoryDatabase()
    database.save(noted([started(4)]))
    assert next_game(database, 4, meanwhile(database, [], [started(5)])) == 5


def test_waiting_ends_with_what_the_check_raises() -> None:
    def fail() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        next_game(MemoryDatabase(), 0, fail)


def test_the_game_is_shown_whenever_it_has_changed_and_until_it_is_over() -> None:
    database = MemoryDatabase()
    database.save(noted(line(1, "e2e4")))
    check = meanwhile(database, [], [played(1, 1, "e7e5")], [finished(1)])
    scenes = [(len(moves), game.running) for game, moves in watched(database, 1, check)]
    assert scenes == [(1, True), (2, True), (2, False)]
