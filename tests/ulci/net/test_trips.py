"""How long is the way to a peer and back, where the system cannot tell?"""

import trio
import trio.testing

from tests.support.wires import HANG, hear, laid, nothing_left
from ulci.net.trips import MOST, Trips
from ulci.protocol.messages import Hello, HelloOk, IsReady, ReadyOk


def test_before_anything_was_answered_nothing_is_known() -> None:
    trips = Trips()
    assert trips.quickest is None
    trips.asked(1.0)
    assert trips.quickest is None


def test_the_quickest_answer_counts() -> None:
    trips = Trips()
    for asked, answered in ((1.0, 1.5), (2.0, 2.25), (3.0, 8.0)):
        trips.asked(asked)
        trips.answered(answered)
    assert trips.quickest == 0.25


def test_answers_belong_to_the_questions_in_their_order() -> None:
    trips = Trips()
    trips.asked(1.0)
    trips.asked(2.0)
    trips.answered(2.5)
    assert trips.quickest == 1.5
    trips.answered(2.5)
    assert trips.quickest == 0.5
    trips.answered(2.5)  # of nothing
    assert trips.quickest == 0.5


def test_who_never_answers_costs_no_memory() -> None:
    trips = Trips()
    for at in range(10 * MOST):
        trips.asked(float(at))
    assert len(trips._asked) == MOST


async def test_where_the_system_knows_of_no_trip_readyok_tells(mock_clock) -> None:
    with trio.fail_after(HANG), nothing_left():
        async with laid("memory") as (ours, theirs):
            ours.put(Hello())
            await hear(theirs)
            theirs.put(HelloOk())
            await hear(ours)
            ours.put(IsReady())
            mock_clock.jump(0.08)
            await hear(theirs)
            theirs.put(ReadyOk())
            await hear(ours)
            assert ours.round_trip() == 0.08


async def test_what_the_system_knows_of_a_proxy_says_nothing_of_who_is_behind_it() -> None:
    with trio.fail_after(HANG), nothing_left():
        async with laid("tcp") as (ours, theirs):
            assert ours.round_trip() is not None
            ours.proxied = True
            assert ours.round_trip() is None
            ours.put(Hello())
            await hear(theirs)
            theirs.put(HelloOk())
            await hear(ours)
            ours.put(IsReady())
            await hear(theirs)
            theirs.put(ReadyOk())
            await hear(ours)
            trip = ours.round_trip()
            assert trip is not None
            assert 0 < trip < HANG
