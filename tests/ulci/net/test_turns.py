"""Many tasks go on one after another, and everybody else in between."""

from functools import partial

import pytest
import trio
import trio.testing

from ulci.net import turns as turns_module
from ulci.net.turns import IS_KNOWN, Delay, GradualEvent, Steps, Turns

CROWD = 500


class Loop(trio.abc.Instrument):
    """Counts what happens in one turn of the loop."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def before_io_wait(self, timeout: float) -> None:
        self.most, self.now = max(self.most, self.now), 0

    def passed(self) -> None:
        self.now += 1


async def crowd(wait, loop: Loop, nursery: trio.Nursery) -> None:
    """So many tasks that wait for something, and then do something."""

    async def one() -> None:
        await wait()
        loop.passed()

    for _ in range(CROWD):
        nursery.start_soon(one)


async def test_one_of_a_crowd_goes_on_in_a_turn_of_the_loop() -> None:
    loop, turns = Loop(), Turns()
    trio.lowlevel.add_instrument(loop)
    async with trio.open_nursery() as nursery:
        await crowd(turns.take, loop, nursery)
    assert loop.most == 1


async def test_strangers_and_those_who_are_known_go_on_alternately() -> None:
    turns, gone_on = Turns(), []

    async def one(*, known: bool) -> None:
        IS_KNOWN.set(known)
        await turns.take()
        gone_on.append(known)

    async with trio.open_nursery() as nursery:
        for _ in range(CROWD):
            nursery.start_soon(partial(one, known=False))
        while not gone_on:
            await trio.lowlevel.checkpoint()
        for _ in range(10):
            nursery.start_soon(partial(one, known=True))
    first, last = gone_on.index(True), CROWD + 10 - gone_on[::-1].index(True)
    assert first < 20
    assert gone_on[first:last] == [True, False] * 9 + [True]
    assert len(gone_on) == CROWD + 10


async def test_those_who_wait_for_an_event_go_on_one_after_another() -> None:
    loop, event = Loop(), GradualEvent(Turns())
    trio.lowlevel.add_instrument(loop)
    async with trio.open_nursery() as nursery:
        await crowd(event.wait, loop, nursery)
        await trio.testing.wait_all_tasks_blocked()
        assert not event.is_set()
        event.set()
        await crowd(event.wait, loop, nursery)  # those who come later, too
    assert event.is_set()
    assert loop.most == 1


async def test_who_stops_to_wait_keeps_nobody_from_going_on() -> None:
    gone_on = []
    event, scopes = GradualEvent(Turns()), [trio.CancelScope() for _ in range(20)]

    async def one(number: int, scope: trio.CancelScope) -> None:
        with scope:
            await event.wait()
            gone_on.append(number)

    async with trio.open_nursery() as nursery:
        for number, scope in enumerate(scopes):
            nursery.start_soon(one, number, scope)
        await trio.testing.wait_all_tasks_blocked()
        for scope in scopes[::3]:
            scope.cancel()
        event.set()
        for scope in scopes[1::3]:
            scope.cancel()
    assert sorted(gone_on) == [*range(2, 20, 3)]


async def test_a_crowd_that_has_worked_rests(monkeypatch) -> None:
    slept = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await trio.lowlevel.checkpoint()

    clock = iter(range(1000))
    monkeypatch.setattr(turns_module.trio, "sleep", sleep)
    monkeypatch.setattr(turns_module, "perf_counter", lambda: 1.0)
    monkeypatch.setattr(turns_module, "thread_time", lambda: next(clock) * turns_module.PASS)
    turns = Turns(3.0)
    for _ in range(6):
        await turns.take()
    assert slept
    assert all(0 < seconds <= turns_module.LONGEST_REST for seconds in slept)


async def test_delayed_calls_are_made_in_order_and_one_in_a_turn_of_the_loop() -> None:
    loop, called = Loop(), []
    trio.lowlevel.add_instrument(loop)

    def call(number: int):
        def now() -> None:
            loop.passed()
            called.append(number)

        return now

    async with trio.open_nursery() as nursery:
        delay = Delay(0.0)
        nursery.start_soon(delay.run)
        for number in range(50):
            delay.call(call(number))
        while len(called) < 50:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert called == [*range(50)]
    assert loop.most == 1


async def test_what_is_forgotten_is_not_called_and_takes_no_memory(autojump_clock) -> None:
    called = []
    calls = [partial(called.append, number) for number in range(5)]
    delay = Delay(1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(delay.run)
        for call in calls:
            delay.call(call)
        for number in (0, 3, 3):
            delay.forget(calls[number])
        assert len(delay) == 3
        await trio.sleep(1.5)
        assert called == [1, 2, 4]
        assert len(delay) == 0
        delay.call(calls[0])
        await trio.sleep(0.5)
        delay.call(calls[0])  # which makes it no later, and no second time
        await trio.sleep(2.0)
        nursery.cancel_scope.cancel()
    assert called == [1, 2, 4, 0]


# Steps


class LoopTurns(trio.abc.Instrument):
    count = 0

    def before_io_wait(self, timeout: float) -> None:
        self.count += 1


async def turns_after(steps: Steps, pieces: int) -> list[int]:
    """Turns of the loop, in which others may run, until the end of each piece."""
    turns, seen = LoopTurns(), []
    trio.lowlevel.add_instrument(turns)
    for _ in range(pieces):
        await steps.done()
        seen.append(turns.count)
    return seen


async def test_others_are_let_in_after_so_many_pieces() -> None:
    assert await turns_after(Steps(3), 8) == [0, 0, 1, 1, 1, 2, 2, 2]


async def test_others_are_let_in_after_so_much_time(monkeypatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(turns_module, "perf_counter", lambda: clock[0])
    steps = Steps(seconds=1)
    assert await turns_after(steps, 2) == [0, 0]
    clock[0] = 1.5
    assert await turns_after(steps, 2) == [1, 1]
    steps.begin()
    clock[0] = 2.4
    assert await turns_after(steps, 1) == [0]


async def test_a_step_rests_as_long_as_is_asked_for_and_is_noted(autojump_clock) -> None:
    noted: list[float] = []
    steps = Steps(2, rest_factor=3, note=noted.append)
    await steps.done()
    await trio.sleep(2)
    assert noted == []
    await steps.done()
    assert trio.current_time() == pytest.approx(8)
    assert len(noted) == 1
    steps.begin()
    await steps.done()
    await steps.done()
    assert trio.current_time() == pytest.approx(8)


async def test_between_two_steps_a_shielded_task_is_not_cancelled() -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await Steps(1, shielded=True).done()
    assert not scope.cancelled_caught
    with trio.CancelScope() as scope:
        scope.cancel()
        await Steps(1).done()
    assert scope.cancelled_caught
