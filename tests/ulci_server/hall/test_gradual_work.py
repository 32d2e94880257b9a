"""What concerns a thousand is done a few at a time."""

import itertools
import weakref
from functools import partial

import pytest
import trio
import trio.testing

from ulci.protocol.messages import Info, Report
from ulci_server.hall import gradual_work
from ulci_server.hall.gradual_work import AT_A_TIME, GradualWork, released

MANY = 10 * AT_A_TIME


async def test_others_have_their_turn_between_a_few_pieces_and_the_next(autojump_clock, nursery):
    some, done, seen = GradualWork(), [], []

    async def watch():
        while len(done) < MANY:
            seen.append(len(done))
            await trio.lowlevel.checkpoint()

    some.begin(partial(done.append, number) for number in range(MANY))
    nursery.start_soon(some.run)
    nursery.start_soon(watch)
    await trio.testing.wait_all_tasks_blocked()
    assert done == [*range(MANY)]
    assert max(b - a for a, b in itertools.pairwise(seen)) <= 2 * AT_A_TIME


async def test_what_is_begun_later_is_done_later_also_when_something_fails(
    autojump_clock, nursery, monkeypatch
):
    monkeypatch.setattr(gradual_work.LOG, "exception", lambda *_: None)
    some, done = GradualWork(), []
    nursery.start_soon(some.run)
    some.begin(partial(done.append, number) for number in range(MANY))
    some.begin([lambda: 1 / 0, partial(done.append, "next")])
    some.begin(partial(done.append, 1 // number) for number in (1, 0, 1))
    some.begin([partial(done.append, "last")])
    await trio.testing.wait_all_tasks_blocked()
    assert done == [*range(MANY), "next", 1, "last"]


@pytest.mark.parametrize("waiting", [3 * AT_A_TIME])
async def test_a_pool_that_opens_again_pairs_a_few_at_a_time_and_everybody(
    autojump_clock, server, nursery, waiting
):
    async with server() as h:
        h.hall.trouble("the disk is full")
        for number in range(2 * waiting):
            await h.engine(f"E{number}")
        seen = []

        async def watch():
            while len(h.hall.tables) < waiting:
                seen.append(len(h.hall.tables))
                await trio.lowlevel.checkpoint()

        nursery.start_soon(watch)
        h.hall.trouble(None)
        assert not h.hall.tables
        await trio.testing.wait_all_tasks_blocked()
        assert len(h.hall.tables) == waiting
        assert max(b - a for a, b in itertools.pairwise(seen)) <= 2 * AT_A_TIME


async def test_the_warning_comes_before_the_all_clear(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        h.hall.trouble("the disk is full")
        h.hall.trouble(None)
        await ada.hear(Report)
        info = await ada.hear(Info)
        assert "is back" in str(info)


class Somebody:
    """Who may leave."""


@pytest.mark.parametrize("of_this_moment", [lambda here: here, tuple])
def test_who_left_meanwhile_is_freed_one_by_one(of_this_moment):
    here = {Somebody(): None for _ in range(9)}
    known = [weakref.ref(one) for one in here]
    told = []
    for somebody in released(of_this_moment(here)):
        here.clear()
        told.append(sum(ref() is not None for ref in known))
        del somebody
    assert told == [*range(9, 0, -1)]
