"""What a server keeps of games that are over, small: what takes an hour is a command of its own."""

import pytest

from tests.faults import churn

LIMIT = 300
"""Seconds for its games."""

GAMES = 200


@pytest.mark.faults
@pytest.mark.system
@pytest.mark.timeout(LIMIT + churn.SETTLED + 300)
def test_a_server_without_games_has_the_memory_that_it_had_before(tmp_path):
    rows = churn.play(tmp_path, games=GAMES, at_once=30, rounds=1, limit=LIMIT)
    assert [*churn.failures(rows, GAMES)] == []
    assert {kind.__name__ for kind in churn.KINDS} <= {row.strip() for row in rows}


def test_memory_that_is_kept_is_a_failure():
    rows = {"games": 299, "kB after the first round": 90_000, "kB at the end": 95_121}
    assert [*churn.failures(rows, 300)] == [
        "only 299 of 300 games were played",
        "5121 kB are kept of games that are over",
    ]
    assert [*churn.failures(rows | {"games": 300, "kB at the end": 95_120}, 300)] == []
