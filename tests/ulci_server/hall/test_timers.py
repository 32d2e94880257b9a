"""Alarms ring in order, once, at their moment, and cost one place each."""

from itertools import pairwise

import trio
import trio.testing

from tests.support.clients import memory_client
from ulci.net import peer
from ulci.protocol.messages import Hello, Id
from ulci_server.hall.timers import ALARMS_AT_A_TIME, MAX_CANCELLED, Alarms


async def rung(autojump_clock, arrange, until: float) -> list[tuple[str, float]]:
    alarms, rings = Alarms(), []
    began = trio.current_time()

    def new(name: str):
        return alarms.new(lambda: rings.append((name, round(trio.current_time() - began, 3))))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(alarms.run)
        await arrange(alarms, new, began)
        await trio.sleep_until(began + until)
        nursery.cancel_scope.cancel()
    return rings


async def test_alarms_ring_in_order_and_once(autojump_clock):
    async def arrange(alarms, new, began):
        for name, due in (("late", 3), ("early", 1), ("never", float("inf"))):
            new(name).set(began + due)

    assert await rung(autojump_clock, arrange, 10) == [("early", 1), ("late", 3)]


async def test_an_alarm_set_while_the_task_sleeps_for_a_later_one_rings_in_time(autojump_clock):
    async def arrange(alarms, new, began):
        new("late").set(began + 5)
        await trio.sleep(1)
        new("early").set(began + 2)

    assert await rung(autojump_clock, arrange, 10) == [("early", 2), ("late", 5)]


async def test_an_alarm_that_is_put_off_rings_at_the_new_moment_only(autojump_clock):
    async def arrange(alarms, new, began):
        alarm = new("a")
        for due in (1, 2, 3):
            alarm.set(began + due)

    assert await rung(autojump_clock, arrange, 10) == [("a", 3)]


async def test_an_alarm_that_is_brought_forward_rings_once(autojump_clock):
    async def arrange(alarms, new, began):
        alarm = new("a")
        alarm.set(began + 5)
        alarm.set(began + 1)

    assert await rung(autojump_clock, arrange, 10) == [("a", 1)]


async def test_a_cancelled_alarm_is_silent_and_can_be_set_again(autojump_clock):
    async def arrange(alarms, new, began):
        alarm = new("a")
        alarm.set(began + 1)
        alarm.cancel()
        await trio.sleep(2)
        alarm.set(began + 4)

    assert await rung(autojump_clock, arrange, 10) == [("a", 4)]


async def test_an_alarm_may_set_itself_from_its_own_ring(autojump_clock):
    alarms, rings = Alarms(), []
    began = trio.current_time()

    def ring():
        rings.append(trio.current_time() - began)
        if len(rings) < 3:
            alarm.set(trio.current_time() + 1)

    alarm = alarms.new(ring)
    alarm.set(began + 1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alarms.run)
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert rings == [1, 2, 3]


async def test_others_get_on_while_a_thousand_alarms_ring_together(autojump_clock):
    alarms, rings, seen = Alarms(), [], [0]
    due = trio.current_time() + 1
    for number in range(1000):
        alarms.new(lambda number=number: rings.append(number)).set(due)

    async def get_on():
        while True:
            await trio.lowlevel.checkpoint()
            seen.append(len(rings))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(alarms.run)
        await trio.sleep_until(due)
        nursery.start_soon(get_on)
        while len(rings) < 1000:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert rings == [*range(1000)]
    assert max(now - before for before, now in pairwise(seen)) <= ALARMS_AT_A_TIME


async def test_a_long_game_keeps_one_place_in_the_heap():
    alarms = Alarms()
    alarm = alarms.new(lambda: None)
    for move in range(1000):
        alarm.set(100.0 + move)
    assert len(alarms) == 1


async def test_cancelled_alarms_do_not_fill_the_heap(autojump_clock):
    alarms, rings = Alarms(), []
    began = trio.current_time()
    for number in range(10_000):
        alarm = alarms.new(lambda number=number: rings.append(number))
        alarm.set(began + 3 * 86_400 + number)
        if number % 1000:
            alarm.cancel()
    assert len(alarms) <= 2 * 10 + MAX_CANCELLED
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alarms.run)
        await trio.sleep(4 * 86_400)
        nursery.cancel_scope.cancel()
    assert rings == [*range(0, 10_000, 1000)]


async def test_an_alarm_that_is_brought_forward_again_and_again_does_not_fill_the_heap():
    alarms = Alarms()
    alarm = alarms.new(lambda: None)
    for move in range(1000):
        alarm.set(10_000.0 - move)
    assert len(alarms) <= 2 + MAX_CANCELLED


async def test_what_came_before_an_alarm_is_due_is_heard_before_it_rings(
    mock_clock, nursery, monkeypatch
):
    monkeypatch.setattr(peer, "FAIR_TIME", 0.0)  # as if each message were so much work
    alarms, happened = Alarms(), []

    async def hear(near) -> None:
        while (heard := await near.receive()) is not None:
            happened.append(heard.message)

    near, client = memory_client()
    near.put(Hello())
    await client.hear(Hello)
    nursery.start_soon(alarms.run)
    nursery.start_soon(hear, near)
    alarms.new(lambda: happened.append("rang")).set(1.0)
    await trio.testing.wait_all_tasks_blocked()
    said = [Id("name", f"A{number}") for number in range(10)]
    client.say(*said)
    mock_clock.jump(2)
    await trio.testing.wait_all_tasks_blocked()
    assert happened == [*said, "rang"]
