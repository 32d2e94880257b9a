"""Players who ask for an engine of our servers at a level, as a conversation with the lobby."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.ulci_server.lobby.test_lobby import (
    engine,
    heard,
    listed,
    lobby,
    pairs,
    person,
)
from tests.ulci_server.lobby.test_on_call import enter, freed
from ulci.protocol.messages import (
    Accept,
    Challenge,
    Option,
    OptionType,
    Rematch,
    Seek,
    Terms,
    Who,
)
from ulci.rules import GAMES
from ulci_server.game.time_control import Controls
from ulci_server.lobby import LobbyEffect, Pair, Pool, PoolRules, Profile, ServerProgram

SKILL = Option("Skill Level", OptionType.SPIN, "20", 0, 20)
LEVEL_3 = Seek(Terms(level=3))


def fish(name: str = "Fish", *, levels: bool = True, most: int = 20, meets=("human",)) -> Profile:
    skill = Option("Skill Level", OptionType.SPIN, str(most), 0, most)
    program = ServerProgram(meets, levels=levels)
    return Profile(name, "", options={"skill level": skill}, program=program)


def agreed(effects: Iterable[LobbyEffect]) -> list[int | None]:
    return [effect.agreement.level for effect in effects if isinstance(effect, Pair)]


def test_a_seek_of_a_level_is_played_by_an_engine_that_has_it():
    hall = lobby()
    enter(hall, person("Ada"), person("Bob"), fish(levels=False), fish("Cod"))
    hall.hear("Bob", Seek())
    effects = hall.hear("Ada", LEVEL_3)
    assert pairs(effects) == [("Cod", "Ada")]
    assert agreed(effects) == [3]


def test_an_engine_is_challenged_at_a_level():
    hall = lobby()
    enter(hall, person("Ada"), fish())
    assert agreed(hall.hear("Ada", Challenge("Fish", Terms(level=8)))) == [8]


def test_without_a_level_there_is_none_in_the_agreement():
    hall = lobby()
    enter(hall, person("Ada"), fish())
    assert agreed(hall.hear("Ada", Challenge("Fish"))) == [None]


def test_who_is_here_says_how_many_levels_there_are():
    hall = lobby()
    enter(hall, person("Ada"), fish(), fish("Cod", levels=False), fish("Ray", most=2))
    lines = listed(hall, hall.hear("Ada", Who()))
    assert "player Fish kind engine state waiting levels 8" in lines
    assert "player Cod kind engine state waiting" in lines
    assert "player Ray kind engine state waiting levels 3" in lines


def test_the_program_of_a_player_has_no_levels():
    own = replace(engine("Fowl"), options={"skill level": SKILL})
    hall = lobby()
    enter(hall, person("Ada"), own, fish(levels=False))
    [line] = heard(hall.hear("Ada", Challenge("Fowl", Terms(level=3))), "Ada")
    assert line == "error cannot-play Fowl has no levels"


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        (Terms(level=9), "Fish has levels 1 to 8"),
        (Terms(level=3, rated=True), "a game against a level of an engine is not rated"),
        (
            Terms(level=3, game="weak"),
            "engines have an Elo of 1500 in the pool weak, and no level",
        ),
        (Terms(level=3, against="human"), "one of them does not want an opponent of that kind"),
    ],
)
def test_a_level_that_cannot_be_is_refused(terms, why):
    chess = GAMES["chess"]
    pools = [
        Pool("chess", chess, Controls.parse("180+2"), (None,), rated=True),
        Pool("weak", chess, Controls.parse("60"), (None,), pool_rules=PoolRules(1500)),
    ]
    hall = lobby(*pools)
    enter(hall, person("Ada"), fish())
    for said in (Seek(terms), Challenge("Fish", terms)):
        assert heard(hall.hear("Ada", said), "Ada") == [f"error cannot-play {why}"]


def test_where_no_engine_has_levels_a_seek_of_one_is_refused():
    hall = lobby()
    enter(hall, person("Ada"), fish(levels=False))
    [line] = heard(hall.hear("Ada", LEVEL_3), "Ada")
    assert line == "error cannot-play no engine of this server plays at levels"


def test_a_game_at_a_level_is_not_rated_even_in_a_rated_pool():
    hall = lobby(Pool("chess", GAMES["chess"], Controls.parse("180+2"), (None,), rated=True))
    enter(hall, person("Ada"), fish())
    [pair] = [one for one in hall.hear("Ada", LEVEL_3) if isinstance(one, Pair)]
    assert not pair.agreement.rated


def test_a_seek_waits_while_all_engines_with_that_level_play_and_nobody_else_accepts_it():
    hall = lobby()
    enter(hall, fish(), fish("Cod", most=1), person("Ada"), person("Bob"))
    hall.hear("Bob", Challenge("Fish"))
    [seek] = heard(hall.hear("Ada", LEVEL_3), "Ada")
    assert seek.startswith("seek ")
    assert seek.endswith("level 3")
    hall.free("Bob")
    number = int(seek.split()[1])
    [refusal] = heard(hall.hear("Bob", Accept(number)), "Bob")
    assert refusal == "error cannot-play Bob has no levels"
    effects = freed(hall, "Fish")
    assert pairs(effects) == [("Fish", "Ada")]
    assert agreed(effects) == [3]


def test_seeks_of_several_levels_are_not_taken_for_each_other():
    hall = lobby()
    enter(hall, fish(), *map(person, ("Ada", "Bob", "Eve")))
    hall.hear("Eve", Challenge("Fish"))
    for name, level in (("Ada", 2), ("Bob", 7)):
        assert not pairs(hall.hear(name, Seek(Terms(level=level))))
    assert agreed(freed(hall, "Fish")) == [2]
    assert agreed(freed(hall, "Fish")) == [7]


def test_an_engine_of_the_server_that_waits_for_engines_is_found_at_a_level():
    hall = lobby()
    enter(hall, fish(meets=("engine",)), replace(engine("Fowl"), features=frozenset({"lobby"})))
    assert agreed(hall.hear("Fowl", LEVEL_3)) == [3]


def test_the_level_stays_for_a_rematch_and_all_games_of_a_match():
    hall = lobby()
    enter(hall, person("Ada"), fish())
    assert agreed(hall.hear("Ada", Challenge("Fish", Terms(level=2, games=2)))) == [2]
    hall.free("Ada")
    assert agreed(hall.free("Fish")) == [2]
    hall.free("Ada")
    freed(hall, "Fish")
    assert agreed(hall.hear("Ada", Rematch())) == [2]


def test_a_person_is_not_challenged_at_a_level():
    hall = lobby()
    enter(hall, person("Ada"), person("Bob"), fish())
    [line] = heard(hall.hear("Ada", Challenge("Bob", Terms(level=3))), "Ada")
    assert line == "error cannot-play Bob has no levels"
