"""A game that is judged elsewhere: what the players notice, and what they must not."""

from collections import deque
from collections.abc import Callable

import pytest
import trio
import trio.testing

from ulci.protocol.messages import (
    BestMove,
    Option,
    OptionType,
    Query,
    Resign,
    Response,
    Seek,
    Terms,
)
from ulci.rules import Illegal, Outcome, Reason, Side
from ulci.rules.refereed import Lost, Question, RefereedRules, Ruling, Standing
from ulci_server.game import Controls, GameFinished, MovePlayed, Reported
from ulci_server.lobby import Pool

WHITE, BLACK = Standing(Side.WHITE), Standing(Side.BLACK)
NIM = Option("UCI_Variant", OptionType.COMBO, "chess", vars=("chess", "nim"))


class HeldReferee:
    """Answers when the test says so."""

    second_opinion = True

    def __init__(self) -> None:
        self.rules = RefereedRules("nim", known={None: WHITE})
        self.waiting: deque[tuple[Question, Callable[[Ruling], None]]] = deque()

    def ask(self, question: Question, then: Callable[[Ruling], None]) -> None:
        self.waiting.append((question, then))

    async def rule(self, ruling: Ruling) -> Question:
        await trio.testing.wait_all_tasks_blocked()
        question, then = self.waiting.popleft()
        then(ruling)
        await trio.testing.wait_all_tasks_blocked()
        return question


@pytest.fixture
def referee() -> HeldReferee:
    return HeldReferee()


@pytest.fixture
def nim(house, referee):
    pool = Pool("nim", referee.rules, Controls.parse("60+1"), (None,))
    return lambda: house(pool, referees=(referee,))


async def players(h):
    white, black = await h.engine("A", NIM), await h.engine("B", NIM)
    await white.get_ready()
    await black.get_ready()
    return white, black


async def test_nobodys_clock_runs_while_the_referee_thinks(autojump_clock, nim, referee):
    async with nim() as h:
        white, black = await players(h)
        await white.be_asked()
        await trio.sleep(10)
        white.say(BestMove("a1"))
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(1000)
        assert await referee.rule(BLACK) == Question(None, ("a1",), Side.WHITE)
        go = await black.be_asked()
        assert (go.wtime, go.btime) == (51_000, 60_000)
        [played] = h.journal.kinds(MovePlayed)
        assert (played.move, played.spent, played.left) == ("a1", 10_000, 51_000)


async def test_a_side_may_be_asked_twice_in_a_row(autojump_clock, nim, referee):
    async with nim() as h:
        white, black = await players(h)
        await white.move("a1")
        await referee.rule(WHITE)
        await white.move("a2")
        await referee.rule(BLACK)
        await black.move("b1")
        question = await referee.rule(Standing(Side.WHITE, Outcome(Side.BLACK, Reason.GAME_RULE)))
        assert question == Question(None, ("a1", "a2", "b1"), Side.BLACK)
        sides = [(played.side, played.move) for played in h.journal.kinds(MovePlayed)]
        assert sides == [(Side.WHITE, "a1"), (Side.WHITE, "a2"), (Side.BLACK, "b1")]
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.GAME_RULE)


async def test_who_was_to_move_again_is_asked_again_by_a_server_that_comes_after(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, _ = await h.people()
        await ada.move("a1")
        await referee.rule(WHITE)
        await ada.be_asked()
        await trio.sleep(3)
        later = await h.resumed()
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        assert (await again.be_asked()).wtime == 58_000


async def test_a_move_that_the_referee_does_not_take_loses_for_an_engine(
    autojump_clock, nim, referee
):
    async with nim() as h:
        white, _ = await players(h)
        await white.move("z9")
        await referee.rule(Illegal("there is no heap z"))
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.ILLEGAL_MOVE)
        assert "there is no heap z" in end.detail
        assert "startpos" in end.detail


async def test_what_is_said_meanwhile_is_heard_after_the_verdict(autojump_clock, nim, referee):
    async with nim() as h:
        ada, bob = await h.people()
        await ada.move("a1")
        await trio.testing.wait_all_tasks_blocked()
        bob.say(Resign())
        await trio.testing.wait_all_tasks_blocked()
        assert h.journal.kinds(GameFinished) == []
        await referee.rule(BLACK)
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.WHITE, Reason.RESIGNATION)
        assert [played.move for played in h.journal.kinds(MovePlayed)] == ["a1"]


async def test_a_referee_without_an_answer_ends_the_game_without_a_result(
    autojump_clock, nim, referee
):
    async with nim() as h:
        white, _ = await players(h)
        await white.move("a1")
        await referee.rule(Lost("result none of a game over"))
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(None, Reason.SERVER)
        assert "result none" in end.detail


async def test_a_verdict_on_a_game_that_is_gone_means_nothing(autojump_clock, nim, referee):
    async with nim() as h:
        white, _ = await players(h)
        await white.move("a1")
        await trio.testing.wait_all_tasks_blocked()
        h.hall.tables[1].stop("the server is shutting down")
        await referee.rule(BLACK)
        assert len(h.journal.kinds(GameFinished)) == 1


async def test_a_start_that_a_player_chose_is_shown_to_the_referee_first(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        assert await referee.rule(BLACK) == Question("1,2 2")
        await ada.get_ready()
        await bob.get_ready()
        await bob.be_asked()
        assert h.hall.tables[1].game.started.start == "1,2 2"


async def test_a_start_that_the_referee_refuses_costs_nobody_a_game(autojump_clock, nim, referee):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="nonsense")))
        await referee.rule(Illegal("no heaps"))
        assert "no heaps" in await ada.hear_line("error no-game")
        await bob.hear_line("error no-game")
        assert h.hall.tables == {}
        ada.say(Seek(Terms()))
        await ada.hear_line("seek")


async def test_who_leaves_while_the_referee_looks_at_the_start_leaves_the_other_free(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        await trio.testing.wait_all_tasks_blocked()
        bob.peer.cut("gone")
        await referee.rule(BLACK)
        assert "left" in await ada.hear_line("error no-game")
        assert h.hall.tables == {}


@pytest.mark.parametrize(
    ("answers", "reported"),
    [
        (("true", "p1win"), []),
        (("true", "p2win"), ["p2win"]),
        (("false", "none"), ["false"]),
    ],
)
async def test_engines_that_see_another_end_are_put_on_record(
    autojump_clock, nim, referee, answers, reported
):
    async with nim() as h:
        white, black = await h.ugi("A"), await h.ugi("B")
        for client in (white, black):
            await client.get_ready()
        await white.move("a1")
        await referee.rule(Standing(Side.BLACK, Outcome(Side.WHITE, Reason.GAME_RULE)))
        for answer in answers:
            await white.hear(Query)
            white.say(Response(answer))
        await trio.testing.wait_all_tasks_blocked()
        told = [fact.text for fact in h.journal.kinds(Reported)]
        assert len(told) == len(reported)
        assert all(word in text for text, word in zip(told, reported, strict=True))
