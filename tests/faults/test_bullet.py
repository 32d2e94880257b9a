"""Bullet and a restart, small: what takes minutes is a command of its own."""

from math import inf

import pytest

from tests.faults import bullet, restart


@pytest.mark.faults
@pytest.mark.system
def test_nobody_loses_a_bullet_game_on_time(tmp_path):
    rows = bullet.play(
        tmp_path, games=40, at_once=10, time="1+0.01", burners=1, database="", limit=300
    )
    assert [*bullet.failures(rows, 40)] == []
    assert rows["moves"] >= (40 - rows[bullet.LATE]) * bullet.PLIES


@pytest.mark.faults
@pytest.mark.system
def test_every_running_game_comes_back_after_a_kill(tmp_path):
    rows = restart.play(tmp_path, games=60, plies=6, database="")
    assert [*restart.failures(rows, 60, goal=inf)] == []


def test_bullet_that_is_not_what_was_asked_for_has_failed():
    rows = {
        "games": 39,
        "losses on time": 1,
        "games that ended before": 2,
        "ms given back for the line": 3,
    }
    assert [*bullet.failures(rows, 40)] == [
        "only 39 of 40 games were played to their last move",
        "1 losses on time",
        "2 games that ended before",
        "3 ms given back for the line",
    ]


def test_who_stood_still_for_longer_than_its_clock_has_lost_rightly():
    rows = {
        "games": 38,
        "losses on time": 2,
        "games that ended before": 2,
        "ms given back for the line": 0,
        bullet.LATE: 2,
    }
    assert [*bullet.failures(rows, 40)] == []
    assert [*bullet.failures(rows | {bullet.LATE: 1}, 40)] == [
        "only 38 of 40 games were played to their last move",
        "1 losses on time",
        "1 games that ended before",
    ]


def test_a_restart_that_is_not_what_was_asked_for_has_failed():
    rows = {
        "games": 59,
        "s until the last is back": 5.5,
        "players with a complaint": 1,
        "games lost": 0,
        "games over": 2,
        "games without all their moves": 3,
    }
    assert [*restart.failures(rows, 60)] == [
        "only 59 of 60 games were played",
        "it took 5.50 s instead of 5",
        "1 players with a complaint",
        "2 games over",
        "3 games without all their moves",
    ]
