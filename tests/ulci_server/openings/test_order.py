"""The order of a book: every entry once, the same on every machine."""

from itertools import pairwise

import pytest

from ulci_server.openings.order import Order, drawn, entry


def order(kind: Order, size: int, seed: int = 0) -> list[int]:
    return [entry(kind, number, size, seed) for number in range(size)]


def test_the_order_of_the_file_is_that_of_the_numbers_and_begins_again() -> None:
    assert order(Order.SEQUENTIAL, 3) == [0, 1, 2]
    assert entry(Order.SEQUENTIAL, 3, 3, 7) == 0


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 17, 255, 1000, 4097])
def test_a_random_order_has_every_entry_once(size: int) -> None:
    assert sorted(order(Order.RANDOM, size, seed=7)) == [*range(size)]


def test_a_random_order_depends_on_the_seed_alone() -> None:
    assert order(Order.RANDOM, 1000, seed=1) == order(Order.RANDOM, 1000, seed=1)
    assert order(Order.RANDOM, 1000, seed=1) != order(Order.RANDOM, 1000, seed=2)


def test_a_random_order_is_the_same_on_every_machine() -> None:
    """A match that is resumed elsewhere has the same openings, so these numbers never change."""
    assert order(Order.RANDOM, 10, seed=42) == [1, 3, 2, 5, 9, 6, 4, 8, 0, 7]
    assert entry(Order.RANDOM, 123_456, 10_000_000, -5) == 4_134_002
    assert drawn(1, 2, 3) == 1_853_286_989_701_629_226


def test_neighbours_of_the_file_are_no_neighbours_of_a_random_order() -> None:
    mixed = order(Order.RANDOM, 2000, seed=3)
    assert sum(abs(one - other) == 1 for one, other in pairwise(mixed)) < 10


def test_any_entry_may_be_the_first() -> None:
    assert len({entry(Order.RANDOM, 0, 10, seed) for seed in range(200)}) == 10


def test_numbers_beyond_the_book_begin_again() -> None:
    assert entry(Order.RANDOM, 1005, 1000, 9) == entry(Order.RANDOM, 5, 1000, 9)
