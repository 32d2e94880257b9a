"""A lone move is committed in the thread of the games, if that keeps nobody waiting."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.support.facts import NOON, noted, played, started
from ulci_server.storage import Database, Journal, MemoryDatabase, Noted, StorageError, migrate
from ulci_server.storage import journal as journal_module
from ulci_server.storage import transactions as transactions_module


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    """Survives the end of the program, with a game that has no moves."""
    migrate(f"sqlite:///{path}")
    made = Database(f"sqlite:///{path}", "process")
    made.save(noted([started(1)]))
    yield made
    made.close()


def moves(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [move for (move,) in database.execute("SELECT move FROM moves ORDER BY ply")]


def test_a_move_is_in_the_file_when_it_was_saved(database: Database, path: Path) -> None:
    assert database.save_at_once(noted([played(1, 0, "e2e4")]))
    assert moves(path) == ["e2e4"]


def test_one_that_is_saved_again_is_no_other_one(database: Database, path: Path) -> None:
    move = noted([played(1, 0, "e2e4")])
    assert database.save_at_once(move)
    database.save(move)
    assert moves(path) == ["e2e4"]


def test_while_another_program_writes_nothing_is_saved_and_nobody_waits(
    database: Database, path: Path
) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not database.save_at_once(noted([played(1, 0, "e2e4")]))
    assert database.save_at_once(noted([played(1, 0, "e2e4")]))


def test_while_another_thread_writes_nothing_is_saved(database: Database) -> None:
    busy = database.transactions
    with busy._turns[busy.writer]:
        assert not database.save_at_once(noted([played(1, 0, "e2e4")]))


def test_other_commits_still_wait_for_another_program(database: Database, path: Path) -> None:
    assert database.save_at_once(noted([played(1, 0, "e2e4")]))
    with database.transactions.writer.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 5000


def test_a_refused_fact_is_left_to_who_can_say_why(database: Database) -> None:
    assert not database.save_at_once(noted([played(2, 0, "e2e4")]))
    assert not database.save_at_once(noted([played(1, 2**70, "e2e4")]))


def test_a_fenced_run_saves_nothing(database: Database, path: Path) -> None:
    database.runs.begin_alone(NOON, "1.3")
    assert database.save_at_once(noted([played(1, 0, "e2e4")]))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE runs SET fenced_at = alive_at")
    assert not database.save_at_once(noted([played(1, 1, "e7e5")]))
    assert moves(path) == ["e2e4"]


def test_nothing_counts_as_saved_in_a_file_that_was_seen_to_be_gone(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions_module, "LOOK", 0.0)
    assert database.save_at_once(noted([played(1, 0, "e2e4")]))
    path.unlink()
    assert not database.save_at_once(noted([played(1, 1, "e7e5")]))
    with pytest.raises(StorageError, match="deleted"):
        database.save(noted([played(1, 1, "e7e5")]))


def test_now_and_then_one_is_left_to_a_thread_which_may_wait_for_the_disk(
    database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions_module, "COPIED_AFTER", 3)
    said = [
        database.save_at_once(noted([played(1, ply, "e2e4" if ply % 2 else "e7e5")]))
        for ply in range(4)
    ]
    assert said == [True, True, True, False]
    database.save(noted([played(1, 3, "e7e5")]))
    assert database.save_at_once(noted([played(1, 4, "e2e4")]))


def test_where_a_power_failure_is_survived_a_commit_waits(path: Path) -> None:
    migrate(f"sqlite:///{path}")
    with closing(Database(f"sqlite:///{path}", "power")) as database:
        assert not database.never_waits


class Counted(MemoryDatabase):
    """Counts the ways by which facts are saved, and refuses to save at once as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.at_once = 0
        self.busy = False

    def save(self, batch: Sequence[Noted]) -> None:
        super().save(batch)
        self.batches.append(len(batch))

    def save_at_once(self, batch: Sequence[Noted]) -> bool:
        self.at_once += not self.busy
        return not self.busy and super().save_at_once(batch)


async def running(database: Database, nursery: trio.Nursery) -> Journal:
    journal = Journal(database)
    await nursery.start(journal.run)
    journal.note(started(1))
    await journal.drain()
    return journal


async def test_a_move_of_few_games_is_durable_when_it_was_noted() -> None:
    database = Counted()
    async with trio.open_nursery() as nursery:
        journal = await running(database, nursery)
        journal.few = True
        assert journal.save_now(played(1, 0, "e2e4"))
        assert journal.when_durable(pytest.fail)
        assert (database.batches, database.at_once, journal.counts.moves) == ([1], 1, 1)
        assert sum(journal.counts.commits.counts) == sum(journal.counts.delays.counts) == 2
        nursery.cancel_scope.cancel()


async def test_moves_of_many_games_share_a_commit() -> None:
    database = Counted()
    async with trio.open_nursery() as nursery:
        journal = await running(database, nursery)
        journal.note(started(2))
        assert not journal.save_now(played(1, 0, "e2e4"))
        assert not journal.save_now(played(2, 0, "e2e4"))
        await journal.drain()
        assert (database.batches, database.at_once) == ([1, 3], 0)
        nursery.cancel_scope.cancel()


async def test_a_move_never_overtakes_what_was_noted_before() -> None:
    database = Counted()
    async with trio.open_nursery() as nursery:
        journal = await running(database, nursery)
        journal.few = True
        journal.note(started(2))
        assert not journal.save_now(played(2, 0, "e2e4"))
        await journal.drain()
        assert [len(database.games.moves(game)) for game in (1, 2)] == [0, 1]
        nursery.cancel_scope.cancel()


async def test_what_cannot_be_saved_at_once_is_saved_by_the_thread() -> None:
    database = Counted()
    async with trio.open_nursery() as nursery:
        journal = await running(database, nursery)
        journal.few, database.busy = True, True
        told = trio.Event()
        assert not journal.save_now(played(1, 0, "e2e4"))
        assert not journal.when_durable(told.set)
        await told.wait()
        assert [move.move for move in database.games.moves(1)] == ["e2e4"]
        nursery.cancel_scope.cancel()


async def test_after_a_slow_commit_the_next_ones_are_left_to_the_thread_for_a_while(
    mock_clock: trio.testing.MockClock,
) -> None:
    database = Counted()
    async with trio.open_nursery() as nursery:
        journal = await running(database, nursery)
        journal.few = True
        save = database.save_at_once

        def slowly(batch: Sequence[Noted]) -> bool:
            mock_clock.jump(2 * journal_module.SLOW)
            return save(batch)

        database.save_at_once = slowly  # type: ignore[method-assign]
        assert journal.save_now(played(1, 0, "e2e4"))
        database.save_at_once = save  # type: ignore[method-assign]
        assert not journal.save_now(played(1, 1, "e7e5"))
        await journal.drain()
        mock_clock.jump(2 * journal_module.PAUSE * journal_module.SLOW)
        assert journal.save_now(played(1, 2, "d2d4"))
        assert journal.slowest >= 2 * journal_module.SLOW
        nursery.cancel_scope.cancel()
