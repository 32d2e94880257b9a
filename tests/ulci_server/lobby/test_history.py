"""Colours alternate, and the last opponent is known."""

from ulci_server.lobby.history import History


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
