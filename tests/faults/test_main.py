"""The command that injects faults by the thousand fails when it did less than that."""

import pytest
from click.testing import CliRunner

from tests.faults.__main__ import PHASES, main, plan
from tests.faults.report import Settings


@pytest.mark.parametrize("games", [1, 5, 40, 300, 1000])
def test_all_phases_together_play_what_was_asked_for(games):
    planned = plan(Settings(games=games, faults=10_000), [*PHASES])
    assert sum(phase.games for phase in planned.values()) >= games
    assert planned["players"].faults == 10_000
    assert all(2 <= planned[phase].games <= 20 for phase in ("engines", "referees"))
    assert all(planned[phase].faults >= 6 for phase in ("engines", "referees"))


def test_a_phase_that_is_alone_plays_all_of_it():
    assert plan(Settings(games=40), ["engines"])["engines"].games == 40


@pytest.mark.faults
@pytest.mark.system
def test_a_limit_that_was_reached_is_a_failure():
    asked = ("--faults", "100000", "--games", "100000", "--at-once", "2", "--mishaps", "0")
    result = CliRunner().invoke(main, [*asked, "--limit", "2"])
    assert result.exit_code == 1, result.output
    for what in ("players: only", "of 100000 faults", "engines: only 0 of 20 games"):
        assert what in result.output
