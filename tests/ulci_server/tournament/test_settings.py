"""The description of a tournament, and all that is wrong with one."""

import pytest

from ulci_server.tournament import TournamentErrors, TournamentFormat, parse_tournament

TWO = '[[entrant]]\naccount = "Ada"\n[[entrant]]\nengine = "Fish"\nboards = 2\n'
GOOD = f'name = "Cup"\nformat = "swiss"\npool = "chess"\nopen = true\nrounds = 3\n{TWO}'


def errors(text: str) -> list[str]:
    with pytest.raises(TournamentErrors) as raised:
        parse_tournament(text)
    return [*raised.value.errors]


def test_what_is_left_out_has_a_default() -> None:
    settings = parse_tournament(GOOD)
    assert settings.format is TournamentFormat.SWISS
    assert (settings.games, settings.late, settings.at_once) == (2, 300, 8)
    assert [one.called for one in settings.entrant] == ["Ada", "Fish"]
    assert settings.entrant[1].boards == 2


@pytest.mark.parametrize(("says", "at_once"), [("", 10_000), ("concurrency = 3", 3)])
def test_everybody_in_an_arena_plays_unless_it_says_otherwise(says: str, at_once: int) -> None:
    settings = parse_tournament(
        f'name = "A"\npool = "chess"\nformat = "arena"\nopen = true\n{says}'
    )
    assert settings.at_once == at_once


def test_all_errors_are_told_at_once() -> None:
    text = 'format = "swis"\npool = 7\nrounds = 0\nspeed = 3\n'
    assert errors(text) == [
        "name is missing",
        "format: input should be 'roundrobin', 'gauntlet', 'swiss', 'knockout', 'sprt', 'ladder'"
        " or 'arena'",
        "pool: input should be a valid string",
        "rounds: input should be greater than or equal to 1",
        "there is no setting speed",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name =", "line 1, column 7: invalid value"),
        (GOOD.replace("Fish", "ada"), "entrant.2: ada is entrant 1 already"),
        (GOOD.replace('engine = "Fish"\n', ""), "entrant.2: one of account, engine and name"),
        (GOOD.replace("open = true\n", ""), "rounds: 2 entrants can be paired for 1 rounds"),
        ('name = "Cup"\nformat = "roundrobin"\npool = "chess"\n', "at least two are needed"),
        (GOOD.replace("swiss", "sprt"), "sprt: the format needs the table sprt"),
        (f"sprt = {{ elo0 = 0, elo1 = 5 }}\n{GOOD}", 'only the format "sprt" ends by a test'),
        (
            f"sprt = {{ elo0 = 5, elo1 = 0 }}\n{GOOD.replace('swiss', 'sprt')}",
            "sprt: elo0 must be less than elo1",
        ),
        (f'schedule = "noon"\n{GOOD}', "schedule: expected a time (UTC) such as"),
        (f"seeds = 2\n{GOOD.replace('swiss', 'gauntlet')}", "at most 1 of them meet the rest"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    assert any(why in one for one in errors(text)), errors(text)


@pytest.mark.parametrize(("form", "most"), [("arena", 10_000), ("roundrobin", 2_000)])
def test_a_format_has_a_largest_number_of_entrants(form: str, most: int) -> None:
    listed = "".join(f'[[entrant]]\naccount = "p{n}"\n' for n in range(most + 1))
    text = f'name = "Cup"\nformat = "{form}"\npool = "chess"\n{listed}'
    assert errors(text) == [f"entrant: a {form} has {most} at most, and there are {most + 1}"]


def test_many_faults_of_one_kind_are_cut_short() -> None:
    listed = '[[entrant]]\naccount = "Ada"\n' * 100
    told = errors(f'name = "Cup"\nformat = "arena"\npool = "chess"\n{listed}')
    assert len(told) == 21
    assert told[-1] == "and 79 faults more"


def test_a_description_has_a_largest_size() -> None:
    assert "is longer than" in errors("#" * (4 * 1024 * 1024 + 1))[0]
