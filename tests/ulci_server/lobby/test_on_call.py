"""Programs of our servers, as people and engines meet them in the lobby."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.ulci_server.lobby.test_lobby import engine, heard, lobby, pairs, person
from ulci.protocol.messages import Challenge, Rematch, Seek, Terms, Who
from ulci.rules import GAMES
from ulci_server.game.time_control import Controls
from ulci_server.lobby import Hold, Lobby, LobbyEffect, Pool, Profile, Release, ServerProgram
from ulci_server.lobby.on_call import ALONE

CHESS = Pool("chess", GAMES["chess"], Controls.parse("180+2"), (None,))
BLITZ = Pool("blitz", GAMES["chess"], Controls.parse("60"), (None,))
MNK = Pool("mnk", GAMES["mnk"], Controls.parse("60"), (None,))

AGAINST_ENGINE = Seek(Terms(against="engine"))


def program(name: str, meets=("human",), **offer: object) -> Profile:
    return Profile(name, "", program=ServerProgram(meets, **offer))  # type: ignore[arg-type]


def gui(name: str) -> Profile:
    """A person whose program has no lobby."""
    return Profile(name, "", kind="human")


def enter(hall: Lobby, *profiles: Profile, pool: str = "chess") -> list[LobbyEffect]:
    """They come in; without a lobby they wait."""
    effects: list[LobbyEffect] = []
    for profile in profiles:
        who = hall.enter(profile)
        effects += [] if who.lobby else hall.wait(who.handle, pool)
    return effects


def freed(hall: Lobby, *handles: str) -> list[LobbyEffect]:
    """Their game is over; who has no lobby waits again."""
    effects: list[LobbyEffect] = []
    for handle in handles:
        effects += [*hall.free(handle), *hall.wait(handle, "chess")]
    return effects


def holds(effects: Iterable[LobbyEffect]) -> list[Hold]:
    return [effect for effect in effects if isinstance(effect, Hold)]


def test_a_seek_that_leaves_the_opponent_open_waits_for_a_person():
    hall = lobby()
    enter(hall, program("Fish"), person("Ada"), person("Bob"))
    assert not pairs(hall.hear("Ada", Seek()))
    assert pairs(hall.hear("Bob", Seek())) == [("Ada", "Bob")]


def test_who_seeks_an_engine_is_played_at_once_as_the_seek_says():
    hall = lobby(CHESS, BLITZ)
    enter(hall, program("Fish"), person("Ada"))
    [pair] = [
        effect
        for effect in hall.hear("Ada", Seek(Terms(time="60+1", color="black", against="engine")))
        if pairs([effect])
    ]
    assert (pair.white, pair.black) == ("Fish", "Ada")
    assert str(pair.agreement.control) == "60+1"


def test_another_player_who_waits_comes_before_a_program_of_the_server():
    hall = lobby()
    enter(hall, program("Fish"), engine("Fowl"), person("Ada"))
    assert pairs(hall.hear("Ada", AGAINST_ENGINE)) == [("Fowl", "Ada")]


def test_programs_that_people_ask_for_are_not_among_the_seeks_and_wait():
    hall = lobby()
    assert enter(hall, program("Fish")) == []
    enter(hall, person("Ada"))
    assert hall.state("Fish") == "waiting"
    [effect] = hall.hear("Ada", Who())
    _, lines = hall.listed(effect.what)
    assert "player Fish kind engine state waiting" in [" ".join(line.words) for line in lines]


def test_the_longest_free_of_several_plays():
    hall = lobby()
    enter(hall, program("Fish"), program("Fowl"), *map(person, ("Ada", "Bob", "Eve")))
    assert pairs(hall.hear("Ada", AGAINST_ENGINE)) == [("Fish", "Ada")]
    freed(hall, "Fish")
    assert pairs(hall.hear("Bob", AGAINST_ENGINE)) == [("Fowl", "Bob")]
    assert pairs(hall.hear("Eve", AGAINST_ENGINE)) == [("Eve", "Fish")]


def test_who_asks_while_all_are_busy_is_played_by_the_next_that_is_free():
    hall = lobby()
    enter(hall, program("Fish"), person("Ada"), person("Bob"))
    hall.hear("Ada", AGAINST_ENGINE)
    assert not pairs(hall.hear("Bob", AGAINST_ENGINE))
    assert pairs(freed(hall, "Fish")) == [("Bob", "Fish")]


def test_a_program_can_be_challenged_and_another_of_its_name_comes_while_it_plays():
    hall = lobby()
    enter(hall, program("Fish"), program("Fish"), *map(person, ("Ada", "Bob", "Eve")))
    assert pairs(hall.hear("Ada", Challenge("Fish"))) == [("Ada", "Fish")]
    assert pairs(hall.hear("Bob", Challenge("Fish"))) == [("Fish-2", "Bob")]
    assert heard(hall.hear("Eve", Challenge("Fish")), "Eve") == ["error busy Fish is playing"]


def test_a_rematch_is_a_challenge():
    hall = lobby()
    enter(hall, program("Fish"), person("Ada"))
    hall.hear("Ada", Challenge("Fish", Terms(color="white")))
    freed(hall, "Fish")
    hall.free("Ada")
    assert pairs(hall.hear("Ada", Rematch())) == [("Fish", "Ada")]


def test_a_match_of_several_games_goes_on():
    hall = lobby()
    enter(hall, program("Fish"), person("Ada"))
    assert pairs(hall.hear("Ada", Challenge("Fish", Terms(games=2, color="white")))) == [
        ("Ada", "Fish")
    ]
    hall.free("Ada")
    assert pairs(hall.free("Fish")) == [("Fish", "Ada")]


@pytest.mark.parametrize(
    ("offer", "terms", "why"),
    [
        ({"pools": ("blitz",)}, Terms(), "Fish does not play chess in the pool chess"),
        ({"games": ("chess960",)}, Terms(), "Fish does not play chess in the pool chess"),
        ({"meets": ("engine",)}, Terms(), "one of them does not want an opponent of that kind"),
    ],
)
def test_a_program_plays_only_what_its_operator_wants(offer, terms, why):
    hall = lobby(CHESS, BLITZ)
    enter(hall, program("Fish", **offer), person("Ada"))
    assert heard(hall.hear("Ada", Challenge("Fish", terms)), "Ada") == [f"error cannot-play {why}"]
    if "meets" not in offer:
        assert not pairs(hall.hear("Ada", AGAINST_ENGINE))


def test_a_program_for_people_is_not_asked_by_engines():
    hall = lobby()
    enter(hall, program("Fish"), replace(engine("Fowl"), features=frozenset({"lobby"})))
    assert not pairs(hall.hear("Fowl", AGAINST_ENGINE))
    [line] = heard(hall.hear("Fowl", Challenge("Fish")), "Fowl")
    assert line == "error cannot-play one of them does not want an opponent of that kind"


def test_a_program_for_engines_waits_in_all_its_pools_and_never_meets_itself():
    hall = lobby(CHESS, BLITZ, MNK)
    effects = enter(hall, program("Fish", ("engine",), games=("chess",)))
    assert [line.split()[9] for line in heard(effects, "")] == ["180+2", "60"]
    assert not pairs(enter(hall, program("Fish", ("engine",), games=("chess",))))
    effects = enter(hall, engine("Fowl"), pool="blitz")
    assert pairs(effects) == [("Fish", "Fowl")]
    assert len([line for line in heard(effects, "") if line.startswith("gone")]) == 2


def test_a_program_for_all_waits_for_engines_only():
    hall = lobby()
    enter(hall, program("Fish", ("human", "engine")), person("Ada"))
    assert not pairs(hall.hear("Ada", Seek()))
    assert pairs(hall.hear("Ada", AGAINST_ENGINE)) == [("Fish", "Ada")]
    hall.free("Ada")
    freed(hall, "Fish")
    assert pairs(enter(hall, engine("Fowl"))) == [("Fowl", "Fish")]


def test_a_person_without_a_lobby_meets_somebody_else_within_a_while():
    hall = lobby()
    [hold] = holds(enter(hall, program("Fish"), gui("Ada")))
    assert hold.seconds == ALONE
    effects = enter(hall, gui("Bob"))
    assert pairs(effects) == [("Ada", "Bob")]
    assert Release(hold.number) in effects
    assert not pairs(hall.overdue(hold.number))


def test_a_person_without_a_lobby_whom_nobody_meets_is_played_by_a_program():
    hall = lobby()
    [hold] = holds(enter(hall, program("Fish"), gui("Ada")))
    assert pairs(hall.overdue(hold.number)) == [("Ada", "Fish")]
    # And again at once, until somebody else comes.
    assert pairs(freed(hall, "Fish", "Ada")) == [("Fish", "Ada")]
    enter(hall, gui("Bob"))
    assert pairs(freed(hall, "Ada")) == [("Bob", "Ada")]
    assert len(holds(freed(hall, "Fish", "Ada"))) == 1


def test_a_program_that_comes_later_waits_as_long_for_others():
    hall = lobby()
    assert not holds(enter(hall, gui("Ada")))
    [hold] = holds(enter(hall, program("Fish")))
    assert pairs(hall.overdue(hold.number)) == [("Ada", "Fish")]


def test_a_person_without_a_lobby_is_played_by_the_next_program_that_is_free():
    hall = lobby()
    [hold] = holds(enter(hall, program("Fish"), person("Bob"), gui("Ada")))
    hall.hear("Bob", AGAINST_ENGINE)
    assert not pairs(hall.overdue(hold.number))
    assert pairs(freed(hall, "Fish")) == [("Ada", "Fish")]


def test_a_program_that_has_left_is_asked_no_more():
    hall = lobby()
    enter(hall, program("Fish"), person("Ada"))
    hall.leave("Fish")
    assert not pairs(hall.hear("Ada", AGAINST_ENGINE))


def test_no_game_with_a_program_begins_while_the_lobby_is_closed():
    hall = lobby()
    enter(hall, program("Fish"), person("Ada"), gui("Bob"))
    [*hall.close("no new games")]
    assert heard(hall.hear("Ada", AGAINST_ENGINE), "Ada") == ["error closed no new games"]
    assert not pairs(hall.overdue(1))
    assert [pair for step in hall.reopen() for pair in pairs(step)] == [("Bob", "Fish")]
