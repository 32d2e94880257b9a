import pytest

from ulci.protocol.messages import Go, Position
from ulci.rules import Side
from ulci_client.bridge.ponder import go_after, has_only_clocks, ponder_go, to_move

FULL = Go(wtime=10_000, btime=20_000, winc=100, binc=200)


@pytest.mark.parametrize(
    ("side", "wtime", "btime"),
    [(Side.WHITE, 7_000, 20_000), (Side.BLACK, 10_000, 17_000), (None, 7_000, 17_000)],
)
def test_only_the_clock_that_ran_has_less_time_and_both_where_nobody_knows(side, wtime, btime):
    assert go_after(FULL, 3_000, side) == Go(wtime, btime, 100, 200)


def test_a_fixed_time_for_the_move_gets_shorter_too():
    assert go_after(Go(movetime=1_000), 400, Side.WHITE) == Go(movetime=600)


def test_a_clock_never_falls_to_nothing():
    assert go_after(FULL, 60_000, Side.WHITE).wtime == 1


def test_limits_that_are_not_time_stay():
    go = Go(depth=5, nodes=100, searchmoves=("e2e4",))
    assert go_after(go, 1_000, None) == go


def test_pondering_counts_with_the_increment_for_the_move_just_made():
    assert ponder_go(FULL, 3_000, Side.BLACK) == Go(10_000, 17_200, 100, 200, ponder=True)


def test_pondering_counts_with_no_increment_where_the_side_is_not_known():
    assert ponder_go(FULL, 3_000, None) == Go(7_000, 17_000, 100, 200, ponder=True)


@pytest.mark.parametrize(("before", "after"), [(10, 9), (2, 1), (1, None), (None, None)])
def test_pondering_counts_one_move_less_to_the_time_control(before, after):
    go = ponder_go(Go(1_000, 1_000, movestogo=before), 100, Side.WHITE)
    assert go is not None
    assert go.movestogo == after


@pytest.mark.parametrize("go", [Go(depth=8), Go(movetime=100), Go(infinite=True), Go(nodes=5)])
def test_nobody_ponders_in_a_game_without_clocks(go):
    assert ponder_go(go, 0, Side.WHITE) is None


def test_other_limits_are_left_out_of_the_ponder_search():
    go = ponder_go(Go(1_000, 1_000, depth=9, movetime=50), 100, Side.WHITE)
    assert go == Go(900, 1_000, ponder=True)


@pytest.mark.parametrize(
    ("go", "only"),
    [
        (FULL, True),
        (Go(1, 1, movestogo=4), True),
        (Go(1, 1, depth=3), False),
        (Go(1, 1, searchmoves=("e2e4",)), False),
        (Go(infinite=True), False),
    ],
)
def test_a_ponderhit_can_stand_for_a_go_with_nothing_but_clocks(go, only):
    assert has_only_clocks(go) is only


@pytest.mark.parametrize(
    ("start", "moves", "side"),
    [
        (None, (), Side.WHITE),
        (None, ("e2e4",), Side.BLACK),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", (), Side.WHITE),
        ("8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", (), Side.BLACK),
        ("8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", ("e5d4",), Side.WHITE),
        ("8/8/8/4k3/8/8/4P3/4K3", (), None),
        ("somewhere else", ("e5d4",), None),
    ],
)
def test_who_is_to_move_follows_from_the_position(start, moves, side):
    assert to_move(Position(start, moves)) is side
