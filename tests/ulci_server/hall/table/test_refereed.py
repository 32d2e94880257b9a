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
    Rematch,
    Resign,
    Response,
    Seek,
    Takeback,
    Terms,
)
from ulci.rules import Illegal, Outcome, Reason, Side
from ulci.rules.refereed import Fatal, Question, RefereedRules, Ruling, Standing, Unanswered
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
        self.suspects: list[bool] = []
        self.remembered: dict[Question, Illegal] = {}

    def recall(self, question: Question) -> Illegal | None:
        return self.remembered.get(question)

    def ask(
        self, question: Question, then: Callable[[Ruling], None], *, suspect: bool = False
    ) -> None:
        self.waiting.append((question, then))
        self.suspects.append(suspect)

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
def nim(server, referee):
    pool = Pool("nim", referee.rules, Controls.parse("60+1"), (None,))
    return lambda: server(pool, referees=(referee,))


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


async def test_a_person_whose_move_was_fatal_is_asked_again_and_suspect_in_later_games_too(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.people()
        await ada.move("zz")
        await referee.rule(Fatal("the referee cannot take it"))
        await ada.move("a1")
        await referee.rule(BLACK)
        await bob.move("b1")
        await referee.rule(WHITE)
        bob.say(Resign(), Rematch())
        await ada.hear_line("game 1 over")
        ada.say(Rematch())
        for person in (ada, bob, bob, ada):
            await person.get_ready()
        await bob.move("b2")
        await referee.rule(BLACK)
        await ada.move("a2")
        await referee.rule(WHITE)
        assert referee.suspects == [False, True, False, False, True]


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
        await referee.rule(Unanswered("result none of a game over"))
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


async def test_no_game_begins_from_where_the_referee_says_that_it_is_over(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="0,0 2")))
        await referee.rule(Standing(Side.BLACK, Outcome(Side.WHITE, Reason.GAME_RULE)))
        why = "the game is over there already: won by white (game-rule)"
        assert why in await ada.hear_line("error no-game")
        await bob.hear_line("error no-game")
        assert h.hall.tables == {}


async def test_a_start_that_the_referee_need_not_look_at_is_refused_at_once(
    autojump_clock, nim, referee
):
    referee.remembered[Question("1,2 2")] = Illegal("no heaps")
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        for person in (ada, bob):
            assert "no heaps" in await person.hear_line("error no-game")
        assert not referee.waiting
        ada.say(Seek(Terms()))
        await ada.hear_line("seek")


@pytest.mark.parametrize("start", ["1" * 5000, "1,2 1 moves a1"])
async def test_what_can_be_no_start_is_refused_before_anybody_waits(
    autojump_clock, nim, referee, start
):
    async with nim() as h:
        ada = await h.person("Ada")
        ada.say(Seek(Terms(start=start)))
        await ada.hear_line("error bad-start")


async def test_who_comes_back_while_the_referee_looks_at_the_start_is_free_again(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        await trio.testing.wait_all_tasks_blocked()
        again = await h.back("Bob", bob.secret)
        await referee.rule(BLACK)
        await again.hear_line("error no-game")
        again.say(Seek(Terms()))
        await again.hear_line("seek")


async def test_a_game_from_a_start_that_a_player_chose_goes_on_after_the_servers_end(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        await referee.rule(BLACK)
        await ada.get_ready()
        await bob.get_ready()
        await bob.move("a1")
        await referee.rule(WHITE)
        await ada.be_asked()
        referee.rules.known = {None: WHITE}
        later = await h.resumed()
        assert later.resumes == 1
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        await again.be_asked()


async def test_a_game_that_black_begins_goes_on_with_black_before_anybody_has_moved(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        await referee.rule(BLACK)
        await ada.get_ready()
        await bob.get_ready()
        await bob.be_asked()
        await trio.sleep(20)
        referee.rules.known = {None: WHITE}
        later = await h.resumed()
        again = await later.back("Bob", bob.secret)
        await again.get_ready()
        assert (await again.be_asked()).btime == 60_000  # nobody knows since when he thought


async def test_moves_are_taken_back_to_a_start_that_is_known_to_nobody_else_any_more(
    autojump_clock, nim, referee
):
    async with nim() as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color, start="1,2 2")))
        await referee.rule(BLACK)
        await ada.get_ready()
        await bob.get_ready()
        await bob.move("a1")
        await referee.rule(WHITE)
        await ada.be_asked()
        referee.rules.known = {None: WHITE}
        bob.say(Takeback())
        await ada.hear_line("game 1 offer takeback")
        ada.say(Takeback())
        await bob.be_asked()
        assert h.hall.tables[1].game.outcome is None


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
