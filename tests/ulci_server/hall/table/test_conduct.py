"""The conduct of a pool, in the games of its players."""

from dataclasses import replace

import pytest
import trio
import trio.testing
from msgspec import structs

from tests.support.facts import ADA, BOB, NOON, started
from tests.ulci_server.hall.conftest import POOL
from tests.ulci_server.hall.login.test_registry import ADA as ADA_BY_TOKEN
from tests.ulci_server.hall.login.test_registry import ROOT as ROOT_BY_TOKEN
from ulci.protocol.messages import BestMove, Seek, Takeback, Terms
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import Conduct, Controls, GameFinished, GameStarted, Seat
from ulci_server.hall.absent_player import AbsentPlayer
from ulci_server.lobby import Agreement, Pool, PoolRules
from ulci_server.storage import Noted

THREEFOLD = ("g1f3", "g8f6", "f3g1", "f6g8") * 2


def pool(conduct: Conduct) -> Pool:
    return replace(POOL, pool_rules=PoolRules(conduct=conduct))


async def play(ada, bob, moves) -> None:
    for number, move in enumerate(moves):
        await (ada, bob)[number % 2].move(move)
    await trio.testing.wait_all_tasks_blocked()


async def test_a_game_has_the_conduct_of_its_pool(autojump_clock, server):
    async with server(pool(Conduct(takeback=False))) as h:
        ada, bob = await h.people()
        [begun] = h.journal.kinds(GameStarted)
        assert begun.conduct == "no-takeback"
        await play(ada, bob, ("e2e4",))
        ada.say(Takeback())
        await ada.hear_line("error forbidden no moves are taken back in this game")


@pytest.mark.parametrize(("of_the_pool", "ends"), [(False, 1), (True, 0), (None, 0)])
async def test_the_pool_says_whether_draws_are_claimed_and_otherwise_the_server(
    autojump_clock, server, of_the_pool, ends
):
    async with server(pool(Conduct(claims=of_the_pool)), claims=True) as h:
        await play(*await h.people(), THREEFOLD)
        assert len(h.journal.kinds(GameFinished)) == ends


async def test_the_conduct_outlives_the_server_and_a_change_of_its_pool(autojump_clock, server):
    async with server(pool(Conduct(takeback=False, claims=True))) as h:
        ada, bob = await h.people()
        await play(ada, bob, THREEFOLD)
        later = await h.resumed(POOL)
        assert later.resumes == 1
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        again.say(Takeback())
        await again.hear_line("error forbidden no moves are taken back in this game")
        [table] = later.hall.tables.values()
        assert table.agreement.pool_rules.conduct == Conduct(takeback=False, claims=True)


async def test_a_game_of_an_unknown_conduct_is_not_resumed(autojump_clock, server):
    seats = (structs.replace(ADA, key="cc"), structs.replace(BOB, key="dd"))
    async with server() as h:
        later = await h.resumed(noted=[Noted(started(seats=seats, conduct="no-chat"), NOON)])
        assert later.resumes == 0
        [end] = later.journal.kinds(GameFinished)
        assert end.outcome.reason is Reason.SERVER
        assert end.detail.endswith("its conduct cannot be read here: there is no conduct 'no-chat'")


async def test_the_game_begins_without_who_does_not_come_and_it_may_still_come(
    autojump_clock, server
):
    async with server(pool(Conduct(absent_clock=True))) as h:
        ada, bob = await h.person("Ada"), await h.person("Bob")
        for person, color in ((ada, "white"), (bob, "black")):
            person.say(Seek(Terms(color=color)))
            await trio.testing.wait_all_tasks_blocked()
        await ada.get_ready()
        bob.peer.cut("the line is lost")
        await ada.hear_line("game 1 opponent away")
        await ada.move("e2e4")
        await trio.sleep(20)
        again = await h.back("Bob", bob.secret)
        await again.get_ready()
        go = await again.be_asked()
        assert go.btime is not None
        assert 39_000 <= go.btime <= 40_000  # of 60 s
        await ada.hear_line("game 1 opponent back")
        again.say(BestMove("e7e5"))
        await ada.be_asked()


async def test_the_clock_of_who_never_comes_runs_out(autojump_clock, server):
    conduct = Conduct(absent_clock=True, forfeit=True)
    async with server(replace(pool(conduct), control=Controls.parse("15"))) as h:
        _, black = await h.engine("A"), await h.engine("B")
        await black.get_ready()
        await trio.sleep(46)
        [end] = h.journal.kinds(GameFinished)
        assert end.outcome == Outcome(Side.BLACK, Reason.TIME)


async def test_a_game_may_begin_with_a_player_who_is_not_connected_yet(
    autojump_clock, server, authenticator
):
    async with server(authenticator=authenticator) as h:
        ada = await h.person("", ADA_BY_TOKEN)
        white = h.hall.lobby.known("Ada").player
        root = AbsentPlayer(Seat("Root", "human", handle="Root", account=2), h.hall.free)
        h.hall.lobby.seat(root, root.profile)
        rules = PoolRules(conduct=Conduct(absent_clock=True))
        agreement = Agreement(
            POOL.game, POOL.control, None, rated=False, pool="chess", pool_rules=rules
        )
        h.hall.begin_game(7, agreement, (white, root), pytest.fail)
        await ada.get_ready()
        await ada.hear_line("game 7 opponent away")
        assert trio.current_time() == 30
        await ada.move("e2e4")
        await trio.sleep(20)
        late = await h.person("", ROOT_BY_TOKEN)
        await late.get_ready()
        go = await late.be_asked()
        assert 39_000 <= go.btime <= 40_000  # of 60 s
        late.say(BestMove("e7e5"))
        await ada.be_asked()
