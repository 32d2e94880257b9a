"""A rolling restart, small: what takes minutes is a command of its own."""

import pytest

from tests.faults.databases import PROGRAMS, programs
from tests.faults.rolling import NODES, play
from tests.support.servers import program

pytestmark = [pytest.mark.faults, pytest.mark.system, pytest.mark.slow]


def test_servers_are_restarted_one_after_the_other_and_nobody_loses_by_it(tmp_path):
    if programs() is None:
        pytest.skip(f"PostgreSQL's programs are not installed: {PROGRAMS} has no initdb")
    program("redis-server")
    run = play(tmp_path, games=12, seed=1, think=0.5)
    print(*run.lines(), sep="\n")
    assert [str(violation) for violation in run.violations] == []
    assert len(run.restarts) == NODES
    assert len(run.away) >= len(run.players), "hardly anybody had to go elsewhere"
