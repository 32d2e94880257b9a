"""The order in which a book's entries are drawn: that of the file, or a random one.

The random order is a permutation that is computed, not kept: a Feistel network over the smallest
even number of bits that holds the book's size, whose round function is BLAKE2b (RFC 7693), applied
again while the result lies beyond the size. It depends on seed and size alone, so that it is the
same on every machine and with every version of Python, costs no memory, and any number can be asked
for first.
"""

import enum
from collections.abc import Callable, Mapping
from hashlib import blake2b

ROUNDS = 6
"""Four are a pseudorandom permutation already (Luby and Rackoff); two more cost 2 µs."""


class Order(enum.StrEnum):
    """The order in which the entries of a book are played."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


def entry(order: Order, number: int, size: int, seed: int) -> int:
    """The entry, from 0, for a number, from 0. Numbers beyond the size begin again.

    size: of the book, at least 1.
    """
    return _ORDERS[order](number % size, size, seed)


def drawn(seed: int, *place: int) -> int:
    """A pseudorandom number of 64 bits that depends only on these arguments."""
    text = " ".join(map(str, (seed, *place)))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def _in_order(number: int, size: int, seed: int) -> int:  # noqa: ARG001 - one interface
    return number


def _permuted(number: int, size: int, seed: int) -> int:
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    number = _feistel(number, half, seed)
    while number >= size:
        number = _feistel(number, half, seed)
    return number


def _feistel(number: int, half: int, seed: int) -> int:
    mask = (1 << half) - 1
    left, right = number >> half, number & mask
    for step in range(ROUNDS):
        left, right = right, left ^ (drawn(seed, step, right) & mask)
    return left << half | right


_ORDERS: Mapping[Order, Callable[[int, int, int], int]] = {
    Order.SEQUENTIAL: _in_order,
    Order.RANDOM: _permuted,
}
