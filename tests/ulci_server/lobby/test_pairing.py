"""Who takes which side."""

from dataclasses import replace

import pytest

from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import Agreement, Pair, Pool, PoolRules, Profile, StandingSeek
from ulci_server.lobby.pairing import History, answer, assign_colors, rematch_seek
from ulci_server.lobby.seeks import disagreement

CHESS = GAMES["chess"]
BLITZ = Controls.parse("180+2")
ENDING = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"
ADA, BOB = Profile("Ada", "Ada", kind="human"), Profile("Bob", "Bob", kind="human")


def seek(who: Profile, color: str = "random") -> StandingSeek:
    return StandingSeek(1, who, CHESS, BLITZ, (None,), "chess", color=color)


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
        assert assign_colors(seek(ADA, first), seek(BOB, second), history, never) == (white, black)


def test_who_had_black_last_time_has_white():
    history = History()
    history.met("Ada", "Bob")
    assert assign_colors(seek(ADA), seek(BOB), history, never) == (BOB, ADA)
    assert assign_colors(seek(BOB), seek(ADA), history, never) == (BOB, ADA)


def test_chance_decides_when_nothing_else_does():
    assert assign_colors(seek(ADA), seek(BOB), History(), lambda n: 0) == (ADA, BOB)
    assert assign_colors(seek(ADA), seek(BOB), History(), lambda n: n - 1) == (BOB, ADA)


def test_chance_decides_between_two_of_one_name():
    copy = replace(ADA, handle="Ada-2")
    history = History()
    history.met("Ada", "Ada")
    assert assign_colors(seek(ADA), seek(copy), history, lambda n: 0) == (ADA, copy)
    assert assign_colors(seek(ADA), seek(copy), history, lambda n: 1) == (copy, ADA)


@pytest.mark.parametrize(
    ("color", "left"), [("white", "black"), ("black", "white"), ("random", "random")]
)
def test_who_takes_a_wish_as_it_is_takes_the_colour_that_is_left_and_agrees(color, left):
    asked = replace(seek(ADA, color), against="human", rated=True, auto=True)
    taken = answer(7, BOB, asked)
    assert (taken.id, taken.who, taken.color) == (7, BOB, left)
    assert (taken.control, taken.rated, taken.starts) == (BLITZ, True, (None,))
    assert (taken.against, taken.auto) == ("any", False)
    assert disagreement(asked, taken) is None


def last(start: str | None = ENDING) -> Pair:
    return Pair("Ada", "Bob", Agreement(CHESS, BLITZ, start, rated=True, pool="chess"))


def test_a_rematch_is_the_same_game_with_the_other_colour():
    for who, color in ((ADA, "black"), (BOB, "white")):
        wanted = rematch_seek(7, who, last(), None)
        assert (wanted.id, wanted.who, wanted.color) == (7, who, color)
        assert (wanted.game, wanted.control, wanted.rated) == (CHESS, BLITZ, True)
        assert (wanted.pool, wanted.self_play) == ("chess", True)


def test_the_two_wishes_for_one_rematch_agree():
    assert (
        disagreement(rematch_seek(1, ADA, last(), None), rematch_seek(2, BOB, last(), None)) is None
    )


def test_a_rematch_begins_elsewhere_in_its_pool_if_the_last_game_began_there():
    one, several = (Pool("chess", CHESS, BLITZ, starts) for starts in ((None,), (None, ENDING)))
    assert rematch_seek(1, ADA, last(), None).starts == (ENDING,)
    assert rematch_seek(1, ADA, last(), one).starts == (ENDING,)
    assert rematch_seek(1, ADA, last(), several).starts == (None, ENDING)


def test_a_rematch_is_played_by_the_same_house_rules():
    house = PoolRules(1500)
    agreement = Agreement(CHESS, BLITZ, None, rated=True, pool="chess", pool_rules=house)
    assert rematch_seek(1, ADA, Pair("Ada", "Bob", agreement), None).pool_rules is house


def test_two_who_met_change_colours():
    history = History()
    history.met("Ada", "Bob")
    assert history.white_of("Ada", "Bob") == "Bob"
    history.met("Bob", "Ada")
    assert history.white_of("Bob", "Ada") == "Ada"


def test_whoever_had_white_less_often_has_it_against_a_new_opponent():
    history = History()
    history.met("Ada", "Bob")
    assert history.white_of("Ada", "Eve") == "Eve"
    assert history.white_of("Eve", "Bob") == "Bob"
    assert history.white_of("Eve", "Dan") is None


def test_a_name_that_plays_itself_has_no_claim_to_a_colour():
    history = History()
    history.met("Ada", "Ada")
    assert history.white_of("Ada", "Ada") is None


def test_just_met_means_that_neither_played_anybody_since():
    history = History()
    history.met("Ada", "Bob")
    assert history.just_met("Bob", "Ada")
    history.met("Ada", "Eve")
    assert not history.just_met("Bob", "Ada")


def test_the_longest_unseen_are_forgotten():
    history = History(remembered=2)
    for other in ("Bob", "Eve", "Dan"):
        history.met("Ada", other)
    assert history.white_of("Ada", "Dan") == "Dan"
    assert not history.just_met("Ada", "Bob")
