"""The report that other pairing programs read."""

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from py4swiss.trf import TrfParser

from tests.ulci_server.tournament.play import Evening, field, made
from ulci_server.tournament import Entrant, GameResult, Pairing
from ulci_server.tournament.trf import report, seeded


def lines(evening: Evening) -> list[str]:
    state, round_ = evening.tournament.state, evening.tournament.last_round + 1
    return report(state, seeded(state, round_), round_).splitlines()


@pytest.mark.parametrize("games", [1, 2])
def test_another_program_reads_it(tmp_path: Path, games: int) -> None:
    settings = f'format = "swiss"\nrounds = 4\ngames = {games}'
    evening = Evening(made(settings, field(9, Random(1))), 1)
    for _ in evening.play():
        if evening.tournament.last_round == 2 and not evening.on:
            gone = evening.tournament.entrants[4]
            evening.tournament.put_entrant(replace(gone, left=3))
    file = tmp_path / "cup.trf"
    file.write_text("\n".join(lines(evening)) + "\n")
    parsed = TrfParser.parse(file)
    assert len(parsed.player_sections) == 9
    assert {len(section.results) for section in parsed.player_sections} == {4}
    assert parsed.x_section.number_of_rounds == 4


def test_games_byes_and_what_was_decided_without_a_game() -> None:
    evening = Evening(made('format = "swiss"\nrounds = 3\ngames = 1', field(4)), 1)
    tournament = evening.tournament
    tournament.put_pairings(
        [
            Pairing(1, 1, 1, 2),
            Pairing(2, 1, 3, 4, score="1-0", why="did not come"),
            Pairing(3, 2, 3, 1, score="1/2-1/2", why="a director decided it"),
            Pairing(4, 2, 2, None, score="1-0"),
        ]
    )
    tournament.finish(GameResult(1, "1-0"))
    cells = [line[91:] for line in lines(evening) if line.startswith("001")]
    assert cells == [
        "   2 w 1  0000 - H",
        "   1 b 0  0000 - U",
        "   4 w +  0000 - H",
        "   3 b -  0000 - Z",
    ]


def test_points_and_rank_are_those_of_its_rounds() -> None:
    evening = Evening(made('format = "swiss"\nrounds = 1\ngames = 1', field(2)), 1)
    evening.tournament.put_pairings([Pairing(1, 1, 1, 2)])
    evening.tournament.finish(GameResult(1, "0-1"))
    places = [line[80:89].split() for line in lines(evening) if line.startswith("001")]
    assert places == [["0.0", "2"], ["1.0", "1"]]


def test_ranks_of_the_whole_report_are_those_of_the_standings() -> None:
    evening = Evening(made('format = "swiss"\nrounds = 3\ngames = 1', field(6)), 1)
    tournament = evening.tournament
    for _ in evening.play():
        pass
    tournament.put_entrant(Entrant(7, "p7", joined=9))
    rows = [line for line in tournament.report().splitlines() if line.startswith("001")]
    ranked = sorted((int(line[85:89]), line[14:47].strip()) for line in rows)
    shown = [one.name for one in tournament.now().entries if one.name != "p7"]
    assert ranked == [*enumerate(shown, 1)]
    assert shown != sorted(shown)


def test_the_whole_report_ends_before_the_round_that_is_being_played() -> None:
    evening = Evening(made('format = "swiss"\nrounds = 3\ngames = 1', field(6)), 1)
    tournament = evening.tournament
    for _ in evening.play():
        if tournament.last_round == 2 and len(evening.on) == 2:
            break
    rows = [line for line in tournament.report().splitlines() if line.startswith("001")]
    assert {len(line) for line in rows} == {99}, "one round"
    assert [int(line[85:89]) for line in rows] != [*range(1, 7)]
    halves = {one.name: one.points for one in tournament.now().entries}
    assert sum(float(line[80:84]) for line in rows) == 3 < sum(halves.values())
