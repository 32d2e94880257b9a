"""Stretches of time."""

from hypothesis import given
from hypothesis import strategies as st

from ulci_server.game import Spans

ends = st.integers(0, 30)
spans = st.lists(st.tuples(ends, ends), max_size=8)


@given(spans, ends, ends)
def test_each_second_counts_once(added: list[tuple[int, int]], begin: int, end: int) -> None:
    covered = {second for first, last in added for second in range(first, last)}
    kept = Spans(added)
    assert sum(last - first for first, last in kept) == len(covered)
    assert kept.missing(begin, end) == len({*range(begin, end)} - covered)
