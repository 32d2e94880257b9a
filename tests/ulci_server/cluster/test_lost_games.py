"""Games that died with their server."""

from types import SimpleNamespace

import pytest
import trio

from tests.support.facts import started
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster.database_queries import DatabaseQueries
from ulci_server.cluster.lost_games import ORPHANED, UNSEEN, LostGames
from ulci_server.storage import StorageError

pytestmark = pytest.mark.usefixtures("no_threads")

WON = Outcome(Side.WHITE, Reason.RESIGNATION)


class Server:
    """That knows games without an owner, and asks a record of them."""

    def __init__(self, *games: int) -> None:
        self.tables = {
            number: SimpleNamespace(id=number, owner=0, started=started(number)) for number in games
        }
        self.stored: dict[int, Outcome | None] = {}
        self.asked: list[set[int]] = []
        self.fails = False
        self.releasing: set[int] = set()
        self.unseen: set[int] = set()
        self.told: dict[int, str] = {}
        self.lobby_told: dict[int, str] = {}
        self.lost = LostGames(
            SimpleNamespace(tables=self.tables, remove=self._end),
            self,
            DatabaseQueries(),
            self,
            lambda: self.releasing,
        )

    def _end(self, number: int, over) -> None:
        del self.tables[number]
        self.told[number] = " ".join(over.words)

    def end_lost(self, number: int, over) -> None:
        self.lobby_told[number] = " ".join(over.words)

    def end_unseen(self, number: int, over) -> None:
        self.unseen.discard(number)
        self.end_lost(number, over)

    def outcomes(self, games: set[int]) -> dict[int, Outcome | None]:
        self.asked.append(games)
        if self.fails:
            raise StorageError("it is down")
        return {game: self.stored[game] for game in games if game in self.stored}

    async def run_for(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self.lost.run()


async def test_a_game_is_over_as_it_is_stored_and_the_lobby_is_told(autojump_clock):
    server = Server(1)
    server.stored = {1: WON}
    await server.run_for(2 * ORPHANED)
    assert server.told == {1: "game 1 over result 1-0 reason resignation"}
    assert server.lobby_told == server.told


async def test_one_that_is_not_stored_is_aborted(autojump_clock):
    server = Server(1)
    await server.run_for(2 * ORPHANED)
    assert server.told == {1: "game 1 over result * reason aborted"}


async def test_one_that_this_server_gives_away_is_not_lost_while_that_is_not_stored(autojump_clock):
    server = Server(1, 2)
    server.releasing = server.unseen = {1}  # the database does not know yet that it has begun
    await server.run_for(4 * ORPHANED)
    assert server.told == {2: "game 2 over result * reason aborted"}
    server.releasing = server.unseen = set()
    server.stored = {1: None}
    await server.run_for(2 * ORPHANED)
    assert [*server.told] == [2]


async def test_one_that_runs_is_to_be_claimed(autojump_clock):
    server = Server(1)
    server.stored = {1: None}
    await server.run_for(4 * ORPHANED)
    assert server.told == {}


async def test_one_without_an_owner_for_a_moment_is_not_asked_for(autojump_clock):
    server = Server(1)
    await server.run_for(ORPHANED - 0.1)
    server.tables[1].owner = 3
    await server.run_for(2 * ORPHANED)
    assert server.asked == []


async def test_the_lobby_is_told_of_games_that_it_alone_knows(autojump_clock):
    server = Server()
    server.unseen, server.stored = {5}, {5: WON}
    await server.run_for(UNSEEN - 0.1)
    assert server.asked == [], "it may be about to begin"
    await server.run_for(2 * UNSEEN)
    assert server.lobby_told == {5: "game 5 over result 1-0 reason resignation"}


async def test_a_database_that_does_not_answer_is_asked_again(autojump_clock):
    server = Server(1)
    server.fails = True
    await server.run_for(2 * ORPHANED)
    assert server.told == {}
    server.fails = False
    await server.run_for(2 * ORPHANED)
    assert [*server.told] == [1]
