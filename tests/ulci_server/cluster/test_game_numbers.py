"""Numbers for new games."""

from types import SimpleNamespace

import pytest

from tests.support.gradually import Hall
from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.cluster.game_numbers import NUMBERS, GameNumbers
from ulci_server.storage import MemoryDatabase

pytestmark = pytest.mark.usefixtures("no_threads")


class Numbers:
    """What a lobby has of them, and a database of its own."""

    def __init__(self, *games: int) -> None:
        self.hall = Hall()
        self.hall.tables = {game: SimpleNamespace(id=game) for game in games}
        self.drawn = 0
        ownership = MemoryDatabase().ownership
        self.numbers = GameNumbers(self.hall, DatabaseQueries(), ownership, self._note)

    def _note(self) -> None:
        self.drawn += 1


async def test_there_is_none_before_some_were_drawn():
    made = Numbers()
    assert made.numbers.next() == 0
    await made.hall.run_tasks()
    assert made.drawn == 1
    assert [made.numbers.next() for _ in range(3)] == [1, 2, 3]


async def test_more_are_drawn_before_they_run_out_and_each_is_given_once():
    made = Numbers()
    await made.numbers.draw()
    given = []
    for _ in range(3 * NUMBERS):
        given.append(made.numbers.next())
        await made.hall.run_tasks()
    assert given == [*range(1, 3 * NUMBERS + 1)]


async def test_they_are_above_those_of_the_games_that_are_known_here():
    made = Numbers(3, 17)
    await made.numbers.draw()
    assert made.numbers.next() == 18


async def test_a_new_run_uses_none_of_the_numbers_of_the_one_before():
    made = Numbers()
    await made.numbers.draw()
    made.numbers.begin_again()
    assert made.numbers.next() == 0
