"""Whoever watches a server's loop tells which task held it, and blames nobody for the host."""

import re
from time import thread_time

import pytest
import trio

from deploy.bench.watched_server import (
    BUDGET,
    HELD,
    LONGEST,
    TURN,
    StepMonitor,
    held_loop,
    held_steps,
    stolen,
)


def work() -> None:
    """For as long as no task may."""
    end = thread_time() + 1.2 * BUDGET
    while thread_time() < end:
        pass


async def hold_the_loop() -> None:
    work()
    await trio.lowlevel.checkpoint()


def test_who_held_the_loop_is_told_with_where_it_waits_now(capsys: pytest.CaptureFixture) -> None:
    monitor = StepMonitor(lambda: 0.0)
    trio.run(hold_the_loop, instruments=[monitor])
    [line] = held_steps(capsys.readouterr().err)
    assert line.startswith(HELD)
    assert "hold_the_loop" in line
    assert "checkpoint" in line
    monitor.tell_longest()
    monitor.tell_longest()
    first, second = capsys.readouterr().err.splitlines()
    assert float(first.removeprefix(f"{LONGEST} ").split()[0]) > 1000 * BUDGET
    assert second == f"{LONGEST} 0.000 ms, {TURN} 0.000 ms: -"


async def work_together() -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(hold_the_loop)


def test_a_turn_is_as_long_as_all_steps_in_it(capsys: pytest.CaptureFixture) -> None:
    monitor = StepMonitor(lambda: 0.0)
    trio.run(work_together, instruments=[monitor])
    monitor.tell_longest()
    said = capsys.readouterr().err.splitlines()[-1]
    found = re.match(rf"{LONGEST} (\S+) ms, {TURN} (\S+) ms: ", said)
    assert float(found[1]) > 1000 * BUDGET
    assert float(found[2]) > 3 * 1000 * BUDGET


def test_nobody_is_blamed_for_what_the_host_of_the_machine_took(
    capsys: pytest.CaptureFixture,
) -> None:
    # All time that the thread works counts as taken by the host.
    trio.run(hold_the_loop, instruments=[StepMonitor(thread_time)])
    assert held_steps(capsys.readouterr().err) == []


def test_a_task_that_held_a_loop_once_may_not_have_done_it() -> None:
    journal = f"{HELD} 42.0 ms: journal, run:160 commit:242"
    again = f"{HELD} 31.0 ms: journal, run:160 checkpoint:3"
    serve, long = f"{HELD} 42.0 ms: serve, serve:219", f"{HELD} 142.0 ms: welcome, welcome:1"
    assert held_loop(journal, serve) == []
    assert held_loop(f"{journal}\n{serve}", again) == [journal, again]
    assert held_loop(long) == [long]


def test_what_the_host_took_never_becomes_less() -> None:
    assert 0.0 <= stolen() <= stolen()
