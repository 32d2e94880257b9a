"""Is the program that is asked for a move still there? The opponent and those who watch see it."""

import pytest
import trio
import trio.testing

from ulci.protocol.messages import (
    BestMove,
    Id,
    Info,
    IsReady,
    Quit,
    ReadyOk,
    Resign,
    Score,
    Seek,
    Terms,
    Watch,
)
from ulci_server.game import GameFinished, MovePlayed
from ulci_server.hall.session.liveness import HUNG_POLL, READY_TIMEOUT, SILENCE

LOBBY = Id("feature", "lobby")
THOUGHT = Info(depth=3, score=Score(cp=3))


async def thinking(h, *said: Id):
    """An engine with White and all its time, a person with Black, and somebody who watches."""
    engine = await h.engine("Fish", *said)
    ada = await h.person("Ada")
    if said:
        engine.say(Seek(Terms(color="white")))
    await trio.testing.wait_all_tasks_blocked()
    ada.say(Seek(Terms(color="black")))
    await trio.testing.wait_all_tasks_blocked()
    await engine.get_ready()
    await ada.get_ready()
    await engine.be_asked()
    cy = await h.person("Cy")
    cy.say(Watch(1))
    await cy.hear_line("watch 1")
    return engine, ada, cy


def asked(client) -> int:
    return sum(isinstance(message, IsReady) for message in client.heard)


async def listen(client, seconds: float) -> list[str]:
    """What it hears in so long."""
    before = len(client.heard)
    with trio.move_on_after(seconds):
        await client.hear_the_end()
    said = client.heard[before:]
    return [" ".join(getattr(message, "words", [type(message).__name__])) for message in said]


async def test_a_program_that_is_silent_for_long_is_asked_and_hangs_if_it_does_not_answer(
    autojump_clock, server
):
    async with server() as h:
        engine, ada, cy = await thinking(h, LOBBY)
        began = trio.current_time()
        await engine.hear(IsReady)
        assert trio.current_time() == began + SILENCE
        await ada.hear_line("game 1 opponent hung")
        assert trio.current_time() == began + SILENCE + READY_TIMEOUT
        await cy.hear_line("game 1 white hung")
        engine.say(ReadyOk())
        await ada.hear_line("game 1 opponent thinking")
        await cy.hear_line("game 1 white thinking")
        engine.say(BestMove("e2e4"))
        assert (await ada.be_asked()).wtime == 41_000  # its own time, and nobody else's
        assert h.journal.kinds(MovePlayed)[0].spent == 20_000


async def test_one_that_answers_is_asked_again_and_nobody_hears_of_it(autojump_clock, server):
    async with server() as h:
        engine, ada, cy = await thinking(h, LOBBY)
        for _ in range(3):
            await engine.get_ready()
        for client in (ada, cy):
            assert not any("hung" in line for line in await listen(client, 1.0))


async def test_one_that_says_what_it_thinks_is_not_asked(autojump_clock, server):
    async with server() as h:
        engine, _, _ = await thinking(h, LOBBY)
        before = asked(engine)
        for _ in range(5):
            await trio.sleep(SILENCE - 1)
            engine.say(THOUGHT)
        await listen(engine, 0)
        assert asked(engine) == before


async def test_whatever_one_that_hangs_says_shows_that_it_does_not(autojump_clock, server):
    async with server() as h:
        engine, ada, _ = await thinking(h, LOBBY)
        await ada.hear_line("game 1 opponent hung")
        began = trio.current_time()
        await trio.sleep(3)
        engine.say(THOUGHT)
        await ada.hear_line("game 1 opponent thinking")
        assert trio.current_time() <= began + 3 + HUNG_POLL
        await ada.hear_line("game 1 opponent hung")  # and again


async def test_a_move_says_it_all(autojump_clock, server):
    async with server() as h:
        engine, ada, _ = await thinking(h, LOBBY)
        await ada.hear_line("game 1 opponent hung")
        await engine.hear(IsReady)
        engine.say(BestMove("e2e4"))
        await ada.be_asked()
        assert h.hall.tables[1].snapshot()[3:] == ()
        engine.say(ReadyOk())  # late, and of no consequence
        ada.say(BestMove("e7e5"))
        await engine.be_asked()


@pytest.mark.parametrize("said", [(), (Id("version", "1"),)])
async def test_a_program_that_knows_no_lobby_is_never_asked_in_a_search(
    autojump_clock, server, said
):
    async with server() as h:
        engine, other = await h.engine("A", *said), await h.engine("B")
        await engine.get_ready()
        await other.get_ready()
        await engine.be_asked()
        before = asked(engine)
        await listen(engine, 50)
        assert asked(engine) == before


async def test_a_person_may_think_in_peace(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        before = asked(ada)
        await listen(ada, 50)
        assert asked(ada) == before
        assert not any("hung" in line for line in await listen(bob, 0))


async def test_a_flag_falls_for_one_that_hangs_as_for_everybody(autojump_clock, server):
    async with server() as h:
        engine, ada, _ = await thinking(h, LOBBY)
        engine.say(BestMove("e2e4"))
        await ada.move("e7e5")
        await engine.be_asked()
        began = trio.current_time()
        await ada.hear_line("game 1 over result 0-1 reason time")
        assert trio.current_time() == began + 61
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome.reason == "time"
        before = asked(engine)
        await listen(engine, 100)
        assert asked(engine) <= before + 2  # the probe before the end, and the barrier after it


async def test_who_comes_late_sees_who_hangs_and_whose_line_is_down(autojump_clock, server):
    async with server() as h:
        engine, ada, _ = await thinking(h, LOBBY)
        await ada.hear_line("game 1 opponent hung")
        di = await h.person("Di")
        di.say(Watch(1))
        await di.hear_line("game 1 white hung")
        engine.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        await di.hear_line("game 1 white line-down")
        ed = await h.person("Ed")
        ed.say(Watch(1))
        await ed.hear_line("game 1 white line-down")
        assert not any("hung" in line for line in await listen(ed, 1.0))


async def test_one_that_is_back_is_thinking_until_it_is_silent_again(autojump_clock, server):
    async with server() as h:
        engine, ada, cy = await thinking(h, LOBBY)
        welcome = next(m for m in engine.heard if "welcome" in getattr(m, "words", ()))
        engine.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        await cy.hear_line("game 1 white line-down")
        again = await h.engine("Fish", LOBBY, Id("resume", welcome.words[-1]))
        await again.get_ready()
        await cy.hear_line("game 1 white back")
        await again.be_asked()
        began = trio.current_time()
        await ada.hear_line("game 1 opponent hung")
        assert trio.current_time() == began + SILENCE + READY_TIMEOUT


@pytest.mark.parametrize("word", [Resign(), Quit()])
async def test_the_end_of_the_game_is_the_end_of_it(autojump_clock, server, word):
    async with server() as h:
        engine, ada, _ = await thinking(h, LOBBY)
        await engine.hear(IsReady)
        ada.say(word)
        await trio.testing.wait_all_tasks_blocked()
        assert h.hall.tables == {}
        before = asked(engine)
        await listen(engine, 100)
        assert asked(engine) == before + 1  # the barrier after the game
