"""What is given back for the network: by which rule, how much, and from what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.driver import B, W
from ulci.rules import Side
from ulci_server.game import LagQuota, LagRule
from ulci_server.game.lag import UNMEASURED, LagAccount, RoundTrips

QUOTA = LagQuota(full=1_000, gain=100)


def account(rule: LagRule) -> LagAccount:
    return LagAccount(rule, QUOTA)


@pytest.mark.parametrize(
    ("rule", "trips", "given"),
    [
        (LagRule.NONE, (0.3, 0.1), 0),
        (LagRule.QUOTA, (0.3, 0.1), 300),
        (LagRule.QUOTA, (0.3, None), 300),
        (LagRule.QUOTA, (None, 0.3), 0),
        (LagRule.QUOTA, UNMEASURED, 0),
        (LagRule.QUOTA, (0.0009, 0.0), 0),
        (LagRule.QUOTA, (7.5, 0.1), 1_000),
        (LagRule.EQUALISED, (0.5, 0.25), 250),
        (LagRule.EQUALISED, (0.3, None), 300),
        (LagRule.EQUALISED, (0.1, 0.3), 0),
        (LagRule.EQUALISED, (0.2, 0.2), 0),
        (LagRule.EQUALISED, (7.5, 0.1), 1_000),
    ],
)
def test_each_rule_gives_its_part_of_a_round_trip(
    rule: LagRule, trips: RoundTrips, given: int
) -> None:
    assert account(rule).offer(W, trips) == given


@given(st.sampled_from(LagRule), st.sampled_from(Side), *[st.floats(0, 2)] * 4)
def test_what_a_rule_does_not_measure_changes_nothing(
    rule: LagRule, side: Side, white: float, black: float, other: float, another: float
) -> None:
    trips = [white, black]
    offer = account(rule).offer(side, (white, black))
    for unneeded, trip in zip(Side, (other, another), strict=True):
        if unneeded not in account(rule).measures[side]:
            trips[unneeded] = trip
    assert account(rule).offer(side, (trips[0], trips[1])) == offer


def test_the_rule_sees_black_from_blacks_end() -> None:
    assert account(LagRule.EQUALISED).offer(B, (0.25, 0.5)) == 250


@pytest.mark.parametrize(
    ("rule", "left"), [(LagRule.NONE, 0), (LagRule.QUOTA, 500), (LagRule.EQUALISED, 500)]
)
def test_what_can_be_given_at_most_is_what_the_rule_leaves(rule: LagRule, left: int) -> None:
    both = account(rule)
    both.take(W, 600)
    assert both.left(W) == left


def test_to_offer_takes_nothing() -> None:
    both = account(LagRule.QUOTA)
    assert [both.offer(W, (0.8, None)) for _ in range(3)] == [800, 800, 800]


def test_what_was_given_is_gone_from_the_quota_and_every_move_brings_some_back() -> None:
    both = account(LagRule.QUOTA)
    offers = []
    for _ in range(4):
        offers.append(both.offer(W, (0.6, None)))
        both.take(W, offers[-1])
    assert offers == [600, 500, 100, 100]
    assert both.offer(B, (None, 0.6)) == 600  # each has a quota of its own


def test_a_quota_is_never_more_than_full() -> None:
    both = account(LagRule.QUOTA)
    for _ in range(20):
        both.take(W, 0)
    assert both.offer(W, (60.0, None)) == 1_000


def test_a_record_that_gave_more_than_there_was_leaves_nothing_and_no_debt() -> None:
    both = account(LagRule.QUOTA)
    both.take(W, 5_000)
    assert both.offer(W, (60.0, None)) == 0
    both.take(W, 0)
    assert both.offer(W, (60.0, None)) == 100


@given(
    st.sampled_from(LagRule),
    st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60)), max_size=40),
)
def test_nobody_is_given_more_than_was_measured_or_than_the_quota_brought(
    rule: LagRule, moves: list[tuple[float, float]]
) -> None:
    both = account(rule)
    total = 0
    for count, trips in enumerate(moves):
        given = both.offer(W, trips)
        assert 0 <= given <= trips[W] * 1000
        total += given
        both.take(W, given)
        assert total <= QUOTA.full + count * QUOTA.gain
