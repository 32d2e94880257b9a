"""What the dearest lines of a guest cost everybody else.

A guest (or ten, from ten addresses) says one line again and again, as fast as the server takes it,
beside four games of others; a crowd of people is in the lobby. Each line is measured against the
same games just before it. See README.md here.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from crowd import crowd
from dearest_lines import LINES
from measured_server import Server, served
from players import Players
from processes import HERE, allow_connections, leave_to_server, resident

CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0" }, { address = "ws://127.0.0.1:0" }]

[database]
url = "sqlite:///{folder}/dearest.db"
durability = "process"

[limits]
exempt = ["127.0.0.1/32"]

[log]
level = "warning"

[[pool]]
name = "bench"
game = "chess"
time = "600+10"

[[pool]]
name = "liberty"
game = "liberty"

[[pool]]
name = "chess960"
game = "chess960"
"""

ENGINES = """
[[engine]]
name = "Flood"
command = ["{python}", "{here}/instant_engine.py", "flood"]

[[engine]]
name = "Instant"
command = ["{python}", "{here}/instant_engine.py", "e2e4"]
idle = 0.1
"""

PAIRS = 4
VIEWERS = {"viewers, cold": "cold", "viewers, warm": "warm"}
"""Rows beside those of `LINES`: how `viewers.py` is to look."""

PLAYED = {"engine, floods": ("Flood", "long"), "engine, starts": ("Instant", "short")}
"""Rows of engines of the server: which, and how `engine_guest.py` plays it."""

THINK = 0.02
"""s a move of the others, who play about 300 moves/s."""


Program = Sequence[str]


def guests(server: Server, transport: str, name: str, number: int) -> list[Program]:
    """Those who say one line."""
    here, program = str(server.ports[transport]), str(HERE / "hostile_guest.py")
    return [(program, here, transport, f"127.0.0.{at + 2}", name) for at in range(number)]


def viewers(server: Server, name: str) -> list[Program]:
    """A thousand who look at a game, as `VIEWERS` says."""
    ports = (str(server.ports["tcp"]), str(server.ports["ws"]))
    return [(str(HERE / "viewers.py"), *ports, VIEWERS[name])]


def of_engine(server: Server, name: str) -> list[Program]:
    """Somebody who plays an engine of the server, as `PLAYED` says."""
    return [(str(HERE / "engine_guest.py"), str(server.ports["tcp"]), *PLAYED[name])]


class Hostile:
    """Those whose cost is measured: processes of their own."""

    def __init__(self, name: str, programs: Sequence[Program]) -> None:
        self._processes = [
            subprocess.Popen(
                [sys.executable, *program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for program in programs
        ]
        for process in self._processes:
            assert process.stdout is not None
            if process.stdout.readline().strip() != "ready":
                self.close()
                raise SystemExit(f"{name} could not be prepared")

    def begin(self) -> None:
        for process in self._processes:
            self._tell(process)

    def end(self) -> tuple[int, int, str]:
        """How often they said it and were cut off, and the last words that they heard."""
        said = cuts = 0
        words = ""
        for process in self._processes:
            self._tell(process)
        for process in self._processes:
            assert process.stdout is not None
            one, other, last = (process.stdout.readline().strip() + "  ").split(" ", 2)
            said, cuts, words = said + int(one or 0), cuts + int(other or 0), last.strip() or words
        self.close()
        return said, cuts, words

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()

    @staticmethod
    def _tell(process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


@dataclass(frozen=True, slots=True)
class Seen:
    """Of one line. Latencies of the others' moves in ms, (median, 99th of 100)."""

    said: float  # a second
    cost: float  # µs of the server's processor time for each
    share: float  # of that processor, beyond what the others' games take
    step: float  # ms, the longest; of viewers the longest turn, as each has a task of its own
    quiet: tuple[float, float]
    beside: tuple[float, float]
    cuts: int
    words: str


def latencies(players: Players, seconds: float) -> tuple[tuple[float, float], float]:
    load = players.run(seconds)
    cuts = statistics.quantiles(load.latencies, n=100)
    return (1000 * cuts[49], 1000 * cuts[98]), load.seconds


def measure(
    server: Server, name: str, programs: Sequence[Program], options: argparse.Namespace
) -> Seen:
    hostile = Hostile(name, programs)
    others = Players((server.ports["tcp"],), PAIRS, bare=False, think=THINK)
    try:
        began = server.worked()
        quiet, lasted = latencies(others, options.seconds)
        usual = (server.worked() - began) / (1.5 * lasted)
        server.longest_step()
        began, at = server.worked(), time.monotonic()
        hostile.begin()
        beside, _ = latencies(others, options.seconds)
        said, cuts, words = hostile.end()
        lasted = time.monotonic() - at
        worked = server.worked() - began - usual * lasted
        step = server.longest_step()
    finally:
        others.close()
    cost = worked / said * 1e6 if said else 0.0
    held = step.turn if name in VIEWERS else step.ms
    return Seen(said / lasted, cost, worked / lasted, held, quiet, beside, cuts, words)


HEAD = f"{'line':28}{'over':>5}{'said/s':>9}{'µs each':>9}{'CPU %':>7}{'step ms':>9}" + (
    f"{'p50 ms':>8}{'ratio':>7}{'p99 ms':>8}{'more':>7}  cut off"
)


def row(name: str, transport: str, seen: Seen) -> str:
    figures = (
        f"{seen.said:9.0f}{seen.cost:9.0f}{100 * seen.share:7.0f}{seen.step:9.1f}"
        f"{seen.beside[0]:8.2f}{seen.beside[0] / seen.quiet[0]:7.2f}"
        f"{seen.beside[1]:8.1f}{seen.beside[1] - seen.quiet[1]:7.1f}"
    )
    cut = f"  {seen.cuts} times: {seen.words}" if seen.cuts else ""
    return f"{name:28}{transport:>5}{figures}{cut}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    rows = [*LINES, *VIEWERS, *PLAYED]
    parser.add_argument("lines", nargs="*", help=f"which; default: all of {', '.join(rows)}")
    parser.add_argument("--guests", type=int, default=1, help="who say it, each from an address")
    parser.add_argument("--crowd", type=int, default=500, help="people in the lobby")
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement")
    parser.add_argument("--transport", choices=("tcp", "ws"), help="default: both")
    parser.add_argument("--server-cpu", type=int, default=0)
    options = parser.parse_args()
    if unknown := {*options.lines} - {*rows}:
        parser.error(f"no such lines: {', '.join(sorted(unknown))}")
    leave_to_server(options.server_cpu)
    allow_connections()
    with ExitStack() as stack:
        engines = ENGINES.format(python=sys.executable, here=HERE)
        server = stack.enter_context(served(CONFIG + engines, options.server_cpu))
        if options.crowd:
            stack.enter_context(crowd(server.ports["tcp"], options.crowd))
        print(f"{options.guests} of {options.crowd} people in the lobby say it")
        print(HEAD)
        for name in options.lines or rows:
            over = ("tcp",) if name in PLAYED else ("ws",)
            for transport in LINES[name].transports if name in LINES else over:
                if options.transport not in (None, transport):
                    continue
                if name in LINES:
                    programs = guests(server, transport, name, options.guests)
                else:
                    programs = (viewers if name in VIEWERS else of_engine)(server, name)
                print(row(name, transport, measure(server, name, programs, options)), flush=True)
        print(f"memory of the server: {resident(server.process.pid) / 1000:.0f} MB")


if __name__ == "__main__":
    main()
