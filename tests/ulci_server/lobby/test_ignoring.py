"""Whom a player does not hear."""

from collections.abc import Iterable

import pytest

from tests.ulci_server.lobby.test_lobby import challenged, heard, lobby, pairs, person
from ulci.protocol.messages import (
    Accept,
    Challenge,
    Decline,
    Ignore,
    Ignored,
    Rematch,
    Seek,
    Terms,
    Unignore,
)
from ulci_server.lobby import Lobby, LobbyEffect, SetIgnored
from ulci_server.lobby.ignoring import MAX_IGNORED


def ignored(effects: Iterable[LobbyEffect]) -> list[tuple[str, ...]]:
    return [effect.ignores for effect in effects if isinstance(effect, SetIgnored)]


@pytest.fixture
def hall() -> Lobby:
    hall = lobby()
    for name in ("Ada", "Bob", "Cy"):
        hall.enter(person(name))
    return hall


def test_who_is_ignored_is_said_as_the_lobby_calls_that_player(hall):
    effects = hall.hear("Ada", Ignore("BOB"))
    assert heard(effects, "Ada") == ["ignore Bob"]
    assert ignored(effects) == [("Bob",)]
    assert heard(hall.hear("Ada", Ignored()), "Ada") == ["ignored 1", "ignore Bob"]


def test_somebody_is_ignored_once_however_the_name_is_written_and_heard_again_when_asked(hall):
    for name in ("Bob", "bob", "B0b", "\u0412\u043e\u044c"):
        hall.hear("Ada", Ignore(name))
    assert heard(hall.hear("Ada", Ignored()), "Ada")[0] == "ignored 1"
    effects = hall.hear("Ada", Unignore("BOB"))
    assert (heard(effects, "Ada"), ignored(effects)) == (["unignore Bob"], [()])
    assert heard(hall.hear("Ada", Ignored()), "Ada") == ["ignored 0"]
    assert heard(hall.hear("Ada", Unignore("Bob")), "Ada") == [
        "error not-ignored you do not ignore Bob"
    ]


def test_who_is_not_here_can_be_ignored_but_not_oneself(hall):
    assert heard(hall.hear("Ada", Ignore("Dan")), "Ada") == ["ignore Dan"]
    dan = hall.enter(person("Dan"))
    effects = hall.hear(dan.handle, Challenge("Ada", Terms()))
    assert heard(effects, "Dan") == ["error ignored Ada ignores you"]
    assert heard(hall.hear("Ada", Ignore("ADA")), "Ada") == [
        "error bad-name you cannot ignore yourself"
    ]


def test_so_many_are_ignored_and_not_one_more(hall):
    for number in range(MAX_IGNORED):
        assert ignored(hall.hear("Ada", Ignore(f"troll{number:03}x")))
    effects = hall.hear("Ada", Ignore("Bob"))
    assert not ignored(effects)
    [line] = heard(effects, "Ada")
    assert line.startswith("error too-many-ignored")
    assert ignored(hall.hear("Ada", Ignore("TROLL000x")))
    assert len(heard(hall.hear("Ada", Ignored()), "Ada")) == 1 + MAX_IGNORED


def test_a_long_name_is_kept_short(hall):
    [names] = ignored(hall.hear("Ada", Ignore("x" * 8000)))
    assert names == ("x" * 64,)


def test_a_challenge_of_who_is_ignored_is_refused_and_an_open_one_is_gone(hall):
    number = challenged(hall.hear("Bob", Challenge("Ada", Terms())), "Ada")
    other = challenged(hall.hear("Cy", Challenge("Ada", Terms())), "Ada")
    effects = hall.hear("Ada", Ignore("Bob"))
    assert heard(effects, "Bob") == [f"gone {number}"]
    assert heard(effects, "Ada") == ["ignore Bob", f"gone {number}"]
    effects = hall.hear("Bob", Challenge("Ada", Terms()))
    assert heard(effects, "Bob") == ["error ignored Ada ignores you"]
    assert heard(effects, "Ada") == []
    assert pairs(hall.hear("Ada", Accept(other)))


def test_an_own_challenge_to_who_is_ignored_stands_but_no_reason_for_its_refusal_is_heard(hall):
    number = challenged(hall.hear("Ada", Challenge("Bob", Terms())), "Bob")
    assert heard(hall.hear("Ada", Ignore("Bob")), "Bob") == []
    effects = hall.hear("Bob", Decline(number, "never with you"))
    assert heard(effects, "Ada") == [f"declined {number} by Bob"]


def test_no_rematch_can_be_asked_of_who_does_not_hear_one(hall):
    hall.hear("Ada", Seek(Terms()))
    assert pairs(hall.hear("Bob", Seek(Terms())))
    for name in ("Ada", "Bob"):
        hall.free(name)
    hall.hear("Ada", Ignore("Bob"))
    effects = hall.hear("Bob", Rematch())
    assert heard(effects, "Bob") == ["error ignored Ada ignores you"]
    assert heard(effects, "Ada") == []


def test_a_further_player_of_an_ignored_name_is_not_heard_but_the_first_of_another_is(hall):
    copy = hall.enter(person("Bob"))
    assert copy.handle == "Bob-2"
    hall.hear("Ada", Ignore("Bob-2"))
    assert challenged(hall.hear("Bob", Challenge("Ada", Terms())), "Ada")
    hall.hear("Cy", Ignore("Bob"))
    effects = hall.hear("Bob-2", Challenge("Cy", Terms()))
    assert heard(effects, "Bob-2") == ["error ignored Cy ignores you"]
