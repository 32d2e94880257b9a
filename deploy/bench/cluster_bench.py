"""What a move costs one, two and three servers of a cluster at the same offered load.

The servers share the processors that are not the players', a PostgreSQL database (a schema of its
own) and Redis. White and Black of every game are at different servers, if there are several: of all
games between players who come anywhere, (N - 1) / N are. Processor time is what counts: the
speed-up is a model, what N servers on a core each would move if they cost there what they cost
here. See README.md here.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import CONFIG, POSTGRES, schema
from players import Load, Players
from processes import allow_connections, server, worked

from ulci_server.storage import migrate

REDIS = "ULCI_TEST_REDIS_URL"

SETTLED = 3.0
"""s of the games before anything is measured: all servers know each other by then."""

TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Result:
    """Of so many servers: s of processor time for 1,000 moves, and the latency in ms."""

    nodes: int
    load: Load
    servers: float
    redis: float
    postgres: float

    def line(self, alone: "Result") -> str:
        latencies = sorted(self.load.latencies)
        p50, p99 = (1000 * latencies[int(share * (len(latencies) - 1))] for share in (0.5, 0.99))
        speed_up = self.nodes * alone.servers / self.servers
        rate = self.load.moves / self.load.seconds
        costs = f"{self.servers:>7.3f}  {self.redis:>5.3f}  {self.postgres:>8.3f}"
        return f"{self.nodes:>7}  {rate:>7.0f}  {costs}  {p50:>6.2f}  {p99:>6.2f}  {speed_up:>8.2f}"


HEAD = (
    "                    CPU s for 1,000 moves             latency    speed-up\n"
    "servers  moves/s  servers  Redis  Postgres  p50 ms  p99 ms   (model)"
)


def processes(name: str) -> Iterator[Path]:
    """What /proc knows of the programs of that name."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text().strip() == name:
                yield folder
        except OSError:
            continue  # it has ended


def spent(name: str) -> float:
    """s of processor time of all programs of that name."""
    ticks = 0
    for folder in processes(name):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICK


def measure(nodes: int, options: argparse.Namespace, database: str) -> Result:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        config = Path(folder) / "bench.toml"
        config.write_text(CONFIG.format(database=database, durability="power"))
        ports, pids = [], []
        for number in range(nodes):
            name = f"bench-{nodes}-{number}"
            argv = [sys.executable, "-m", "ulci_server.cli", "serve", "--config", str(config)]
            argv += ["--cluster", options.cluster, "--name", name]
            port, pid = stack.enter_context(server(argv, options.server_cpu))
            ports.append(port)
            pids.append(pid)
        players = Players(ports, options.pairs, bare=False, think=options.think, spread=1.0)
        stack.callback(players.close)
        players.run(SETTLED)

        def clocks() -> list[float]:
            return [sum(map(worked, pids)), spent("redis-server"), spent("postgres")]

        load, used = measured(players, options.seconds, clocks)
        return Result(nodes, load, *(1000 * seconds / load.moves for seconds in used))


def measured(
    players: Players, seconds: float, clocks: Callable[[], list[float]]
) -> tuple[Load, list[float]]:
    """The games for that long, and what the clocks went on meanwhile. The players warm up again
    for half of it; both parts count for the moves that they made."""
    before = clocks()
    load = players.run(seconds)
    used = [after - then for after, then in zip(clocks(), before, strict=True)]
    return load, [share / 1.5 for share in used]


def parsed(argv: Sequence[str] | None = None) -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--pairs", type=int, default=150, help="games")
    options.add_argument("--think", type=float, default=0.5, help="s a move, on average")
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--server-cpu", type=int, default=0)
    options.add_argument("--database", default=os.environ.get(POSTGRES), help="of PostgreSQL")
    options.add_argument("--cluster", default=os.environ.get(REDIS), help="the URL of Redis")
    given = options.parse_args(argv)
    if not given.database or not given.cluster:
        options.error(f"--database and --cluster are needed, or {POSTGRES} and {REDIS}")
    return given


def main() -> None:
    options = parsed()
    allow_connections()
    results: list[Result] = []
    for nodes in options.nodes:
        with schema(options.database) as database:
            migrate(database)
            print(f"{nodes} servers", file=sys.stderr, flush=True)
            results.append(measure(nodes, options, database))
    print(HEAD)
    for result in results:
        print(result.line(results[0]))


if __name__ == "__main__":
    main()
