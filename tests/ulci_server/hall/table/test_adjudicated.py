"""A pool with rules: its engines' games end by what they say, everybody else's go on."""

from dataclasses import replace

import trio.testing

from ulci.protocol.messages import BestMove, Info, Score
from ulci.rules import GAMES, Outcome, Reason, Side
from ulci_server.game import Controls, EventKind, GameFinished, Happened
from ulci_server.game.adjudication import Adjudication, DrawRule, ResignRule
from ulci_server.lobby import Pool, PoolRules

POOL = Pool("chess", GAMES["chess"], Controls.parse("60+1"), (None,))

KNIGHTS = (("g1f3", "g8f6"), ("f3g1", "f6g8"), ("b1c3", "b8c6"))


def ruled(**rules) -> object:
    return replace(POOL, pool_rules=PoolRules(adjudication=Adjudication(**rules)))


async def shuffle(white, black, score: int) -> None:
    """Both shuffle their knights; White says the score, Black its opposite."""
    for pair in KNIGHTS:
        for client, move, cp in zip((white, black), pair, (score, -score), strict=True):
            await client.be_asked()
            client.say(Info(depth=9, score=Score(cp=cp)), BestMove(move))


async def end_of(h) -> GameFinished:
    """How the one game ended."""
    await trio.testing.wait_all_tasks_blocked()
    [end] = h.journal.kinds(GameFinished)
    return end


async def test_an_engine_that_says_three_times_that_it_has_lost_has_lost(autojump_clock, server):
    async with server(ruled(resign=ResignRule(3, 600))) as h:
        white, black = await h.engines()
        for pair in KNIGHTS[:2]:
            for client, move in zip((white, black), pair, strict=True):
                await client.be_asked()
                client.say(Info(score=Score(cp=-700 if client is white else 0)), BestMove(move))
        await white.be_asked()
        white.say(Info(score=Score(mate=-4)), BestMove("b1c3"))
        end = await end_of(h)
        assert end.outcome == Outcome(Side.BLACK, Reason.ADJUDICATION)
        assert end.detail.endswith("White (A) said -7.00 -7.00 -M4")
        [fact] = [f for f in h.journal.kinds(Happened) if f.what is EventKind.RULED]
        assert fact.text == end.detail


async def test_two_engines_that_agree_on_a_draw_have_one(autojump_clock, server):
    async with server(ruled(draw=DrawRule(after=3, moves=3, score=10))) as h:
        white, black = await h.engines()
        await shuffle(white, black, 5)
        assert (await end_of(h)).outcome == Outcome(None, Reason.ADJUDICATION)


async def test_a_capture_or_a_pawn_move_begins_the_draw_anew(autojump_clock, server):
    async with server(ruled(draw=DrawRule(after=1, moves=2, score=10))) as h:
        white, black = await h.engines()
        for client, move in ((white, "g1f3"), (black, "g8f6"), (white, "e2e4"), (black, "f6g8")):
            await client.be_asked()
            client.say(Info(score=Score(cp=0)), BestMove(move))
        await white.be_asked()
        assert h.journal.kinds(GameFinished) == []
