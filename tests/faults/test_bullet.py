"""Bullet and a restart, small: what takes minutes is a command of its own."""

import pytest

from tests.faults import bullet, restart

pytestmark = [pytest.mark.faults, pytest.mark.system]


def test_nobody_loses_a_bullet_game_on_time(tmp_path):
    rows = bullet.play(tmp_path, games=40, at_once=10, time="1+0.01", burners=1, database="")
    assert rows["games"] >= 40
    assert rows["losses on time"] == 0


def test_every_running_game_comes_back_after_a_kill(tmp_path):
    rows = restart.play(tmp_path, games=60, plies=6, database="")
    assert rows["games"] == 60
    assert rows["games lost"] == rows["players with a complaint"] == 0
