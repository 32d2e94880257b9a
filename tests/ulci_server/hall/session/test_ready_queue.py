"""A barrier: who asks ``isready`` is told when it was answered."""

import pytest
import trio

from tests.support.clients import Client, memory_client
from ulci.protocol.messages import Hello, IsReady
from ulci_server.hall.session.pending import ReadyQueue


@pytest.fixture
def greeted() -> tuple[ReadyQueue, Client]:
    near, client = memory_client()
    near.put(Hello())
    return ReadyQueue(near), client


async def test_each_answer_is_for_who_asked_first(autojump_clock, greeted) -> None:
    ready_queue, client = greeted
    told: list[tuple[str, float]] = []
    ready_queue.expect(lambda at: told.append(("the game", at)))  # which asks by itself
    ready_queue.ask(lambda at: told.append(("a probe", at)))
    assert await client.hear(IsReady) == IsReady()
    ready_queue.hear(1.0)
    assert ready_queue.awaits_answer
    ready_queue.hear(2.5)
    assert not ready_queue.awaits_answer
    assert told == [("the game", 1.0), ("a probe", 2.5)]


async def test_an_answer_that_nobody_waits_for_is_none_to_the_next(autojump_clock, greeted) -> None:
    ready_queue, _ = greeted
    ready_queue.hear(1.0)
    told: list[float] = []
    ready_queue.ask(told.append)
    assert (ready_queue.awaits_answer, told) == (True, [])


@pytest.mark.parametrize(("after", "answers"), [(4.0, True), (6.0, False)])
async def test_whoever_answers_within_so_many_seconds_is_there(
    autojump_clock, greeted, after: float, answers: bool
) -> None:
    ready_queue, client = greeted

    async def answer() -> None:
        await client.hear(IsReady)
        await trio.sleep(after)
        ready_queue.hear(trio.current_time())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        assert await ready_queue.answers_within(5.0) is answers
