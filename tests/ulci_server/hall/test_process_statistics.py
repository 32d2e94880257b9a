"""What the process says of itself."""

import time

import trio
import trio.testing

from ulci_server.hall.process_statistics import ProcessStatistics


async def test_every_task_counts_as_long_as_it_runs() -> None:
    statistics = ProcessStatistics()
    before = statistics()["tasks"]
    async with trio.open_nursery() as outer:
        outer.start_soon(trio.sleep_forever)
        async with trio.open_nursery() as inner:
            inner.start_soon(trio.sleep_forever)
            await trio.testing.wait_all_tasks_blocked()
            assert statistics()["tasks"] == before + 2
            inner.cancel_scope.cancel()
        assert statistics()["tasks"] == before + 1
        outer.cancel_scope.cancel()
    assert statistics()["tasks"] == before


async def test_the_time_counts_from_the_beginning(monkeypatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    statistics = ProcessStatistics()
    monkeypatch.setattr(time, "monotonic", lambda: now + 90.9)
    assert statistics()["up"] == 90
