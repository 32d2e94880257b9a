"""Who takes which side."""

from dataclasses import replace

import pytest

from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import HouseRules, Offer, Pair, Pool, Profile, Wish
from ulci_server.lobby.history import History
from ulci_server.lobby.pairing import again, answer, seated
from ulci_server.lobby.wish import disagreement

CHESS = GAMES["chess"]
BLITZ = Controls.parse("180+2")
ENDING = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"
ADA, BOB = Profile("Ada", "Ada", kind="human"), Profile("Bob", "Bob", kind="human")


def wish(who: Profile, color: str = "random") -> Wish:
    return Wish(1, who, CHESS, BLITZ, (None,), "chess", color=color)


def never(n: int) -> int:
    raise AssertionError("nothing was left to chance")


@pytest.mark.parametrize(
    ("first", "second", "white"),
    [
        ("white", "black", ADA),
        ("black", "white", BOB),
        ("white", "random", ADA),
        ("black", "random", BOB),
        ("random", "white", BOB),
        ("random", "black", ADA),
    ],
)
def test_a_colour_that_is_asked_for_is_given_whoever_had_white_before(first, second, white):
    for before in (("Ada", "Bob"), ("Bob", "Ada")):
        history = History()
        history.met(*before)
        black = BOB if white is ADA else ADA
        assert seated(wish(ADA, first), wish(BOB, second), history, never) == (white, black)


def test_who_had_black_last_time_has_white():
    history = History()
    history.met("Ada", "Bob")
    assert seated(wish(ADA), wish(BOB), history, never) == (BOB, ADA)
    assert seated(wish(BOB), wish(ADA), history, never) == (BOB, ADA)


def test_chance_decides_when_nothing_else_does():
    assert seated(wish(ADA), wish(BOB), History(), lambda n: 0) == (ADA, BOB)
    assert seated(wish(ADA), wish(BOB), History(), lambda n: n - 1) == (BOB, ADA)


def test_chance_decides_between_two_of_one_name():
    copy = replace(ADA, handle="Ada-2")
    history = History()
    history.met("Ada", "Ada")
    assert seated(wish(ADA), wish(copy), history, lambda n: 0) == (ADA, copy)
    assert seated(wish(ADA), wish(copy), history, lambda n: 1) == (copy, ADA)


@pytest.mark.parametrize(
    ("color", "left"), [("white", "black"), ("black", "white"), ("random", "random")]
)
def test_who_takes_a_wish_as_it_is_takes_the_colour_that_is_left_and_agrees(color, left):
    asked = replace(wish(ADA, color), against="human", rated=True, auto=True)
    taken = answer(7, BOB, asked)
    assert (taken.id, taken.who, taken.color) == (7, BOB, left)
    assert (taken.control, taken.rated, taken.starts) == (BLITZ, True, (None,))
    assert (taken.against, taken.auto) == ("any", False)
    assert disagreement(asked, taken) is None


def last(start: str | None = ENDING) -> Pair:
    return Pair("Ada", "Bob", Offer(CHESS, BLITZ, start, rated=True, pool="chess"))


def test_a_rematch_is_the_same_game_with_the_other_colour():
    for who, color in ((ADA, "black"), (BOB, "white")):
        wanted = again(7, who, last(), None)
        assert (wanted.id, wanted.who, wanted.color) == (7, who, color)
        assert (wanted.game, wanted.control, wanted.rated) == (CHESS, BLITZ, True)
        assert (wanted.pool, wanted.self_play) == ("chess", True)


def test_the_two_wishes_for_one_rematch_agree():
    assert disagreement(again(1, ADA, last(), None), again(2, BOB, last(), None)) is None


def test_a_rematch_begins_elsewhere_in_its_pool_if_the_last_game_began_there():
    one, several = (Pool("chess", CHESS, BLITZ, starts) for starts in ((None,), (None, ENDING)))
    assert again(1, ADA, last(), None).starts == (ENDING,)
    assert again(1, ADA, last(), one).starts == (ENDING,)
    assert again(1, ADA, last(), several).starts == (None, ENDING)


def test_a_rematch_is_played_by_the_same_house_rules():
    house = HouseRules(1500)
    offer = Offer(CHESS, BLITZ, None, rated=True, pool="chess", house=house)
    assert again(1, ADA, Pair("Ada", "Bob", offer), None).house is house
