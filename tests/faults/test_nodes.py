"""A cluster whose servers are killed, frozen and cut off loses no move, no game and no line."""

import os

import pytest

from tests.faults.databases import PROGRAMS, programs
from tests.faults.nodes import run_nodes
from tests.faults.report import Settings
from tests.support.servers import program

pytestmark = [pytest.mark.faults, pytest.mark.system, pytest.mark.slow]

FAULTS = int(os.environ.get("ULCI_TEST_NODE_FAULTS", "150"))
"""Of all kinds; what befalls servers comes every 2 s, whatever there is besides."""


async def test_a_cluster_loses_nothing_by_what_befalls_its_servers(tmp_path):
    if programs() is None:
        pytest.skip(f"PostgreSQL's programs are not installed: {PROGRAMS} has no initdb")
    program("redis-server")
    settings = Settings(seed=1, nodes=3, faults=FAULTS, games=FAULTS // 10, at_once=6, limit=240)
    report = await run_nodes(settings, tmp_path)
    print(*report.lines(), sep="\n")
    assert [str(violation) for violation in report.violations] == []
    assert [*report.shortfalls()] == []
    assert report.taken_over, "no game was taken over"
