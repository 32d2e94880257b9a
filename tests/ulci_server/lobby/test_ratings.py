"""Who meets whom by ratings, as a conversation with the lobby."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.support.effort import instructions
from tests.ulci_server.lobby.test_lobby import CHESS, heard, join, listed, lobby, pairs, person
from ulci.protocol.messages import Accept, Challenge, Seek, Seeks, Terms, Unseek, Who
from ulci_server.lobby import (
    Hold,
    KnownRating,
    LobbyEffect,
    Profile,
    Release,
)
from ulci_server.lobby.nearness import STEPS

WEAK, NEAR, STRONG = 1500, 1580, 2400


def rated(profile: Profile, rating: int, *, sure: bool = True, pool: str = "chess") -> Profile:
    known = KnownRating(rating, is_provisional=not sure, games=30)
    return replace(profile, account=sum(map(ord, profile.name)), ratings={pool: known})


def engine(name: str, rating: int, *, sure: bool = True) -> Profile:
    return rated(Profile(name, ""), rating, sure=sure)


def held(effects: Iterable[LobbyEffect]) -> list[tuple[int, float]]:
    return [(effect.number, effect.seconds) for effect in effects if isinstance(effect, Hold)]


def released(effects: Iterable[LobbyEffect]) -> list[int]:
    return [effect.number for effect in effects if isinstance(effect, Release)]


# What is told


def test_ratings_stand_in_the_list_of_players_and_in_offers():
    hall = lobby()
    ada, bob = rated(person("Ada"), 1812), rated(person("Bob"), 1500, sure=False)
    join(hall, ada, bob, person("Guest"))
    assert listed(hall, hall.hear("Ada", Who())) == [
        "player Ada kind human state idle rating 1812",
        "player Bob kind human state idle rating 1500?",
        "player Guest kind human state idle",
    ]
    (line,) = heard(hall.hear("Bob", Seek(Terms(range=(1000, 2000)))), "Ada")
    assert line.endswith("rating 1500? range 1000-2000")
    (line,) = heard(hall.hear("Ada", Challenge("Guest")), "Guest")
    assert line.endswith("rating 1812")


def test_of_several_pools_the_list_has_the_own_one_or_the_one_most_played_in():
    hall = lobby()
    ratings = {"chess": KnownRating(1600, games=3), "bullet": KnownRating(1900, games=50)}
    ada = replace(person("Ada"), ratings=ratings)
    join(hall, ada, replace(ada, name="Ann", pool="chess"))
    assert [line.split()[-1] for line in listed(hall, hall.hear("Ada", Who()))] == ["1900", "1600"]


def test_new_ratings_are_told_with_seeks_that_are_open_already():
    hall = lobby()
    ada = rated(person("Ada"), 1812)
    join(hall, ada)
    hall.hear("Ada", Seek())
    renewed = hall.ratings.renew(replace(ada, handle="Ada"), {"chess": KnownRating(1820, games=31)})
    assert renewed.ratings["chess"].rating == 1820
    (line,) = listed(hall, hall.hear("Ada", Seeks()))
    assert line.endswith("rating 1820")
    assert hall.hear("Ada", Seek(Terms(time="60")))  # and the seek can be withdrawn with others
    hall.leave("Ada")


# Ranges


def test_a_seek_of_a_range_is_met_by_who_is_in_it_and_by_nobody_else():
    hall = lobby()
    join(hall, rated(person("Ada"), WEAK), rated(person("Bob"), STRONG), person("Guest"))
    join(hall, rated(person("Cy"), 2000))
    hall.hear("Ada", Seek(Terms(range=(1900, 2100))))
    for other, has in (("Bob", "2400"), ("Guest", "no rating")):
        assert pairs(hall.hear(other, Seek())) == []
        hall.hear(other, Unseek())
        (line,) = heard(hall.hear(other, Accept(1)), other)
        expected = f"one wants a rating from 1900 to 2100, and {other} has {has}"
        assert line == f"error cannot-play {expected}"
    (game,) = pairs(hall.hear("Cy", Seek()))
    assert {*game} == {"Ada", "Cy"}


def test_both_ends_of_a_range_are_in_it():
    for rating in (1900, 2100):
        hall = lobby()
        join(hall, rated(person("Ada"), WEAK), rated(person("Bob"), rating))
        hall.hear("Ada", Seek(Terms(range=(1900, 2100))))
        assert pairs(hall.hear("Bob", Seek()))


def test_a_range_holds_for_who_waits_in_a_pool_too():
    hall = lobby()
    join(hall, rated(person("Ada"), WEAK), engine("Fish", STRONG), engine("Cod", NEAR))
    hall.wait("Fish", "chess")
    assert pairs(hall.hear("Ada", Seek(Terms(range=(1400, 1600))))) == []
    assert pairs(hall.wait("Cod", "chess")) != []


def test_who_accepts_a_seek_of_a_range_seeks_no_range():
    hall = lobby()
    join(hall, rated(person("Ada"), WEAK), rated(person("Bob"), 2000))
    hall.hear("Ada", Seek(Terms(range=(1900, 2100))))
    assert pairs(hall.hear("Bob", Accept(1)))


def test_a_range_that_nobody_is_in_is_answered_so_and_the_seek_waits():
    hall = lobby()
    join(hall, rated(person("Ada"), 2000), rated(person("Bob"), STRONG))
    lines = heard(hall.hear("Ada", Seek(Terms(range=(1900, 2100)))), "Ada")
    why = "nobody who is online has a rating from 1900 to 2100 in the pool chess"
    assert lines[1:] == [f"note nobody-in-range {why}"]
    assert hall.state("Ada") == "waiting"
    assert len(heard(hall.hear("Ada", Seek(Terms(range=(2400, 2400)))), "Ada")) == 1


def test_a_challenge_out_of_its_own_range_is_refused():
    hall = lobby()
    join(hall, rated(person("Ada"), WEAK), rated(person("Bob"), STRONG))
    (line,) = heard(hall.hear("Ada", Challenge("Bob", Terms(range=(1000, 2000)))), "Ada")
    assert line.startswith("error cannot-play one wants a rating")


@pytest.mark.parametrize("range_", [(2000, 1000), (-5, 100)])
def test_a_range_that_is_none_is_refused(range_):
    hall = lobby()
    join(hall, rated(person("Ada"), WEAK))
    (line,) = heard(hall.hear("Ada", Seek(Terms(range=range_))), "Ada")
    assert line.startswith("error bad-range")


# Pools


def test_who_waits_in_a_pool_meets_who_is_near():
    hall = lobby()
    join(hall, engine("A", WEAK), engine("B", NEAR))
    hall.wait("A", "chess")
    assert pairs(hall.wait("B", "chess")) == [("A", "B")]


def test_of_several_the_nearest_is_met_and_of_two_who_are_as_near_the_longest_waiting():
    hall = lobby()
    hall.close("for a moment")
    join(hall, engine("Far", 1640), engine("First", 1520), engine("Second", 1510))
    for handle in ("Far", "First", "Second"):
        hall.wait(handle, "chess")
    hall.reopen()
    join(hall, engine("New", WEAK))
    assert pairs(hall.wait("New", "chess")) == [("First", "New")]


def test_who_is_far_away_is_met_later():
    hall = lobby()
    join(hall, engine("A", WEAK), engine("B", STRONG))
    assert held(hall.wait("A", "chess")) == [(-1, STEPS[0][0])]
    effects = hall.wait("B", "chess")
    assert pairs(effects) == []
    assert held(effects) == [(-2, STEPS[0][0])]

    effects = hall.overdue(-1)
    assert pairs(effects) == []
    assert held(effects) == [(-1, STEPS[1][0])]
    effects = hall.overdue(-1)
    assert pairs(effects) == [("A", "B")]
    assert released(effects) == [-2]
    assert hall.overdue(-2) == []


def test_at_each_step_who_is_farther_away_may_come():
    for apart, steps in ((140, 0), (390, 1), (2000, 2)):
        hall = lobby()
        join(hall, engine("A", WEAK), engine("B", WEAK + apart))
        games = pairs([*hall.wait("A", "chess"), *hall.wait("B", "chess")])
        for _ in range(steps):
            assert games == []
            games = pairs(hall.overdue(-1))
        assert games == [("A", "B")]


def test_who_comes_meets_who_has_waited_long_at_once():
    hall = lobby()
    join(hall, engine("A", WEAK), engine("B", STRONG))
    hall.wait("A", "chess")
    for _ in STEPS:
        hall.overdue(-1)
    assert pairs(hall.wait("B", "chess")) == [("A", "B")]


@pytest.mark.parametrize("other", [Profile("B", ""), engine("B", STRONG, sure=False)])
def test_whose_rating_is_not_known_or_not_sure_meets_anybody_at_once(other):
    hall = lobby()
    join(hall, engine("A", WEAK), other)
    hall.wait("A", "chess")
    effects = hall.wait("B", "chess")
    assert pairs(effects) == [("A", "B")]
    assert released(effects) == [-1]


def test_a_seek_is_met_at_once_whatever_the_ratings():
    hall = lobby()
    join(hall, engine("A", WEAK), rated(person("Bob"), STRONG))
    hall.wait("A", "chess")
    (game,) = pairs(hall.hear("Bob", Seek()))
    assert {*game} == {"A", "Bob"}


def test_a_wait_of_a_lobby_before_is_not_kept_waiting_for_who_is_near():
    before, after = lobby(), lobby()
    join(before, engine("A", WEAK))
    before.wait("A", "chess")
    _, _, seek = before.kept.seek(1)
    join(after, engine("A", WEAK), engine("B", STRONG))
    after.kept.stand_again(1, "A", None, seek)
    assert pairs(after.wait("B", "chess")) == [("A", "B")]


def test_a_range_is_kept_for_the_lobby_after():
    before, after = lobby(), lobby()
    for hall in (before, after):
        join(hall, rated(person("Ada"), WEAK), rated(person("Bob"), STRONG))
    before.hear("Ada", Seek(Terms(range=(1400, 1600))))
    _, _, seek = before.kept.seek(1)
    after.kept.stand_again(1, "Ada", None, seek)
    assert pairs(after.hear("Bob", Seek())) == []


def test_many_who_are_far_away_take_a_bounded_effort():
    hall = lobby(CHESS)
    hall.close("for a moment")
    join(hall, *(engine(f"E{n}", 3000) for n in range(2_500)))
    for n in range(2_500):
        hall.wait(f"E{n}", "chess")
    hall.reopen()
    join(hall, engine("New", WEAK))
    assert instructions(lambda: hall.wait("New", "chess")) < 1_500_000
