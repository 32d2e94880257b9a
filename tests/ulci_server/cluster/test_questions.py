"""Questions to other servers: each gets its own answer, or none in time."""

from collections.abc import Callable
from functools import partial

import trio
import trio.testing

from ulci_server.cluster.questions import Questions


async def test_each_question_gets_its_own_answer(nursery, autojump_clock) -> None:
    questions, asked, heard = Questions[str](), list[int](), dict[int, str | None]()

    async def ask(at: int, send: Callable[[int], object]) -> None:
        heard[at] = await questions.ask(send, 1)

    for at in range(2):
        nursery.start_soon(ask, at, asked.append)
    await trio.testing.wait_all_tasks_blocked()
    for number in reversed(asked):
        questions.hear(number, f"to {number}")
    await trio.testing.wait_all_tasks_blocked()
    assert sorted(heard.values()) == [f"to {number}" for number in sorted(asked)]


async def test_an_answer_may_come_at_once() -> None:
    questions = Questions[bool]()
    assert await questions.ask(partial(questions.hear, answer=False), 1) is False


async def test_who_waits_longer_than_it_will_hears_nothing(autojump_clock) -> None:
    questions, asked = Questions[str](), list[int]()
    assert await questions.ask(asked.append, 1) is None
    questions.hear(asked[0], "late")
    assert await questions.ask(asked.append, 1) is None
