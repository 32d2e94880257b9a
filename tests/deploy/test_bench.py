"""The bench plays rows of every kind against a real server and against the bare relay."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.databases import POSTGRES
from tests.support.servers import PATIENCE

BENCH = Path(__file__).parents[2] / "deploy" / "bench"

BRIEF = ("--seconds", "0.2", "--durability", "process")
SMALL = (*BRIEF, "--pairs", "2", "--start", "3", "--idle", "5")
"""Of everything, so much that there is a figure."""


def bench(*argv: str, program: str = "bench.py") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(BENCH / program), *argv],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


@pytest.mark.system
@pytest.mark.slow
def test_rows_of_every_kind_have_figures_of_ours_and_of_the_bare_relay() -> None:
    done = bench(*SMALL, "--only", "full", "msgpack", "liberty", "start", "idle")
    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    names = ["TCP", "msgpack", "Liberty", "3 games begin"]
    assert len(table) == len(names) + 1
    for name, line in zip(names, table, strict=False):
        _, found, figures = line.partition(f"{name} ")
        assert found, line
        assert float(figures.split()[0]) > 0, line
        assert float(figures.split()[1]) > 0, line
    assert table[-1].startswith("memory of an idle connection")


@pytest.mark.system
@pytest.mark.slow
def test_every_audience_has_figures_beside_those_of_none_and_of_people_who_watch() -> None:
    done = bench(*BRIEF, "--rounds", "1", "--watchers", "3", program="audience.py")
    assert done.returncode == 0, done.stderr
    head, _, *lines = done.stdout.splitlines()
    assert head.split() == ["CPU", "µs", "a", "move", "p50", "ms", "p99", "ms"]
    audiences = ["nobody", "3 idle", "3 watching", "3 event streams"]
    for name, line in zip(audiences, lines, strict=True):
        assert line.startswith(f"{name} ")
        figures = [float(figure) for figure in line.removeprefix(name).split()]
        assert len(figures) == 9
        assert min(figures) > 0


@pytest.mark.system
@pytest.mark.slow
def test_games_are_kept_in_postgresql_too() -> None:
    if not os.environ.get(POSTGRES):
        pytest.skip(f"{POSTGRES} is not set")
    done = bench(*SMALL, "--only", "postgres")
    assert done.returncode == 0, done.stderr
    assert "2 pairs, PostgreSQL" in done.stdout
