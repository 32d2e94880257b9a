"""What those who watch a game cost its two players: latency of their moves without and with them.

The same players on the same server in the same run, by turns, with everybody connected all the
time; the difference is that the others watch. Quote the ratio. See README.md here.
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

from bench import CONFIG, HERE, server
from players import Players


class Crowd:
    """Those who watch, when told to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._hear()

    def watch(self, game: int) -> int:
        """All of them watch that game from now on; the bytes that they were sent until then."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{game}\n")
        self._process.stdin.flush()
        return int(self._hear())

    def _hear(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("those who watch are gone")
        return line


@contextmanager
def crowd(port: int, number: int) -> Iterator[Crowd]:
    argv = [sys.executable, str(HERE / "crowd.py"), str(port), str(number)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Crowd(process)
    finally:
        process.kill()
        process.communicate()


def measure(port: int, options: argparse.Namespace) -> tuple[list[float], list[float], float]:
    """Latencies in s without and with those who watch, and the MB that these were sent."""
    alone: list[float] = []
    watched: list[float] = []
    sent = 0
    with crowd(port, options.watchers) as everybody:
        for turn in range(2 * options.turns):
            players = Players(port, 1, bare=False, think=options.think)
            try:
                players.run(options.seconds / 4)  # the game begins
                if turn % 2:
                    everybody.watch(turn + 1)
                load = players.run(options.seconds)
                if turn % 2:
                    sent += everybody.watch(turn + 1)
            finally:
                players.close()
            (watched if turn % 2 else alone).extend(load.latencies)
    return alone, watched, sent / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=2000, help="of one game")
    parser.add_argument("--turns", type=int, default=3, help="with and without, each so often")
    parser.add_argument("--seconds", type=float, default=6, help="of each turn")
    parser.add_argument("--think", type=float, default=0.1, help="s a move")
    parser.add_argument("--server-cpu", type=int, default=0)
    options = parser.parse_args()
    others = os.sched_getaffinity(0) - {options.server_cpu}
    os.sched_setaffinity(0, others or {options.server_cpu})
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bench.toml"
        database = f"sqlite:///{folder}/bench.db"
        config.write_text(CONFIG.format(database=database, durability="power"))
        argv = [sys.executable, "-m", "ulci_server.cli", "serve", "--config", str(config)]
        with server(argv, options.server_cpu) as (port, _):
            alone, watched, sent = measure(port, options)
    print(f"{options.watchers} watchers, {len(alone)} and {len(watched)} moves, {sent:.0f} MB told")
    print(f"{'':28}{'watched':>12}{'alone':>12}{'ratio':>8}")
    cuts = [statistics.quantiles(some, n=100) for some in (watched, alone)]
    for percent in (50, 99):
        one, other = (1000 * cut[percent - 1] for cut in cuts)
        print(f"{f'p{percent} of a relayed move, ms':28}{one:12.2f}{other:12.2f}{one / other:8.2f}")


if __name__ == "__main__":
    main()
