"""The bench plays rows of every kind against a real server and against the bare relay."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.databases import POSTGRES
from tests.support.redis_servers import redis_url
from tests.support.servers import PATIENCE, require_services
from ulci.protocol.lobby.commands import ROWS

__all__ = ["redis_url"]

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
    done = bench(*SMALL, "--only", "full", "plain", "msgpack", "liberty", "start", "idle")
    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    names = ["TCP", "plain lines", "msgpack", "Liberty", "3 games begin"]
    assert len(table) == len(names) + 1
    for name, line in zip(names, table, strict=False):
        _, found, figures = line.partition(f"{name} ")
        assert found, line
        assert float(figures.split()[0]) > 0, line
        assert float(figures.split()[1]) > 0, line
    assert table[-1].startswith("memory of an idle connection")


@pytest.mark.system
@pytest.mark.slow
def test_other_programs_can_have_its_players_play_at_their_servers(tmp_path: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(BENCH)!r})
import bench
config = {str(tmp_path / "bench.toml")!r}
with open(config, "w") as file:
    file.write(bench.CONFIG.format(database="memory:", durability="power"))
relay = [sys.executable, "-m", "ulci_server.cli", "serve", "--config", config]
bare = [sys.executable, {str(BENCH / "bare_relay.py")!r}]
for argv in (relay, bare):
    with bench.server(argv, 0) as (port, pid):
        print(bench.play(port, 2, 0.2, bare=argv is bare).moves)
"""
    played = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    assert all(int(moves) > 0 for moves in played.stdout.split())
    assert len(played.stdout.split()) == 2


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


@pytest.mark.system
@pytest.mark.slow
def test_the_bus_has_figures_beside_those_of_a_bare_stream(redis_url: str) -> None:
    brief = ("--rounds", "1", "--seconds", "0.3", "--rates", "500", "--redis", redis_url)
    done = bench(*brief, program="bus_bench.py")
    assert done.returncode == 0, done.stderr
    _, _, line = done.stdout.splitlines()
    assert line.startswith("500 messages/s ")
    figures = [float(figure) for figure in line.removeprefix("500 messages/s").split()]
    assert len(figures) == 15
    assert min(figures[3:]) > 0  # those of sending are less what another process took


@pytest.mark.system
@pytest.mark.slow
def test_batches_of_a_cluster_have_figures_beside_those_of_a_lone_server() -> None:
    if not os.environ.get(POSTGRES):
        pytest.skip(f"{POSTGRES} is not set")
    done = bench("--batches", "3", program="fence_bench.py")
    assert done.returncode == 0, done.stderr
    _, _, *lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "8", "64", "256"]
    assert all(float(figure) > 0 for line in lines for figure in line.split())


@pytest.mark.system
@pytest.mark.slow
def test_a_move_has_its_cost_at_one_server_and_at_several() -> None:
    require_services()
    few = ("--nodes", "1", "2", "--pairs", "2", "--rates", "40", "--seconds", "1")
    done = bench(*few, "--crossing", "1", program="cluster_bench.py")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()[2:]]
    assert [(line[0], line[3]) for line in lines] == [("1", "0%"), ("2", "100%")]
    assert [line[-1] for line in lines] == ["1.00", "-"]  # nothing was offered half as much
    for _, offered, made, _, servers, redis, postgres, *waits, in_all, _ in lines:
        assert offered == "40"
        assert all(float(figure) > 0 for figure in (made, servers, postgres, in_all))
        assert float(redis) >= 0
        assert [wait == "-" for wait in waits].count(True) == 1


def test_every_command_of_players_is_among_the_dearest_lines() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(BENCH)!r})
import dearest_lines
print(*dearest_lines.LINES, sep=", ")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = {name.split()[0] for name in done.stdout.strip().split(", ")}
    assert {row.word for row in ROWS} <= listed


@pytest.mark.system
@pytest.mark.slow
def test_a_match_has_its_cost_beside_another_runner_and_the_bare_relay(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} -m ulci_server.cli match "$@"\n')
    other.chmod(0o755)
    few = ("--boards", "1", "2", "--games", "2", "--seconds", "0.2")
    done = bench(*few, "--runner", str(other), program="match_bench.py")
    assert done.returncode == 0, done.stderr
    names = {"ulci-server match": "ours", "bare relay": "bare"}
    for name, word in names.items():
        done.stdout = done.stdout.replace(name, word)
    found = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[:2] for row in found] == [
        [boards, name] for boards in "12" for name in ("ours", "other", "bare")
    ]
    assert all(float(figure) > 0 for row in found for figure in row[2:5])
    assert [len(row) for row in found] == [6, 5, 5] * 2  # the longest step of ours


@pytest.mark.slow
def test_the_cost_of_tournaments_is_measured() -> None:
    asked = "--swiss", "8", "--rounds", "2", "--arena", "8", "--minutes", "1"
    done = bench(*asked, program="pairing_bench.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Swiss of 8: ") == 6
    assert done.stdout.count("arena of 8: ") == 2
