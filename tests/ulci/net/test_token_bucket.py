"""Token buckets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.net.token_bucket import Buckets, TokenBucket


def test_a_bucket_is_full_at_first_and_says_how_long_an_empty_one_takes() -> None:
    bucket = TokenBucket(rate=2, burst=3, at=100)
    assert [bucket.take(100) for _ in range(4)] == [0, 0, 0, 0.5]
    assert bucket.take(100.4) == pytest.approx(0.1)
    assert bucket.take(100.5) == 0
    assert bucket.take(100.5) == 0.5


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    bucket = TokenBucket(rate=2, burst=3, at=0)
    assert bucket.level(1e9) == 3


def test_overspent_tokens_are_owed() -> None:
    bucket = TokenBucket(rate=2, burst=3, at=0)
    bucket.spend(13)
    assert bucket.level(0) == -10
    assert bucket.take(0) == 5.5
    assert bucket.level(3) == -4


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 5)), max_size=50))
def test_tokens_taken_never_exceed_burst_and_refill(asked: list[tuple[float, float]]) -> None:
    bucket = TokenBucket(rate=2, burst=3, at=0)
    taken = sum(amount for at, amount in asked if bucket.take(at, amount) == 0)
    latest = max((at for at, _ in asked), default=0)
    assert taken <= 3 + 2 * latest + 1e-6


def test_every_key_has_a_bucket_of_its_own_and_the_least_used_is_forgotten() -> None:
    buckets: Buckets[str] = Buckets(1, 1, keys=2)
    assert buckets.take("a", 0) == 0
    assert buckets.take("b", 0) == 0
    assert buckets.take("a", 0) == 1
    assert buckets.take("c", 0) == 0  # b goes
    assert len(buckets) == 2
    assert buckets.take("a", 0) == 1
    assert buckets.take("b", 0) == 0


def test_of_whose_bucket_is_full_again_nothing_is_kept() -> None:
    buckets: Buckets[int] = Buckets(rate=1, burst=5)
    for stranger in range(1000):
        assert buckets.take(stranger, at=0, amount=3) == 0
    for _ in range(4):
        buckets.take(-1, at=2.5)
    assert len(buckets) == 1001
    for _ in range(500):
        buckets.take(-1, at=3)
    assert len(buckets) == 1
    assert buckets.take(-1, at=3, amount=5) > 0, "it was not full"
