"""Questions that only UGI has words for, and their answers."""

import pytest
import trio.testing

from tests.support.clients import Client, memory_client
from ulci.net import Peer
from ulci.protocol import DIALECTS, Role
from ulci.protocol.messages import Hello, Query
from ulci_server.hall.questions import Questions


async def connected(dialect: str) -> tuple[Peer, Client]:
    """Somebody who speaks that dialect and has introduced itself in it."""
    near, client = memory_client(DIALECTS[dialect](Role.CLIENT))
    near.connection.dialect = DIALECTS[dialect](Role.SERVER)
    near.put(Hello())
    await client.introduce()
    await near.receive()
    return near, client


async def test_answers_are_told_when_all_have_come_each_to_who_asked(autojump_clock) -> None:
    peer, client = await connected("ugi")
    questions, told = Questions(peer), []
    assert questions.ask(("gameover", "result"), told.append)
    assert questions.ask(("p1turn",), told.append)
    assert [await client.hear(Query) for _ in range(3)] == [
        Query("gameover"),
        Query("result"),
        Query("p1turn"),
    ]
    questions.hear("true")
    assert told == []
    questions.hear("p1win")
    questions.hear("false")
    assert told == [("true", "p1win"), ("false",)]


@pytest.mark.parametrize("dialect", ["uci", "ulci"])
async def test_who_has_no_words_for_it_is_asked_nothing(autojump_clock, dialect: str) -> None:
    peer, client = await connected(dialect)
    questions = Questions(peer)
    assert not questions.ask(("gameover",), pytest.fail)
    await trio.testing.wait_all_tasks_blocked()
    await peer.aclose()
    assert [type(message) for message in await client.hear_the_end()] == [Hello]


async def test_an_answer_that_nobody_asked_for_is_none_to_the_next_question(
    autojump_clock,
) -> None:
    peer, _ = await connected("ugi")
    questions, told = Questions(peer), []
    questions.hear("true")
    questions.ask(("p1turn",), told.append)
    assert told == []
    questions.hear("false")
    assert told == [("false",)]
