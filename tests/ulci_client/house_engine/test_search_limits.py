import math

import pytest

from ulci.protocol.messages import Go
from ulci_client.house_engine.search import MATE, MAX_DEPTH
from ulci_client.house_engine.search_limits import SearchLimits, limits_of, moves_to_mate
from ulci_client.house_engine.settings import HouseSettings


def limits(go: Go, *, white: bool = True) -> SearchLimits:
    return limits_of(go, white=white, settings=HouseSettings())


def test_without_any_limit_it_thinks_until_it_is_stopped():
    assert limits(Go()) == SearchLimits(depth=MAX_DEPTH, patient=True)
    assert limits(Go(infinite=True)) == SearchLimits(depth=MAX_DEPTH, patient=True)
    assert limits(Go(searchmoves=("e2e4",))) == SearchLimits(depth=MAX_DEPTH, patient=True)


def test_single_limits_say_just_that():
    assert limits(Go(depth=5)) == SearchLimits(depth=5)
    assert limits(Go(depth=0)) == SearchLimits(depth=1)
    assert limits(Go(depth=1000)) == SearchLimits(depth=MAX_DEPTH)
    assert limits(Go(nodes=100)) == SearchLimits(depth=MAX_DEPTH, nodes=100)
    assert limits(Go(movetime=1500)) == SearchLimits(depth=MAX_DEPTH, seconds=1.5)
    assert limits(Go(mate=3)) == SearchLimits(depth=5, mate=3)
    assert limits(Go(mate=0)) == SearchLimits(depth=1, mate=0)


def test_every_limit_that_is_set_counts():
    go = Go(depth=3, nodes=100, movetime=1000, mate=1)
    assert limits(go) == SearchLimits(depth=1, nodes=100, seconds=1.0, mate=1)


def test_an_infinite_search_has_no_time_limit():
    found = limits(Go(infinite=True, wtime=1000, movetime=5, depth=3))
    assert found == SearchLimits(depth=3, patient=True)


def test_with_nothing_but_clocks_it_looks_as_far_as_it_is_set_to():
    assert limits(Go(wtime=60_000, btime=60_000)).depth == HouseSettings().depth
    assert limits(Go(wtime=60_000, btime=60_000, depth=9)).depth == 9
    assert not limits(Go(wtime=60_000, btime=60_000)).patient


def test_a_move_gets_a_share_of_its_own_clock():
    go = Go(wtime=60_000, btime=600, winc=0, binc=0)
    assert 1 < limits(go).seconds < 2
    assert 0.01 < limits(go, white=False).seconds < 0.02


def test_the_fewer_moves_to_go_the_more_time_for_each_but_never_all():
    spans = [limits(Go(wtime=10_000, movestogo=moves)).seconds for moves in (40, 10, 2, 1)]
    assert spans == sorted(spans)
    assert spans[-1] < 9.95


def test_the_increment_is_spent_but_for_a_rest():
    plain, more = limits(Go(wtime=60_000)), limits(Go(wtime=60_000, winc=1000))
    assert 0.5 < more.seconds - plain.seconds < 1


def test_an_increment_cannot_be_spent_before_it_is_there():
    assert limits(Go(wtime=100, winc=10_000)).seconds == pytest.approx(0.05)


@pytest.mark.parametrize("left", [0, 1, 50, 51])
def test_an_empty_clock_leaves_time_for_a_move(left: int):
    assert 0 < limits(Go(wtime=left, btime=left)).seconds < 0.002


def test_only_the_opponents_clock_is_no_limit_of_time():
    found = limits(Go(btime=1000))
    assert found.seconds == math.inf
    assert found.depth == HouseSettings().depth


@pytest.mark.parametrize(
    ("score", "moves"),
    [
        (0, None),
        (5000, None),
        (MATE - 1, 1),
        (MATE - 2, 1),
        (MATE - 3, 2),
        (-MATE, 0),
        (2 - MATE, -1),
        (4 - MATE, -2),
    ],
)
def test_mate_is_counted_in_moves(score: int, moves: int | None):
    assert moves_to_mate(score) == moves


def test_a_mate_is_what_was_asked_for_if_it_is_ours_and_quick_enough():
    wanted = limits(Go(mate=2))
    assert wanted.reached(MATE - 1)
    assert wanted.reached(MATE - 3)
    assert not wanted.reached(MATE - 5)
    assert not wanted.reached(2 - MATE)
    assert not wanted.reached(900)
    assert not limits(Go(depth=2)).reached(MATE - 1)
