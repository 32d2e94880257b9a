"""Who lives, as one server sees it."""

from dataclasses import replace

import pytest

from tests.support.facts import NOON
from ulci_server.storage import RunState
from ulci_server.storage.membership import BEAT, LOOKS, STANDS, STANDS_DEAF, Membership


def server(run: int, beat: int = 1, *, draining: bool = False) -> RunState:
    return RunState(run, f"s{run}", beat, 1, draining, NOON, 0)


@pytest.fixture
def seen() -> Membership:
    membership = Membership(2)
    membership.look([server(1), server(2), server(3)], 0.0)
    return membership


def look(membership: Membership, at: float, *states: RunState) -> list[int]:
    """The servers whose beat has stood still for too long then."""
    membership.look(states, at)
    return [state.id for state in membership.standing(at)]


def test_servers_come_and_go(seen):
    assert seen.look([server(2, 2), server(4)], BEAT) == ([4], {1: 0.0, 3: 0.0})
    assert [*seen.living] == [2, 4]


def test_this_server_is_not_new_to_itself():
    assert Membership(2).look([server(1), server(2)], 0.0) == ([1], {})


def test_the_oldest_server_that_does_not_drain_hosts_the_lobby(seen):
    assert seen.lobby == 1
    seen.look([server(1, draining=True), server(2), server(3)], BEAT)
    assert seen.lobby == 2
    seen.look([server(1, draining=True)], 2 * BEAT)
    assert seen.lobby == 1
    assert Membership(1).lobby == 0


def test_a_beat_that_stands_for_long_enough_is_named(seen):
    others = server(2, 2), server(3, 2)
    assert look(seen, STANDS - 0.1, server(1), *others) == []
    assert look(seen, STANDS, server(1), server(2, 3), server(3, 3)) == [1]


def test_one_late_look_of_a_looker_that_was_paused_itself_is_not_enough(seen):
    states = [server(1), server(2), server(3)]
    for count in range(2, LOOKS):
        assert look(seen, 100.0 + count, *states) == []
    assert look(seen, 110.0, *states) == [1, 3]


def test_a_beat_that_goes_on_begins_anew(seen):
    look(seen, STANDS / 2, server(1), server(3, 2))
    look(seen, STANDS, server(1, 2), server(3, 3))
    assert look(seen, STANDS + 0.1, server(1, 2), server(3, 4)) == []


def test_of_a_server_that_the_bus_does_not_reach_less_is_waited_for(seen):
    seen.is_deaf(1)
    look(seen, STANDS_DEAF / 2, server(1), server(3))
    assert look(seen, STANDS_DEAF, server(1), server(3)) == [1]
    seen.hears(1)
    assert look(seen, STANDS_DEAF + 0.1, server(1), server(3)) == []


def test_it_never_names_itself(seen):
    for count in range(1, 5):
        assert look(seen, count * STANDS, *(replace(server(2), beat=1),)) == []
