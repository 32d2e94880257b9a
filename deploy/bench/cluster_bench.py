"""What a move costs one, two and three servers of a cluster, at several loads, and with several
shares of games that cross: whose players are at different servers.

It starts a PostgreSQL and a Redis of its own. The servers share the processors that are not the
players'. Processor time is what counts: the speed-up is a model, what N servers on a core each
would move if they cost there what they cost here. See README.md here.
"""

import argparse
import os
import signal
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import CONFIG
from players import Load, Players
from processes import allow_connections, leave_to_server, server, worked

from ulci_server.cli.cluster.services import ServiceUrls, start_services
from ulci_server.cli.demo.programs import Programs
from ulci_server.storage import migrate

SETTLED = 1.0
"""s of the games before anything is measured, and half of it before: all servers know each other by
then."""

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Case:
    """So many servers, to which `rate` moves a second are offered, and the share of games that
    cross."""

    nodes: int
    rate: float
    crossing: float


@dataclass(frozen=True, slots=True)
class Result:
    """What was seen of a case: s of processor time for 1,000 moves."""

    case: Case
    load: Load
    servers: float
    redis: float
    postgres: float

    def line(self, alone: Mapping[float, "Result"]) -> str:
        """`alone`: one server, by the load offered to it."""
        case, load = self.case, self.load
        crossed = len(load.crossing) / load.moves
        costs = f"{self.servers:>7.3f}  {self.redis:>5.3f}  {self.postgres:>8.3f}"
        waits = f"{p50(load.latencies):>7}  {p50(load.crossing):>8}"
        models = [
            f"{case.nodes * alone[rate].servers / self.servers:.2f}" if rate in alone else "-"
            for rate in (case.rate, case.rate / case.nodes)
        ]
        model = "".join(f"{speed_up:>9}" for speed_up in models)
        seen = f"{load.moves / load.seconds:>7.0f}  {crossed:>8.0%}"
        return f"{case.nodes:>7}  {case.rate:>7.0f}  {seen}  {costs}  {waits}  {model}"


HEAD = (
    "               moves/s     moves    CPU s for 1,000 moves           p50 ms   speed-up (model),"
    " load the same\n"
    "servers  offered     made  crossing  servers  Redis  Postgres    local  crossing    in all"
    " a server"
)


def p50(latencies: Sequence[float]) -> str:
    """In ms; nothing where nothing was measured."""
    return f"{1000 * statistics.median(latencies):.2f}" if latencies else "-"


def started(name: str) -> list[int]:
    """The programs of that name that this one has started, and what they have started."""
    parents: dict[int, int] = {}
    ours: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            head, _, rest = (folder / "stat").read_text().rpartition(")")
        except OSError:
            continue  # it has ended
        pid, parents[int(folder.name)] = int(folder.name), int(rest.split()[1])
        if parents[pid] == os.getpid() and head.partition("(")[2] == name:
            ours.append(pid)
    return [*ours, *(pid for pid, parent in parents.items() if parent in ours)]


def measure(case: Case, services: ServiceUrls, options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        config = Path(folder) / "bench.toml"
        config.write_text(CONFIG.format(database=services.database, durability="power"))
        ports, pids = [], []
        for number in range(case.nodes):
            argv = [sys.executable, "-m", "ulci_server.cli", "serve", "--config", str(config)]
            argv += ["--cluster", services.bus, "--name", f"bench-{os.getpid()}-{number}"]
            port, pid = stack.enter_context(server(argv, options.server_cpu))
            ports.append(port)
            pids.append(pid)
        players = Players(
            [*seats(ports, options.pairs, case.crossing)],
            options.pairs,
            bare=False,
            think=options.pairs / case.rate,
            spread=1.0,
            one_by_one=True,
        )
        stack.callback(players.close)
        players.run(SETTLED)
        watched = (pids, started("redis-server"), started("postgres"))

        def clocks() -> list[float]:
            return [sum(map(worked, of_one)) for of_one in watched]

        before = clocks()
        load = players.run(options.seconds)
        # The players warm up again for half of the time; both parts count for the moves.
        moves = 1.5 * load.moves / 1000
        used = [(after - then) / moves for after, then in zip(clocks(), before, strict=True)]
        return Result(case, load, *used)


def seats(ports: Sequence[int], pairs: int, crossing: float) -> Iterator[int]:
    """The servers of White and Black of each game in turn, of which that share crosses."""
    crossed = 0
    for number in range(pairs):
        white = ports[number % len(ports)]
        crosses = crossed < crossing * (number + 1) - 0.5
        crossed += crosses
        yield white
        yield ports[(number + 1) % len(ports)] if crosses else white


def cases(options: argparse.Namespace) -> Iterator[Case]:
    for rate in options.rates:
        for nodes in options.nodes:
            for share in options.crossing if nodes > 1 else (0.0,):
                yield Case(nodes, rate, share)


def parsed() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--rates", type=float, nargs="+", default=[200, 400, 600], help="moves/s")
    options.add_argument("--crossing", type=float, nargs="+", default=[0, 0.5, 1], help="shares")
    options.add_argument("--pairs", type=int, default=100, help="games")
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--server-cpu", type=int, default=0)
    return options.parse_args()


def main() -> None:
    options = parsed()
    allow_connections()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # the services end, too
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ulci-bench-"))
        services = start_services(Programs(Path(folder), DAY), stack)
        migrate(services.database)
        leave_to_server(options.server_cpu)
        alone: dict[float, Result] = {}
        print(HEAD, flush=True)
        for case in cases(options):
            result = measure(case, services, options)
            if case.nodes == 1:
                alone[case.rate] = result
            print(result.line(alone), flush=True)


if __name__ == "__main__":
    main()
