"""Questions that only UGI has words for, and their answers."""

import pytest
import trio.testing

from tests.support.clients import Client, memory_client
from ulci.net import Peer
from ulci.protocol import DIALECTS, Role
from ulci.protocol.messages import Hello, Query
from ulci_server.hall.session.pending import UgiQueries


async def connected(dialect: str) -> tuple[Peer, Client]:
    """Somebody who speaks that dialect and has introduced itself in it."""
    near, client = memory_client(DIALECTS[dialect](Role.CLIENT))
    near.connection.dialect = DIALECTS[dialect](Role.SERVER)
    near.put(Hello())
    await client.introduce()
    await near.receive()
    return near, client


async def test_answers_are_told_when_all_have_come(autojump_clock) -> None:
    peer, client = await connected("ugi")
    questions, told = UgiQueries(peer), []
    assert questions.ask(("gameover", "result"), told.append)
    assert [await client.hear(Query) for _ in range(2)] == [Query("gameover"), Query("result")]
    questions.hear("true")
    assert told == []
    questions.hear("p1win")
    assert told == [("true", "p1win")]


async def test_who_owes_answers_is_asked_nothing_more(autojump_clock) -> None:
    peer, client = await connected("ugi")
    questions, told = UgiQueries(peer), []
    assert questions.ask(("gameover", "result"), told.append)
    assert not any(questions.ask(("p1turn",), pytest.fail) for _ in range(1000))
    for answer in ("true", "p1win"):
        questions.hear(answer)
    assert questions.ask(("p1turn",), told.append)
    questions.hear("false")
    assert told == [("true", "p1win"), ("false",)]
    await peer.aclose()
    assert sum(isinstance(said, Query) for said in await client.hear_the_end()) == 3


@pytest.mark.parametrize("dialect", ["uci", "ulci"])
async def test_who_has_no_words_for_it_is_asked_nothing(autojump_clock, dialect: str) -> None:
    peer, client = await connected(dialect)
    questions = UgiQueries(peer)
    assert not questions.ask(("gameover",), pytest.fail)
    await trio.testing.wait_all_tasks_blocked()
    await peer.aclose()
    assert [type(message) for message in await client.hear_the_end()] == [Hello]


async def test_an_answer_that_nobody_asked_for_is_none_to_the_next_question(
    autojump_clock,
) -> None:
    peer, _ = await connected("ugi")
    questions, told = UgiQueries(peer), []
    questions.hear("true")
    questions.ask(("p1turn",), told.append)
    assert told == []
    questions.hear("false")
    assert told == [("false",)]
