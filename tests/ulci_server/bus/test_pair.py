"""Pairs: how messages become numbered batches, and which numbers tell of a loss."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ulci_server.bus.frames import FRAME_BYTES, MOST_MESSAGES, OVERHEAD, WAITING_BYTES
from ulci_server.bus.pair import MOST_SILENCES, Pair


def size(batch) -> int:
    return sum(map(len, batch)) + OVERHEAD * len(batch)


@given(st.lists(st.integers(0, 3 * FRAME_BYTES // 2), max_size=12))
def test_what_waits_is_split_in_order_into_numbered_batches(sizes) -> None:
    pair = Pair(2)
    messages = [bytes(size) for size in sizes]
    assert sum(map(pair.put, messages)) == 0
    taken = pair.take()
    batches = [batch for _, _, batch in taken if batch]
    assert [message for batch in batches for message in batch] == messages
    assert [number for _, number, _ in taken] == ([*range(1, len(batches) + 1)] or [0])
    assert [serial for serial, _, _ in taken] == [*range(1, len(taken) + 1)]
    assert all(len(batch) == 1 or size(batch) <= FRAME_BYTES for batch in batches)
    assert all(size((*one, other[0])) > FRAME_BYTES for one, other in pairwise(batches))


def test_a_batch_has_no_more_messages_than_are_read() -> None:
    pair = Pair(2)
    for _ in range(2 * MOST_MESSAGES):
        pair.put(b"")
    assert [len(batch) for _, _, batch in pair.take()] == [MOST_MESSAGES, MOST_MESSAGES]


def test_an_empty_batch_has_the_number_of_the_last_one() -> None:
    pair = Pair(2)
    assert pair.take() == [(1, 0, ())]
    pair.put(b"a")
    assert pair.take() == [(2, 1, [b"a"])]
    assert pair.take() == [(3, 1, ())]


def test_what_is_dropped_takes_a_number_between_what_was_sent_before_and_after() -> None:
    pair = Pair(2)
    pair.put(b"a")
    assert pair.take() == [(1, 1, [b"a"])]
    pair.drop()
    pair.put(b"b")
    assert pair.take() == [(2, 3, [b"b"])]
    assert pair.untold


def test_what_exceeds_the_limit_is_dropped_with_all_that_waits() -> None:
    pair = Pair(2)
    half = bytes(WAITING_BYTES // 2)
    assert pair.put(half) == 0
    assert pair.put(half) == 2
    assert not pair.waits
    assert pair.take() == [(1, 1, ())]


def hear(*frames: tuple[int, int, str]) -> str:
    """What becomes of frames with these serials and numbers, full or empty: something is missing
    before it (!), it is not old (+)."""
    pair = Pair(2)
    results = []
    for serial, number, kind in frames:
        missing = False
        new = not pair.is_old(serial)
        if new:
            pair.frame_came(serial, 0.0)
            missing = pair.hear(number, empty=kind == "empty")
        results.append(f"{'!' if missing else ''}{'+' if new else ''}")
    return " ".join(results)


def test_numbers_tell_what_is_missing_and_what_is_new() -> None:
    assert hear((1, 1, "full"), (2, 2, "full")) == "+ +"
    assert hear((1, 2, "full"), (2, 3, "full")) == "!+ +"
    assert hear((1, 1, "full"), (1, 1, "full"), (2, 2, "full")) == "+  +"
    assert hear((2, 2, "full"), (1, 1, "full"), (3, 3, "full")) == "!+  +"
    assert hear((1, 0, "empty"), (2, 1, "full"), (3, 1, "empty")) == "+ + +"
    assert hear((2, 1, "empty"), (1, 1, "full"), (3, 2, "full")) == "!+  +"
    assert hear((5, 3, "full"), (4, 2, "empty"), (6, 4, "empty"), (7, 4, "empty")) == "!+  !+ +"


def test_a_ping_that_is_published_again_is_old() -> None:
    assert hear((1, 1, "full"), (2, 1, "empty"), (2, 1, "empty")) == "+ + "
    pings = [(2, 0, "empty"), (1, 0, "empty")] * 3
    assert hear((1, 0, "empty"), (2, 0, "empty"), *pings).split() == ["+", "+"]


def test_a_run_that_was_forgotten_has_gaps() -> None:
    pair = Pair(2)
    pair.added = True
    pair.hear(1, empty=False)
    pair.put(b"a")
    assert pair.forget() == 1
    assert not pair.added
    assert pair.untold
    pair.put(b"b")
    assert pair.take() == [(1, 3, [b"b"])]
    assert pair.hear(1, empty=True)
    assert not pair.hear(2, empty=False)


def test_it_knows_for_how_long_a_run_was_not_heard() -> None:
    pair = Pair(2)
    pair.heard_at = 100.0
    for at in (100.3, 100.6, 100.9, 101.0, 103.0, 103.3, 103.5):
        pair.frame_came(round(10 * at), at)
    assert pair.silent(100.0, 104.0) == [(101.0, 103.0)]
    assert pair.silent(102.0, 104.0) == [(102.0, 103.0)]
    assert pair.silent(103.2, 104.0) == []
    assert pair.silent(103.2, 105.5) == []
    pair.added = True
    assert pair.silent(103.2, 105.5) == [(103.5, 105.5)]  # it lives, and is silent again


def test_it_keeps_few_silences_in_mind() -> None:
    pair = Pair(2)
    for at in range(1, 1000):
        pair.frame_came(at, float(at))
    assert len(pair.silent(0.0, 999.0)) == MOST_SILENCES


def test_it_knows_when_a_run_was_heard_last_at_a_time():
    pair = Pair(7)
    pair.added = True
    for at in (100.0, 100.3, 103.0, 103.3):
        pair.frame_came(round(10 * at), at)
    assert pair.heard_before(100.2) == 100.2
    assert pair.heard_before(100.6) == 100.6  # it was due only then
    assert pair.heard_before(102.0) == 100.3
    assert pair.heard_before(103.2) == 103.2
    assert pair.heard_before(105.0) == 103.3
    pair.added = False
    assert pair.heard_before(102.0) == 100.3
