"""Who is here, and under what name."""

import pytest

from ulci_server.lobby import Profile
from ulci_server.lobby.roster import Roster


def enter(members: Roster, *names: str) -> list[str]:
    return [members.enter(Profile(name, "")).who.handle for name in names]


def test_a_handle_is_one_word_of_the_name():
    assert enter(Roster(), "Deep Thought") == ["Deep_Thought"]


def test_who_brings_a_handle_keeps_it_whatever_the_name_is():
    assert Roster().enter(Profile("Deep Thought", "Deep_Thought-2")).who == Profile(
        "Deep Thought", "Deep_Thought-2"
    )


def test_of_one_name_all_but_the_first_get_a_number_that_is_free():
    assert enter(Roster(), "A", "A", "A-3", "A") == ["A", "A-2", "A-3", "A-4"]


@pytest.mark.parametrize("alike", ["ADA", "ada", "\u0410da", "\uff21da"])
def test_names_that_look_the_same_are_the_same(alike):
    members = Roster()
    ada = members.enter(Profile("Ada", ""))
    assert members.get(alike) is ada
    assert members[alike] is ada
    assert enter(members, alike) == [f"{alike}-2"]


def test_who_has_left_is_not_here_and_the_handle_is_free():
    members = Roster()
    enter(members, "Ada", "Bob")
    members.remove("ada")
    assert members.get("Ada") is None
    assert [member.who.handle for member in members] == ["Bob"]
    assert enter(members, "Ada") == ["Ada"]


def test_all_are_listed_in_the_order_in_which_they_came():
    members = Roster()
    enter(members, "Eve", "Ada", "Bob")
    assert len(members) == 3
    assert [member.who.handle for member in members] == ["Eve", "Ada", "Bob"]


def test_a_new_member_plays_nothing_and_has_played_nothing():
    member = Roster().enter(Profile("Ada", ""))
    assert (member.playing, member.last) == (False, None)
