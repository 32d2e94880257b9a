"""In a full group of half-open connections the oldest makes room, unless it is young."""

from collections.abc import Sequence

import hypothesis.strategies as st
from hypothesis import given

from ulci.net.places import SLOW, Group, Place, Places

ALL, SOME = Group("all", 3), Group("some", 2)


class Wanted:
    """Connections that want places, and who was ended for others."""

    def __init__(self) -> None:
        self.places = Places()
        self.ended: list[str] = []

    def come(self, who: str, at: float, *groups: Group) -> Place:
        assert self.places.full(groups, at) is None
        return self.places.take(groups, at, lambda: self.ended.append(who))


def test_a_group_takes_in_as_many_as_it_has_places() -> None:
    wanted = Wanted()
    for who in "abc":
        wanted.come(who, 0, ALL)
    assert wanted.places.full([ALL], 0) == ALL
    assert wanted.places.number("all") == 3


def test_whoever_leaves_makes_room() -> None:
    wanted = Wanted()
    place = wanted.come("a", 0, SOME)
    wanted.come("b", 0, SOME)
    wanted.places.leave(place)
    wanted.places.leave(place)
    assert wanted.places.number("some") == 1
    wanted.come("c", 0, SOME)
    assert wanted.ended == []


def test_the_oldest_goes_once_it_is_slow() -> None:
    wanted = Wanted()
    wanted.come("a", 0, SOME)
    wanted.come("b", 1, SOME)
    assert wanted.places.full([SOME], SLOW - 0.1) == SOME
    wanted.come("c", SLOW, SOME)
    assert wanted.ended == ["a"]
    wanted.come("d", 1 + SLOW, SOME)
    assert wanted.ended == ["a", "b"]
    assert wanted.places.number("some") == 2


def test_who_makes_room_in_one_group_makes_room_in_all() -> None:
    wanted = Wanted()
    wanted.come("a", 0, SOME, ALL)
    wanted.come("b", 0, SOME, ALL)
    wanted.come("c", 0, ALL)
    wanted.come("d", SLOW, SOME, ALL)
    assert wanted.ended == ["a"]
    assert (wanted.places.number("some"), wanted.places.number("all")) == (2, 3)


def test_a_group_that_is_full_of_young_ones_is_named_before_a_larger_one() -> None:
    wanted = Wanted()
    wanted.come("a", 0, ALL)
    wanted.come("b", 0, SOME, ALL)
    wanted.come("c", 0, SOME, ALL)
    assert wanted.places.full([SOME, ALL], 0) == SOME


STEPS = st.lists(
    st.tuples(st.floats(0, 2), st.sampled_from([(ALL,), (SOME, ALL), (SOME,)]), st.booleans())
)


@given(STEPS)
def test_no_group_ever_has_more_than_it_may_and_nobody_is_lost(
    steps: Sequence[tuple[float, tuple[Group, ...], bool]],
) -> None:
    wanted, at, inside = Wanted(), 0.0, dict[str, tuple[Place, tuple[Group, ...]]]()
    for number, (pause, groups, leaves) in enumerate(steps):
        at += pause
        if leaves and inside:
            place, _ = inside.pop(next(iter(inside)))
            wanted.places.leave(place)
        if wanted.places.full(groups, at) is None:
            who = f"{number}"
            inside[who] = wanted.come(who, at, *groups), groups
        for ended in wanted.ended:
            inside.pop(ended, None)
        for group in (ALL, SOME):
            members = sum(group in theirs for _, theirs in inside.values())
            assert wanted.places.number(group.key) == members <= group.most
    assert len(wanted.ended) == len({*wanted.ended})
