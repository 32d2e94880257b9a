"""The conduct of a pool, in the games of its players."""

from dataclasses import replace

import pytest
import trio.testing

from tests.ulci_server.hall.conftest import POOL
from ulci.protocol.messages import Takeback
from ulci_server.game import Conduct, GameFinished, GameStarted
from ulci_server.lobby import Pool, PoolRules

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
