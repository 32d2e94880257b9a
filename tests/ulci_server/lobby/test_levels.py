"""Which options set a level, for options as known engines offer them."""

import pytest

from ulci.protocol.messages import Option, OptionType
from ulci_server.lobby import levels

LIMIT = Option("UCI_LimitStrength", OptionType.CHECK, "false")
ELO = Option("UCI_Elo", OptionType.SPIN, "1320", 1320, 3190)
SKILL = Option("Skill Level", OptionType.SPIN, "20", 0, 20)


def offered(*options: Option) -> dict[str, Option]:
    return {option.name.lower(): option for option in options}


STOCKFISH = offered(LIMIT, ELO, SKILL)
ONLY_SKILL = offered(SKILL)
HOUSE = offered(Option("Skill Level", OptionType.SPIN, "7", 0, 7))


@pytest.mark.parametrize("options", [STOCKFISH, ONLY_SKILL, HOUSE, offered(LIMIT, ELO)])
def test_an_engine_that_can_be_weakened_has_eight_levels(options: levels.Options) -> None:
    assert levels.count(options) == 8


@pytest.mark.parametrize(
    "options",
    [
        {},
        offered(LIMIT),
        offered(ELO),  # nothing makes it count
        offered(LIMIT, Option("UCI_Elo", OptionType.SPIN, "1320")),
        offered(Option("Skill Level", OptionType.SPIN, "5", 5, 5)),
        offered(Option("Skill Level", OptionType.COMBO, "weak", vars=("weak", "strong"))),
    ],
)
def test_others_have_none(options: levels.Options) -> None:
    assert levels.count(options) == 0
    assert levels.at_level(options, 3) == {}


def test_an_elo_rises_in_even_steps_up_to_the_full_strength() -> None:
    at = [levels.at_level(STOCKFISH, level) for level in range(1, 9)]
    assert at[-1] == {"UCI_LimitStrength": "false"}
    assert [one["UCI_LimitStrength"] for one in at[:-1]] == ["true"] * 7
    assert [int(one["UCI_Elo"]) for one in at[:-1]] == [1320, 1587, 1854, 2121, 2389, 2656, 2923]


def test_a_skill_rises_in_even_steps_from_the_least_to_the_most() -> None:
    skills = [levels.at_level(ONLY_SKILL, level)["Skill Level"] for level in range(1, 9)]
    assert skills == ["0", "3", "6", "9", "11", "14", "17", "20"]
    house = [levels.at_level(HOUSE, level)["Skill Level"] for level in range(1, 9)]
    assert house == [*"01234567"]


def test_a_range_below_zero_is_one() -> None:
    fairy = offered(Option("Skill Level", OptionType.SPIN, "20", -20, 20))
    assert levels.at_level(fairy, 1) == {"Skill Level": "-20"}
    assert levels.at_level(fairy, 8) == {"Skill Level": "20"}


def test_an_engine_of_few_skills_has_as_many_levels() -> None:
    few = offered(Option("Skill Level", OptionType.SPIN, "2", 0, 2))
    assert levels.count(few) == 3
    assert [levels.at_level(few, level)["Skill Level"] for level in (1, 2, 3)] == ["0", "1", "2"]


def test_an_engine_that_lost_levels_since_plays_at_its_highest() -> None:
    few = offered(Option("Skill Level", OptionType.SPIN, "2", 0, 2))
    assert levels.at_level(few, 7) == {"Skill Level": "2"}


def test_without_a_level_an_engine_is_as_strong_as_by_itself() -> None:
    assert levels.usual(STOCKFISH, has_levels=True) == {"UCI_LimitStrength": "false"}
    assert levels.usual(ONLY_SKILL, has_levels=True) == {"Skill Level": "20"}
    assert levels.usual({}, has_levels=True) == {}


def test_an_engine_that_limits_itself_gets_its_own_elo_back() -> None:
    limited = offered(Option("UCI_LimitStrength", OptionType.CHECK, "true"), ELO)
    own = {"UCI_LimitStrength": "true", "UCI_Elo": "1320"}
    assert levels.usual(limited, has_levels=True) == own
    assert levels.usual(limited, has_levels=False) == {"UCI_LimitStrength": "true"}


def test_the_skill_of_a_players_own_program_is_its_owners() -> None:
    assert levels.usual(ONLY_SKILL, has_levels=False) == {}


def test_whatever_a_level_sets_is_reset_without_one() -> None:
    without_range = Option("UCI_Elo", OptionType.SPIN, "1320")
    for options in (STOCKFISH, ONLY_SKILL, HOUSE, offered(LIMIT, without_range, SKILL)):
        first = next(iter(levels.at_level(options, 1)))
        assert first in levels.usual(options, has_levels=True)


def test_an_elo_of_the_pool_is_the_nearest_that_the_engine_has() -> None:
    assert levels.at_elo(STOCKFISH, 2000) == {"UCI_LimitStrength": "true", "UCI_Elo": "2000"}
    assert levels.at_elo(STOCKFISH, 100)["UCI_Elo"] == "1320"
    assert levels.at_elo(ONLY_SKILL, 2000) == {}
