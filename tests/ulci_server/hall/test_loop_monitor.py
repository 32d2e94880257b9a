"""What held the event loop is in the log by its name, and nothing else is."""

import time
from collections.abc import Iterator

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from ulci.protocol.messages import Seek, Seeks, Terms, Watch
from ulci_server.hall.loop_monitor import (
    BUDGET,
    HELD,
    REPORT_INTERVAL,
    LoopMonitor,
    ProcessStatistics,
    note_duration,
    times_held,
    watch_loop,
)


class Machine:
    """Two clocks that are set by hand: that of the machine and that of the thread, in s."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.worked = 5.0
        self.monitor = LoopMonitor(lambda: self.now, lambda: self.worked)

    def work(self, seconds: float, what: str, whose: str = "", *, others: float = 0.0) -> None:
        """Work for so long, while other processes have the processor for `others` s."""
        began = self.now
        self.now += seconds + others
        self.worked += seconds
        self.monitor.note_duration(began, what, whose)

    def wait(self, seconds: float) -> None:
        """The loop has nothing to do."""
        self.now += seconds
        self.monitor.after_io_wait(seconds)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def logged() -> Iterator[list[dict[str, object]]]:
    with capture_logs() as events:
        yield events


def test_what_takes_longer_than_the_budget_is_named_with_its_owner(machine, logged) -> None:
    machine.work(0.034, "seek", "Ada")
    assert logged == [
        {"event": HELD, "log_level": "warning", "what": "seek", "whose": "Ada", "ms": 34.0,
         "times": 1}
    ]  # fmt: skip
    assert machine.monitor.times_held == 1


def test_what_stays_within_the_budget_is_not_mentioned(machine, logged) -> None:
    for _ in range(100):
        machine.work(0.9 * BUDGET, "seek", "Ada")
    assert not logged
    assert machine.monitor.times_held == 0


def test_a_thread_that_was_interrupted_is_not_to_blame(machine, logged) -> None:
    machine.work(0.002, "seek", "Ada", others=0.5)
    assert not logged


def test_what_the_thread_did_before_the_loop_waited_counts_for_nobody(machine, logged) -> None:
    machine.worked += 3.0
    machine.wait(0.01)
    machine.work(0.002, "seek", "Ada", others=0.5)
    assert not logged


def test_a_minute_has_one_line_which_names_the_worst_and_counts_the_rest(machine, logged) -> None:
    machine.work(0.020, "seek", "Ada")
    machine.work(0.030, "who", "Bob")
    machine.work(0.080, "games", "Cleo")
    machine.work(0.040, "seeks", "Dora")
    assert [event["what"] for event in logged] == ["seek"]
    machine.wait(REPORT_INTERVAL)
    machine.monitor.report()
    assert [(e["what"], e["whose"], e["times"]) for e in logged[1:]] == [("games", "Cleo", 3)]
    machine.wait(REPORT_INTERVAL)
    machine.monitor.report()
    assert len(logged) == 2
    assert machine.monitor.times_held == 4


async def test_a_watched_loop_counts_what_held_it(monkeypatch, logged) -> None:
    watch_loop()
    await trio.lowlevel.checkpoint()
    monkeypatch.setattr("ulci_server.hall.loop_monitor.BUDGET", 0.0)
    note_duration(0.0, "seek", "Ada")
    assert times_held() == 1
    assert [event["what"] for event in logged] == ["seek"]


async def test_whatever_a_hall_deals_with_has_its_name(
    autojump_clock, server, monkeypatch, logged
) -> None:
    for limit in ("BUDGET", "MIN_NOTED", "REPORT_INTERVAL"):
        monkeypatch.setattr(f"ulci_server.hall.loop_monitor.{limit}", -1.0)
    watch_loop()
    async with server() as h:
        ada, bob = await h.people()
        watching = await h.person("Cy")
        watching.say(Watch(1))
        await ada.move("e2e4")
        await bob.be_asked()
        watching.say(Seek(Terms()), Seeks())
        await watching.hear_line("seeks")
        await watching.peer.aclose()
        await trio.sleep(100)  # the flag of Black falls
        await trio.testing.wait_all_tasks_blocked()
    held = {(event["what"], event["whose"]) for event in logged if event["event"] == HELD}
    assert held >= {
        ("HelloOk", "Ada"),
        ("Seek", "Cy"),
        ("BestMove", "Ada"),
        ("Alarm", "game 1"),
        ("Left", "Cy"),
    }


async def test_where_nobody_watches_the_loop_nothing_is_counted() -> None:
    note_duration(0.0, "seek", "Ada")
    assert times_held() == 0


# What the process says of itself


async def test_every_task_counts_as_long_as_it_runs() -> None:
    statistics = ProcessStatistics()
    assert statistics()["tasks"] == 0, "nobody watches"
    watch_loop()
    before = statistics()["tasks"]
    assert before == all_tasks()
    async with trio.open_nursery() as outer:
        outer.start_soon(trio.sleep_forever)
        async with trio.open_nursery() as inner:
            inner.start_soon(trio.sleep_forever)
            await trio.testing.wait_all_tasks_blocked()
            assert statistics()["tasks"] == before + 2
            inner.cancel_scope.cancel()
        assert statistics()["tasks"] == before + 1
        outer.cancel_scope.cancel()
    assert statistics()["tasks"] == before == all_tasks()


def all_tasks() -> int:
    """Counted one by one."""
    root = trio.lowlevel.current_root_task()
    assert root is not None
    found = [root]
    for task in found:
        for nursery in task.child_nurseries:
            found += nursery.child_tasks
    return len(found)


async def test_tasks_are_not_counted_one_by_one_when_somebody_asks(monkeypatch) -> None:
    statistics = ProcessStatistics()
    watch_loop()
    monkeypatch.setattr(trio.lowlevel, "current_root_task", None)
    assert statistics()["tasks"] > 0


async def test_the_time_counts_from_the_beginning(monkeypatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    statistics = ProcessStatistics()
    monkeypatch.setattr(time, "monotonic", lambda: now + 90.9)
    assert statistics()["up"] == 90
