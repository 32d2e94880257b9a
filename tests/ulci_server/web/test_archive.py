"""What is made of finished games is kept only while somebody reads them."""

import trio
import trio.testing

from tests.support.facts import finished, noted, played, started
from ulci.net import Turns
from ulci.rules import GAMES
from ulci_server.storage import GameRecord, Games, MemoryDatabase
from ulci_server.web import archive as archive_module
from ulci_server.web.archive import ENTRY, KEPT, KEPT_FOR, Archive


class Counting(Games):
    """Counts how often the moves of a game were read."""

    read = 0

    def moves(self, game_id: int):
        self.read += 1
        return super().moves(game_id)


async def test_a_game_that_nobody_asks_for_is_forgotten_and_one_that_is_read_is_not(
    mock_clock: trio.testing.MockClock, nursery: trio.Nursery
) -> None:
    database = MemoryDatabase()
    database.games = counting = Counting(database.transactions)
    for game in (1, 2):
        database.save(noted([started(game), played(game, 0, "e2e4"), finished(game)]))
    archive = Archive(database, GAMES, 0.0, Turns())
    nursery.start_soon(archive.forget_unused)
    read, unread = sorted(database.games.find(), key=lambda game: game.id)

    async def ask(game: GameRecord) -> None:
        for answer in (archive.game, archive.pgn, archive.why):
            assert await answer(game)

    await ask(unread)
    alone = archive.size
    await ask(read)
    assert archive.size == 2 * alone
    times = counting.read
    for _ in range(4):
        mock_clock.jump(KEPT_FOR / 2)
        await trio.testing.wait_all_tasks_blocked()
        await ask(read)
    assert counting.read == times, "it was kept all the time"
    assert archive.size == alone
    await ask(unread)
    assert counting.read > times
    mock_clock.jump(2 * KEPT_FOR)
    await trio.testing.wait_all_tasks_blocked()
    mock_clock.jump(2 * KEPT_FOR)
    await trio.testing.wait_all_tasks_blocked()
    assert archive.size == 0
    database.close()


async def test_short_answers_take_no_more_room_than_long_ones(monkeypatch) -> None:
    database = MemoryDatabase()
    for game in range(1, 41):
        database.save(noted([started(game), finished(game)]))
    archive = Archive(database, GAMES, 0.0, Turns())
    monkeypatch.setattr(archive_module, "KEPT", 20 * ENTRY)
    for game in database.games.find():
        assert await archive.why(game)
    assert 10 * ENTRY < archive.size <= 20 * ENTRY < KEPT
    database.close()


async def test_while_thousands_of_answers_are_forgotten_others_have_their_turns(
    mock_clock: trio.testing.MockClock, monkeypatch, nursery: trio.Nursery
) -> None:
    monkeypatch.setattr(archive_module, "AT_A_TIME", 5)
    database = MemoryDatabase()
    for game in range(1, 41):
        database.save(noted([started(game), finished(game)]))
    archive = Archive(database, GAMES, 0.0, Turns())
    for game in database.games.find():
        await archive.why(game)
    sizes = [archive.size]
    nursery.start_soon(archive.forget_unused)
    await trio.testing.wait_all_tasks_blocked()
    mock_clock.jump(KEPT_FOR)
    while archive.size:
        await trio.lowlevel.checkpoint()
        if archive.size != sizes[-1]:
            sizes.append(archive.size)
    assert len(sizes) >= 4
    database.close()
