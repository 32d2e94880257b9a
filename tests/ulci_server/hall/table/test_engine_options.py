"""What is set before a game: only what was offered, and only what fits."""

import pytest

from ulci.protocol.messages import Option, OptionType, SetOption
from ulci.rules import GAMES
from ulci_server.game import Controls, Seat
from ulci_server.hall.table.engine_options import engine_options
from ulci_server.lobby import Agreement, PoolRules, Profile, ServerProgram

ADA = Seat("Ada", "human")
SKILL = Option("Skill Level", OptionType.SPIN, "20", 0, 20)
LIMIT = Option("UCI_LimitStrength", OptionType.CHECK, "false")
ELO = Option("UCI_Elo", OptionType.SPIN, "1320", 1320, 3190)


def said(game: str, *options: Option, elo: int | None = None) -> dict[str, str | None]:
    who = Profile("A", "A", options={option.name.lower(): option for option in options})
    agreement = Agreement(
        GAMES[game], Controls.parse("60"), None, rated=False, pool="p", pool_rules=PoolRules(elo)
    )
    settings = engine_options(who, ADA, agreement)
    assert all(isinstance(setting, SetOption) for setting in settings)
    return {setting.name: setting.value for setting in settings}


def combo(*values: str) -> Option:
    return Option("UCI_Variant", OptionType.COMBO, values[0], vars=values)


def test_who_offers_nothing_is_told_nothing():
    assert said("chess") == {}


def test_the_opponent_is_named_with_title_rating_and_kind():
    opponent = Option("UCI_Opponent", OptionType.STRING, "")
    assert said("chess", opponent) == {"UCI_Opponent": "none none human Ada"}


@pytest.mark.parametrize(
    ("game", "values", "value"),
    [
        ("chess", ("chess", "atomic"), "chess"),
        ("chess960", ("chess", "atomic"), "chess"),
        ("atomic", ("chess", "atomic"), "atomic"),
        ("liberty", ("chess", "liberty"), "liberty"),
        ("liberty", ("chess", "atomic"), "chess"),
        ("chess", ("standard", "atomic"), "standard"),
        ("chess", ("atomic", "Normal"), "Normal"),
        ("chess960", ("orthodox", "atomic"), "orthodox"),
        ("liberty", ("standard", "atomic"), "standard"),
        ("3check", ("chess", "threecheck"), "threecheck"),
        ("3check", ("chess", "threecheck", "3check"), "3check"),
        ("3check", ("chess", "3Check"), "3Check"),
        ("kingofthehill", ("chess", "koth"), "koth"),
        ("atomic", ("chess", "Atomic"), "Atomic"),
    ],
)
def test_the_variant_is_the_game_where_the_engine_knows_it_by_name(game, values, value):
    assert said(game, combo(*values)) == {"UCI_Variant": value}


@pytest.mark.parametrize(("elo", "value"), [(1500, "1500"), (100, "1320"), (9000, "3190")])
def test_a_strength_is_asked_for_within_what_the_engine_can(elo, value):
    assert said("chess", LIMIT, ELO, elo=elo) == {"UCI_LimitStrength": "true", "UCI_Elo": value}


def test_without_a_wish_an_engine_plays_as_it_was_built():
    assert said("chess", LIMIT, ELO) == {"UCI_LimitStrength": "false"}
    strong = Option("UCI_LimitStrength", OptionType.CHECK, "true")
    assert said("chess", strong, ELO) == {"UCI_LimitStrength": "true"}


def test_an_engine_that_has_but_one_strength_is_not_asked_for_another():
    assert said("chess", LIMIT, elo=1500) == {}


def program_said(*options: Option, level: int | None, levels: bool = True) -> dict[str, str | None]:
    """What a program of the server is told."""
    offered = {option.name.lower(): option for option in options}
    who = Profile("A", "A", options=offered, program=ServerProgram(("human",), levels=levels))
    agreement = Agreement(
        GAMES["chess"], Controls.parse("60"), None, rated=False, pool="p", level=level
    )
    return {setting.name: setting.value for setting in engine_options(who, ADA, agreement)}


def test_a_program_of_the_server_is_told_its_level_and_its_own_strength_without_one():
    assert program_said(LIMIT, ELO, level=1) == {"UCI_LimitStrength": "true", "UCI_Elo": "1320"}
    assert program_said(LIMIT, ELO, level=None) == {"UCI_LimitStrength": "false"}
    assert program_said(SKILL, level=1) == {"Skill Level": "0"}
    assert program_said(SKILL, level=None) == {"Skill Level": "20"}


def test_a_game_that_was_begun_at_a_level_goes_on_at_it_where_there_are_none_any_more():
    assert program_said(SKILL, level=1, levels=False) == {"Skill Level": "0"}
    assert program_said(SKILL, level=None, levels=False) == {}


def test_the_opponent_of_a_program_at_a_level_is_as_strong_as_always():
    who = Profile("A", "A", options={"skill level": SKILL})
    agreement = Agreement(
        GAMES["chess"], Controls.parse("60"), None, rated=False, pool="p", level=1
    )
    assert engine_options(who, ADA, agreement) == ()
