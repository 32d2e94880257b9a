import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_client.backoff import FIRST, LONGEST, Backoff


@pytest.mark.parametrize(
    ("chance", "pauses"), [(1.0, [2, 4, 8, 16, 32, 60, 60]), (0.0, [1, 2, 4, 8, 16, 30, 30])]
)
def test_each_failure_doubles_the_pause_up_to_the_longest(chance, pauses):
    backoff = Backoff(lambda: chance)
    assert [backoff.next() for _ in pauses] == pauses


def test_after_a_success_it_begins_again():
    backoff = Backoff(lambda: 0.0)
    for _ in range(5):
        backoff.next()
    backoff.succeeded()
    assert backoff.next() == FIRST


def test_clients_that_lost_the_same_server_do_not_all_come_back_at_once():
    pauses = [Backoff(lambda chance=chance: chance).next() for chance in (0.0, 0.25, 0.5, 1.0)]
    assert pauses == [1.0, 1.25, 1.5, 2.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_whatever_chance_gives_the_pause_stays_within_its_bounds(chances):
    left = iter(chances)
    backoff = Backoff(lambda: next(left))
    assert all(FIRST <= backoff.next() <= LONGEST for _ in chances)


def test_a_server_that_is_gone_for_weeks_overflows_nothing():
    backoff = Backoff(lambda: 1.0)
    assert [backoff.next() for _ in range(5_000)][-1] == LONGEST
