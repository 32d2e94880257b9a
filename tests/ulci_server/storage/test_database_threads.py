"""Who asks a database that does not answer is not kept waiting."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
import trio
import trio.testing

from ulci_server.storage import StorageError
from ulci_server.storage.database_threads import (
    NO_ANSWER,
    SILENT,
    STOOD_STILL,
    Askers,
    PendingQuery,
    answered,
)

HANG = 60.0


class Database:
    """Says how often it was asked, once it is let."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Semaphore(0)
        self.asked = 0

    def ask(self) -> int:
        self.asked += 1
        self.entered.release()
        assert self.open.wait(HANG)
        return self.asked

    async def reached(self) -> None:
        await trio.to_thread.run_sync(partial(self.entered.acquire, timeout=HANG))


@pytest.fixture
def database() -> Iterator[Database]:
    """No thread waits for it after the test."""
    made = Database()
    yield made
    made.open.set()


async def test_an_answer_is_what_the_database_says(database: Database) -> None:
    database.open.set()
    assert await answered(database.ask) == 1
    with pytest.raises(ZeroDivisionError):
        await answered(lambda: 1 // 0)


async def test_no_answer_is_an_error_in_its_time_and_the_thread_keeps_its_place(
    database: Database, mock_clock: trio.testing.MockClock
) -> None:
    askers = Askers(1)
    errors: list[str] = []

    async def ask() -> None:
        try:
            await askers.ask(database.ask)
        except StorageError as error:
            errors.append(str(error))

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(ask)
        await database.reached()
        mock_clock.jump(NO_ANSWER)
    assert errors == [SILENT] * 3
    assert database.asked == 1
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)  # no thread is there for it
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(NO_ANSWER)
    assert (database.asked, len(errors)) == (1, 4)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)  # waits until the first one is answered after all
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(0.9 * NO_ANSWER)
        database.open.set()
    assert (database.asked, len(errors)) == (2, 4)


async def test_many_wait_for_a_thread_as_long_as_others_are_answered(
    database: Database, mock_clock: trio.testing.MockClock
) -> None:
    askers, answers = Askers(1), []

    def ask() -> int:
        database.asked += 1
        return database.asked

    async def slow() -> None:
        answers.append(await askers.ask(ask))
        mock_clock.jump(0.9 * NO_ANSWER)  # as if it had taken so long

    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(slow)
    assert sorted(answers) == [*range(1, 11)]


async def test_where_no_thread_can_be_had_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    askers, start = Askers(1), trio.lowlevel.start_thread_soon
    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", refuse)
    with pytest.raises(StorageError, match="can't start new thread"):
        await askers.ask(lambda: 1)
    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", start)
    assert await askers.ask(lambda: 2) == 2


async def test_who_is_cancelled_does_not_wait_for_the_thread(database: Database) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answered, database.ask)
        await database.reached()
        nursery.cancel_scope.cancel()
    assert not database.open.is_set()


async def test_one_question_may_be_waited_for_again(
    database: Database, mock_clock: trio.testing.MockClock
) -> None:
    asked = PendingQuery(database.ask)
    assert await asked.wait(trio.current_time()) is False
    with trio.CancelScope() as scope:
        scope.cancel()
        await asked.wait()
    database.open.set()
    assert await asked.wait() is True
    assert (asked.answer(), database.asked) == (1, 1)


@pytest.mark.parametrize("is_there", [True, False])
async def test_who_stood_still_looks_once_more_whether_the_answer_is_there(
    database: Database, mock_clock: trio.testing.MockClock, is_there: bool
) -> None:
    heard: list[bool] = []
    asked = PendingQuery(database.ask)

    async def wait() -> None:
        heard.append(await asked.wait(trio.current_time() + NO_ANSWER))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await database.reached()
        mock_clock.jump(NO_ANSWER + 2 * STOOD_STILL)
        await trio.testing.wait_all_tasks_blocked()
        assert heard == []
        if is_there:
            database.open.set()
        else:
            mock_clock.jump(STOOD_STILL)
    assert heard == [is_there]


def test_an_answer_to_a_run_that_is_over_is_nobodys(database: Database) -> None:
    async def ask() -> None:
        PendingQuery(database.ask)
        await database.reached()

    trio.run(ask)
    told: list[threading.ExceptHookArgs] = []
    before, threading.excepthook = threading.excepthook, told.append
    try:
        database.open.set()
        trio.run(answered, database.ask)
    finally:
        threading.excepthook = before
    assert told == []
