"""The journal: never waits, loses nothing, and says when what was noted is on the disk."""

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from tests.support.facts import NOON, finished, played, started
from ulci_server.game import Fact, Heartbeat, Released
from ulci_server.storage import (
    Database,
    FencedError,
    Journal,
    MemoryDatabase,
    Noted,
    RefusedError,
    StorageError,
)
from ulci_server.storage import journal as journal_module
from ulci_server.storage.database_threads import NO_ANSWER, SILENT
from ulci_server.storage.journal import in_words


class Gate(MemoryDatabase):
    """A database that saves when it is let, and fails as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()
        self.entered = threading.Semaphore(0)
        self.batches: list[list[Fact]] = []
        self.faults: list[Exception] = []
        self.after: list[Exception] = []

    def save(self, batch: Sequence[Noted]) -> None:
        self.entered.release()
        assert self.open.wait(30)
        if self.faults:
            raise self.faults.pop(0)
        super().save(batch)
        self.batches.append([fact for fact, _ in batch])
        if self.after:
            raise self.after.pop(0)

    async def reached(self) -> None:
        """A save has begun."""
        await trio.to_thread.run_sync(partial(self.entered.acquire, timeout=30))


@pytest.fixture
def gate() -> Gate:
    return Gate()


def telling(database: Database, tell: Callable[[str | None], object]) -> Journal:
    """A journal that tells of its trouble."""
    journal = Journal(database)
    journal.tell_trouble(tell)
    return journal


@asynccontextmanager
async def running(journal: Journal) -> AsyncIterator[Journal]:
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            await nursery.start(journal.run)
            yield journal
            nursery.cancel_scope.cancel()


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "FIRST_RETRY", 0.001)
    monkeypatch.setattr(journal_module, "LAST_RETRY", 0.004)


async def test_what_was_noted_is_kept_and_stamped(gate: Gate) -> None:
    async with running(Journal(gate, now=lambda: NOON)) as journal:
        journal.note(started())
        journal.note(played(1, 0, "e2e4"))
        await journal.drain()

    assert gate.games.find()[0].started_at == NOON
    assert gate.games.moves(1)[0].move == "e2e4"


async def test_the_usual_stamp_is_the_time_of_day_in_utc(gate: Gate) -> None:
    async with running(Journal(gate)) as journal:
        journal.note(started())
        await journal.drain()

    assert gate.games.find()[0].started_at.utcoffset() == timedelta(0)


async def test_the_times_of_a_game_go_on_from_those_of_another_clock_that_was_ahead(
    gate: Gate,
) -> None:
    passed = iter(range(60))
    journal = Journal(gate, now=lambda: NOON + timedelta(seconds=next(passed)))
    async with running(journal):
        for game in (1, 2, 3):
            journal.note(started(game))
        journal.go_on(1, NOON + timedelta(days=1))  # at the 3rd s
        journal.go_on(2, NOON - timedelta(days=1))
        for game in (1, 2, 3):
            journal.note(played(game, 0, "e2e4"))
        journal.note(finished(1))
        await journal.drain()

    stamped = [gate.games.history(game)[0].at - NOON for game in (1, 2, 3)]
    assert stamped == [
        timedelta(days=1, seconds=2),
        timedelta(seconds=6),
        timedelta(seconds=7),
    ]
    assert gate.games.find(limit=9)[-1].finished_at == NOON + timedelta(days=1, seconds=5)


async def test_nothing_noted_is_durable_already(gate: Gate) -> None:
    async with running(Journal(gate)) as journal:
        assert journal.when_durable(lambda: pytest.fail("called")) is True
        await journal.drain()


async def test_who_asks_is_called_once_all_that_was_noted_before_is_kept(gate: Gate) -> None:
    kept: list[int] = []
    async with running(Journal(gate)) as journal:
        journal.note(started())
        journal.note(played(1, 0, "e2e4"))

        assert journal.when_durable(lambda: kept.append(len(gate.games.moves(1)))) is False

        await journal.drain()
    assert kept == [1]


async def test_callbacks_come_in_the_order_of_asking_in_the_trio_thread(gate: Gate) -> None:
    called: list[tuple[int, int]] = []
    here = threading.get_ident()
    async with running(Journal(gate)) as journal:
        for n in range(1, 25):
            journal.note(started(n))
            journal.when_durable(lambda n=n: called.append((n, threading.get_ident())))  # type: ignore[misc]
        await journal.drain()

    assert called == [(n, here) for n in range(1, len(called) + 1)]
    assert len(called) == 24


async def test_many_callbacks_leave_room_for_other_tasks(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "TELL_TIME", 0.0)  # as if each took so long
    order: list[str] = []
    async with running(Journal(gate)) as journal:
        gate.open.clear()
        for n in range(1, 9):
            journal.note(started(n))
            journal.when_durable(partial(order.append, "callback"))

        async def other() -> None:
            while order.count("callback") < 8:
                await trio.lowlevel.checkpoint()
                if order:
                    order.append("other")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            gate.open.set()

    assert "other" in order[: order.index("callback") + 3]


async def test_what_gathers_during_one_commit_is_the_next_one(gate: Gate) -> None:
    gate.open.clear()
    async with running(Journal(gate)) as journal:
        journal.note(started(1))
        await gate.reached()
        for n in (2, 3, 4):
            journal.note(started(n))
        gate.open.set()
        await journal.drain()

    assert gate.batches == [[started(1)], [started(2), started(3), started(4)]]


async def test_who_asks_during_a_commit_waits_for_that_one_only(gate: Gate) -> None:
    durable: list[list[int]] = []
    gate.open.clear()
    async with running(Journal(gate)) as journal:
        journal.note(started(1))
        await gate.reached()

        def look() -> None:
            durable.append([game.id for game in gate.games.find()])
            # The next commit must not end before this is seen.
            gate.open.clear()

        assert journal.when_durable(look) is False
        journal.note(started(2))
        gate.open.set()
        await gate.reached()
        assert durable == [[1]]
        gate.open.set()
        await journal.drain()

    assert gate.batches == [[started(1)], [started(2)]]


async def test_a_callback_may_note_and_ask_again(gate: Gate) -> None:
    seen: list[str] = []
    async with running(Journal(gate)) as journal:

        def first() -> None:
            seen.append("first")
            assert journal.when_durable(second) is True
            journal.note(played(1, 0, "e2e4"))
            assert journal.when_durable(second) is False

        def second() -> None:
            seen.append(gate.games.moves(1)[0].move)

        journal.note(started())
        journal.when_durable(first)
        await journal.drain()
        await journal.drain()

    assert seen == ["first", "e2e4"]


async def test_a_faulty_callback_does_not_keep_the_others_waiting(gate: Gate) -> None:
    called: list[int] = []
    with capture_logs() as logs:
        async with running(Journal(gate)) as journal:
            journal.note(started())
            journal.when_durable(lambda: 1 // 0)
            journal.when_durable(lambda: called.append(1))
            await journal.drain()

    assert called == [1]
    assert [entry["event"] for entry in logs] == ["callback failed"]


# Trouble


async def test_while_the_database_fails_nothing_is_lost_and_order_is_kept(gate: Gate) -> None:
    told: list[str | None] = []
    later: list[str | None] = []
    called: list[int] = []
    gate.faults = [StorageError("the disk is full")] * 5 + [StorageError("it is gone")]
    with capture_logs() as logs:
        async with running(telling(gate, told.append)) as journal:
            journal.tell_trouble(later.append)
            for n in (1, 2):
                journal.note(started(n))
            journal.when_durable(lambda: called.append(1))
            await gate.reached()
            journal.note(played(1, 0, "e2e4"))
            journal.when_durable(lambda: called.append(2))
            await journal.drain()
            assert (journal.healthy, journal.trouble) == (True, "")

    assert told == later == ["the disk is full", "it is gone", None]
    assert called == [1, 2]
    assert gate.batches == [[started(1), started(2)], [played(1, 0, "e2e4")]]
    assert [entry["log_level"] for entry in logs] == ["error", "error", "info"]


async def test_trouble_shows_while_it_lasts_and_nobody_is_called_back(gate: Gate) -> None:
    trouble = trio.Event()
    gate.faults = [StorageError("the disk is full")] * 3
    with capture_logs():
        async with running(telling(gate, lambda _: trouble.set())) as journal:
            journal.note(started())
            gone = trio.Event()
            assert journal.when_durable(gone.set) is False

            await trouble.wait()

            assert (journal.healthy, journal.trouble) == (False, "the disk is full")
            assert not gone.is_set()
            await gone.wait()
            assert journal.healthy


async def test_an_error_that_nobody_foresaw_is_trouble_too(gate: Gate) -> None:
    told: list[str | None] = []
    gate.faults = [ZeroDivisionError("oh")]
    with capture_logs() as logs:
        async with running(telling(gate, told.append)) as journal:
            journal.note(started())
            await journal.drain()

    assert told == ["ZeroDivisionError: oh", None]
    assert isinstance(logs[0]["exc_info"], ZeroDivisionError)


async def test_a_system_without_another_thread_is_trouble_too(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = trio.lowlevel.start_thread_soon
    refused = iter([True, True])

    def refuse(work: Any, deliver: Any) -> None:
        if next(refused, False):
            raise RuntimeError("can't start new thread")
        start(work, deliver)

    monkeypatch.setattr(trio.lowlevel, "start_thread_soon", refuse)
    told: list[str | None] = []
    with capture_logs():
        async with running(telling(gate, told.append)) as journal:
            journal.note(started())
            await journal.drain()
    assert told == ["can't start new thread", None]
    assert gate.batches == [[started()]]


async def test_a_commit_whose_end_nobody_saw_is_made_again(gate: Gate) -> None:
    gate.after = [StorageError("the connection was lost")]
    facts = [started(), played(1, 0, "e2e4"), finished(1)]
    with capture_logs():
        async with running(Journal(gate, now=lambda: NOON)) as journal:
            for fact in facts:
                journal.note(fact)
            await journal.drain()

    assert gate.batches == [facts, facts]
    assert len(gate.games.moves(1)) == 1


async def test_pauses_between_tries_double_and_are_bounded(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(trio, "sleep", sleep)
    gate.faults = [StorageError("the disk is full")] * 5
    with capture_logs():
        async with running(Journal(gate)) as journal:
            journal.note(started())
            await journal.drain()

    assert pauses == [0.001, 0.002, 0.004, 0.004, 0.004]


async def test_a_refused_fact_does_not_cost_the_others(gate: Gate) -> None:
    stranger, contradiction = played(77, 0, "a2a3"), started(2, control="1+0")
    facts = [started(1), started(2), stranger, *(played(1, ply, "e2e4") for ply in range(5))]
    called: list[int] = []
    with capture_logs() as logs:
        async with running(Journal(gate, now=lambda: NOON)) as journal:
            for fact in [*facts, contradiction]:
                journal.note(fact)
            journal.when_durable(lambda: called.append(1))
            await journal.drain()
            assert journal.healthy

    assert called == [1]
    assert [entry["fact"] for entry in logs] == [stranger, contradiction]
    assert {entry["log_level"] for entry in logs} == {"error"}
    assert len(gate.games.moves(1)) == 5


async def test_trouble_in_the_middle_of_the_hunt_for_a_culprit_loses_nothing(gate: Gate) -> None:
    gate.faults = [RefusedError("somebody"), StorageError("the disk is full")]
    facts = [started(1), started(2), played(9, 0, "e2e4")]
    with capture_logs() as logs:
        async with running(Journal(gate, now=lambda: NOON)) as journal:
            for fact in facts:
                journal.note(fact)
            await journal.drain()

    assert [game.id for game in gate.games.find()] == [2, 1]
    assert [entry["event"] for entry in logs if "fact" in entry] == ["fact refused"]


# A database that does not answer


async def slow_commit(journal: Journal, gate: Gate, clock: trio.testing.MockClock) -> None:
    """Until it has taken too long."""
    gate.open.clear()
    journal.note(started(1))
    await gate.reached()
    clock.jump(NO_ANSWER)
    await trio.testing.wait_all_tasks_blocked()


async def test_who_does_not_answer_in_time_is_in_trouble_and_waited_for(
    gate: Gate, mock_clock: trio.testing.MockClock, errors_logged
) -> None:
    told: list[str | None] = []
    durable: list[int] = []
    async with running(telling(gate, told.append)) as journal:
        await slow_commit(journal, gate, mock_clock)
        assert told == [SILENT]
        assert (journal.healthy, journal.trouble) == (False, SILENT)
        journal.note(played(1, 0, "e2e4"))
        journal.when_durable(lambda: durable.append(len(gate.games.moves(1))))
        mock_clock.jump(2 * NO_ANSWER)
        await trio.testing.wait_all_tasks_blocked()
        assert durable == []

        gate.open.set()
        await journal.drain()
        assert journal.healthy
    assert told == [SILENT, None]
    assert durable == [1]
    assert gate.batches == [[started(1)], [played(1, 0, "e2e4")]]
    [error] = errors_logged.take()
    assert "storage fails" in error


async def test_who_stood_still_is_in_no_trouble_if_the_commit_is_done(
    gate: Gate, mock_clock: trio.testing.MockClock
) -> None:
    told: list[str | None] = []
    async with running(telling(gate, told.append)) as journal:
        gate.open.clear()
        journal.note(started(1))
        await gate.reached()
        mock_clock.jump(2 * NO_ANSWER)
        await trio.testing.wait_all_tasks_blocked()
        gate.open.set()
        await journal.drain()
        assert journal.healthy
    assert told == []
    assert gate.batches == [[started(1)]]


@pytest.mark.parametrize("late", [0.0, 1.0])
async def test_who_is_fenced_in_a_commit_that_takes_long_begins_again(
    gate: Gate, mock_clock: trio.testing.MockClock, errors_logged, late: float
) -> None:
    async with running(Journal(gate)) as journal:
        gate.open.clear()
        journal.note(started(1))
        await gate.reached()
        with trio.fail_after(10 * NO_ANSWER):
            async with trio.open_nursery() as nursery:
                if late:  # it stood still, is told of it, and looks once more for the answer
                    mock_clock.jump(NO_ANSWER + late)
                    await trio.testing.wait_all_tasks_blocked()
                nursery.start_soon(journal.abandon)
                await trio.testing.wait_all_tasks_blocked()
                mock_clock.jump(NO_ANSWER)
                await trio.testing.wait_all_tasks_blocked()
                gate.open.set()
        journal.begin_again()
        journal.note(started(2))
        await journal.drain()
        assert journal.healthy
    assert gate.batches[-1] == [started(2)]
    errors_logged.take()


async def test_a_commit_that_fails_late_has_its_own_trouble_and_is_made_again(
    gate: Gate, mock_clock: trio.testing.MockClock, errors_logged
) -> None:
    told: list[str | None] = []
    gate.faults = [StorageError("the connection was cut")]
    async with running(telling(gate, told.append)) as journal:
        await slow_commit(journal, gate, mock_clock)
        gate.open.set()
        while told != [SILENT, "the connection was cut"]:
            await trio.lowlevel.checkpoint()
        mock_clock.rate = 1  # a pause of FIRST_RETRY; the next commit has its six seconds
        await journal.drain()
    assert told[-1] is None
    assert gate.batches == [[started(1)]]
    assert len(errors_logged.take()) == 2


async def test_who_does_not_answer_keeps_nobody_from_ending(
    gate: Gate, mock_clock: trio.testing.MockClock, errors_logged
) -> None:
    async with running(Journal(gate)) as journal:
        await slow_commit(journal, gate, mock_clock)
        journal.note(played(1, 0, "e2e4"))
    # It has ended without another second of waiting.
    assert trio.current_time() == NO_ANSWER
    assert journal.lost == "1 move and 1 other event of game 1"
    _, error = errors_logged.take()
    assert "not stored" in error
    gate.open.set()


async def test_at_the_end_a_commit_that_may_be_a_good_one_has_its_time(
    gate: Gate, mock_clock: trio.testing.MockClock, errors_logged
) -> None:
    with trio.fail_after(10 * NO_ANSWER):
        async with trio.open_nursery() as nursery:
            journal = Journal(gate)
            await nursery.start(journal.run)
            gate.open.clear()
            journal.note(started(1))
            await gate.reached()
            nursery.cancel_scope.cancel()
            nursery.start_soon(shielded_jump, mock_clock)
    assert trio.current_time() == NO_ANSWER
    assert journal.lost == "1 other event of game 1"
    assert len(errors_logged.take()) == 2
    gate.open.set()


async def shielded_jump(clock: trio.testing.MockClock) -> None:
    with trio.CancelScope(shield=True):
        await trio.testing.wait_all_tasks_blocked()
    clock.jump(NO_ANSWER)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([], ""),
        ([Heartbeat(1, 2)], ""),
        ([played(3, 0, "e2e4"), Heartbeat(1, 2)], "1 move of game 3"),
        ([played(3, 0, "e2e4"), played(17, 0, "e2e4")], "2 moves of games 3, 17"),
        ([*map(started, range(1, 12))], "11 other events of 11 games"),
    ],
)
def test_facts_are_put_into_words(facts: list[Fact], words: str) -> None:
    assert in_words(facts) == words


# The end


async def test_draining_waits_for_all_of_it(gate: Gate) -> None:
    gate.open.clear()
    async with running(Journal(gate)) as journal:
        journal.note(started(1))
        await gate.reached()
        journal.note(started(2))
        with trio.move_on_after(0) as too_short:
            await journal.drain()
        assert too_short.cancelled_caught
        gate.open.set()
        await journal.drain()

    assert gate.games.last_id() == 2


async def test_cancelling_lets_a_commit_end_and_makes_the_last_one(gate: Gate) -> None:
    called: list[int] = []
    gate.open.clear()
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            journal = Journal(gate)
            await nursery.start(journal.run)
            journal.note(started(1))
            journal.when_durable(lambda: called.append(1))
            await gate.reached()
            journal.note(started(2))
            journal.when_durable(lambda: called.append(2))
            nursery.cancel_scope.cancel()
            gate.open.set()

    assert [game.id for game in gate.games.find()] == [2, 1]
    assert called == [1, 2]


async def test_cancelling_in_trouble_gives_up_and_says_what_is_lost(gate: Gate) -> None:
    trouble = trio.Event()
    gate.faults = [StorageError("the disk is full")] * 10_000
    with capture_logs() as logs:
        async with running(telling(gate, lambda _: trouble.set())) as journal:
            journal.note(started(1))
            await trouble.wait()
            journal.note(started(2))

    assert logs[-1] == {
        "event": "not stored",
        "what": "2 other events of games 1, 2",
        "trouble": "the disk is full",
        "log_level": "error",
    }


async def test_cancelling_an_idle_journal_touches_nothing(gate: Gate) -> None:
    async with running(Journal(gate)):
        await trio.testing.wait_all_tasks_blocked()

    assert gate.batches == []


async def test_an_idle_journal_sleeps(gate: Gate) -> None:
    async with running(Journal(gate)) as journal:
        journal.note(started())
        await journal.drain()
        await trio.testing.wait_all_tasks_blocked()
        asleep = trio.lowlevel.current_statistics()

    # The next deadline is the hang guard's.
    assert asleep.seconds_to_next_deadline > 30
    assert len(gate.batches) == 1


async def test_a_journal_works_on_every_database(database: Database) -> None:
    moves = [played(1, ply, "e2e4") for ply in range(50)]
    with capture_logs() as logs:
        async with running(Journal(database)) as journal:
            journal.note(started(1))
            for move in moves:
                journal.note(move)
                if move.ply % 7 == 0:
                    journal.note(played(99, move.ply, "a2a3"))
                    await journal.drain()
            journal.note(finished(1))
            await journal.drain()

    assert [move.ply for move in database.games.moves(1)] == list(range(50))
    assert database.games.find()[0].result == "1-0"
    assert {entry["event"] for entry in logs} == {"fact refused"}


async def test_the_slowest_is_known_while_it_still_waits(
    mock_clock: trio.testing.MockClock,
) -> None:
    database = MemoryDatabase()
    async with trio.open_nursery() as nursery:
        journal = Journal(database)
        journal.note(started(1))
        assert journal.slowest == 0
        mock_clock.jump(3)
        assert journal.slowest == 3
        await nursery.start(journal.run)
        await journal.drain()
        mock_clock.jump(5)
        assert 3 <= journal.slowest < 5
        nursery.cancel_scope.cancel()


# Fenced


def shut_out(gate: Gate) -> None:
    """Another server of the cluster has its games now."""
    gate.faults = [FencedError("run 1 was shut out")] * 9


async def test_who_is_fenced_drops_everything_and_calls_nobody_back(gate: Gate) -> None:
    told: list[str] = []
    with capture_logs() as logs:
        async with running(Journal(gate)) as journal:
            journal.on_fenced(lambda: told.append("fenced"))
            journal.note(started(1))
            await journal.drain()
            shut_out(gate)
            gate.open.clear()
            journal.note(played(1, 0, "e2e4"))
            journal.when_durable(lambda: told.append("the first"))
            await gate.reached()
            await gate.reached()
            journal.note(played(1, 1, "e7e5"))
            journal.when_durable(lambda: told.append("the second"))
            gate.open.set()
            await journal.drain()

            assert (journal.fenced, journal.healthy, journal.pending) == (True, True, 0)
            journal.note(played(1, 2, "g1f3"))
            assert journal.when_durable(lambda: told.append("the third")) is False
            assert journal.pending == 0
            await journal.drain()
            await trio.testing.wait_all_tasks_blocked()

    assert told == ["fenced"]
    assert len(gate.faults) == 8
    assert gate.batches == [[started(1)]]
    assert (journal.lost, journal.counts.moves, journal.slowest < 60) == ("", 0, True)
    assert [entry["log_level"] for entry in logs] == ["warning"]


async def test_trouble_ends_when_it_turns_out_that_the_run_was_fenced(gate: Gate) -> None:
    told: list[str | None] = []
    gate.faults = [StorageError("the database is gone"), FencedError("run 1 was shut out")]
    with capture_logs():
        async with running(telling(gate, told.append)) as journal:
            journal.on_fenced(lambda: told.append("fenced"))
            journal.note(started(1))
            await journal.drain()
            assert journal.fenced

    assert told == ["the database is gone", "fenced", None]


async def test_who_is_fenced_by_the_last_try_has_lost_nothing(gate: Gate) -> None:
    gate.open.clear()
    told: list[str] = []
    with capture_logs() as logs:
        async with running(Journal(gate)) as journal:
            journal.on_fenced(lambda: told.append("fenced"))
            shut_out(gate)
            journal.note(started(1))
            journal.when_durable(lambda: told.append("durable"))
            await gate.reached()
            trio.lowlevel.current_trio_token().run_sync_soon(gate.open.set)

    assert (told, journal.lost, len(gate.faults)) == (["fenced"], "", 8)
    assert [entry["log_level"] for entry in logs] == ["warning"]


async def test_half_of_a_batch_that_was_saved_before_the_fence_is_called_durable_by_nobody(
    gate: Gate,
) -> None:
    """The batch is saved in halves because a fact is refused, and the fence falls in between."""
    gate.faults = [RefusedError("no such game")]
    gate.after = [FencedError("run 1 was shut out")]
    with capture_logs():
        async with running(Journal(gate)) as journal:
            for game in (1, 2):
                journal.note(started(game))
            assert not journal.when_durable(lambda: pytest.fail("called"))
            await journal.drain()

    assert gate.batches == [[started(1)]]


def test_a_release_counts_as_another_event() -> None:
    assert in_words([Released(7, 1)]) == "1 other event of game 7"
