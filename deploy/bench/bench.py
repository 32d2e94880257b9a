"""What the relay costs: moves a second, latency of a relayed move, memory of an idle connection.

Every figure stands beside the same figure of a bare Trio line relay, measured in the same run on
the same processors: quote the ratio, not the number. See README.md here.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from players import Load, Players, idle_connections

HERE = Path(__file__).parent

CONFIG = """
listen = [{{ address = "tcp://127.0.0.1:0" }}]

[database]
url = "{database}"
durability = "{durability}"

[play]
claims = true

[log]
level = "warning"

[[pool]]
name = "bench"
game = "chess"
time = "600+10"
"""


@contextmanager
def server(argv: list[str], cpu: int) -> Iterator[tuple[int, int]]:
    """A server on one processor: its port, which it prints first, and its process id."""
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        os.sched_setaffinity(process.pid, {cpu})
        assert process.stdout is not None
        for line in process.stdout:
            digits = line.strip().rpartition(":")[2].partition(" ")[0]
            if digits.isdecimal():
                yield int(digits), process.pid
                return
        raise SystemExit(f"{argv} said no port")
    finally:
        process.terminate()
        process.communicate(timeout=60)


def resident(pid: int) -> float:
    """kB of resident memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.partition("VmRSS:")[2].split()[0])


def play(port: int, pairs: int, seconds: float, *, bare: bool, think: float = 0.0) -> Load:
    players = Players(port, pairs, bare=bare, think=think)
    try:
        return players.run(seconds)
    finally:
        players.close()


def measure(argv: list[str], options: argparse.Namespace, *, bare: bool) -> dict[str, float]:
    with server(argv, options.server_cpu) as (port, pid):
        full = play(port, options.pairs, options.seconds, bare=bare)
        quiet = play(port, options.quiet_pairs, options.seconds, bare=bare, think=options.think)
    with server(argv, options.server_cpu) as (port, pid):
        before = resident(pid)
        idle = idle_connections(port, options.idle, bare=bare)
        memory = (resident(pid) - before) / options.idle
        for sock in idle:
            sock.close()
    cuts = statistics.quantiles(quiet.latencies, n=100)
    return {
        "moves/s, one core": full.moves / full.seconds,
        "p50 of a relayed move, ms": 1000 * cuts[49],
        "p99 of a relayed move, ms": 1000 * cuts[98],
        "kB per idle connection": memory,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=64, help="games at once at full load")
    parser.add_argument("--quiet-pairs", type=int, default=16, help="games at once for latency")
    parser.add_argument("--think", type=float, default=0.02, help="s a move for latency")
    parser.add_argument("--idle", type=int, default=500, help="idle connections")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--durability", default="power", choices=("power", "process"))
    parser.add_argument("--database", help="URL; default: SQLite in a temporary folder")
    parser.add_argument("--server-cpu", type=int, default=0)
    options = parser.parse_args()
    others = os.sched_getaffinity(0) - {options.server_cpu}
    os.sched_setaffinity(0, others or {options.server_cpu})
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bench.toml"
        database = options.database or f"sqlite:///{folder}/bench.db"
        config.write_text(CONFIG.format(database=database, durability=options.durability))
        bare = measure([sys.executable, str(HERE / "bare_relay.py")], options, bare=True)
        argv = [sys.executable, "-m", "ulci_server.cli", "serve", "--config", str(config)]
        relay = measure(argv, options, bare=False)
    print(f"{'':28}{'relay':>12}{'bare relay':>12}{'ratio':>8}")
    for name, value in relay.items():
        print(f"{name:28}{value:12.2f}{bare[name]:12.2f}{value / bare[name]:8.2f}")


if __name__ == "__main__":
    main()
