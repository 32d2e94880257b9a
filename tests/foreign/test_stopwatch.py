"""The stopwatch changes nothing of what an engine and its line say to each other."""

import subprocess
import sys

from tests.foreign import stopwatch
from tests.support.servers import PATIENCE

ENGINE = """
import sys
for line in sys.stdin:
    print("heard", line.strip(), flush=True)
    if line.startswith("go"):
        print("info depth 1", "bestmove e2e4 ponder e7e5", sep=chr(10), flush=True)
    if line.startswith("quit"):
        break
"""


def test_everything_is_passed_on_and_every_move_is_timed(tmp_path):
    log = tmp_path / "log"
    argv = [sys.executable, stopwatch.__file__, str(log), sys.executable, "-c", ENGINE]
    said = ["ucinewgame", "position startpos", "go depth 1", "position startpos moves a b", "go"]
    done = subprocess.run(
        argv,
        input="".join(f"{line}\n" for line in [*said, "quit"]),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    told = done.stdout.splitlines()
    assert [line for line in told if line.startswith("heard")] == [
        f"heard {line}" for line in [*said, "quit"]
    ]
    assert told.count("bestmove e2e4 ponder e7e5") == 2
    timed = [line.split() for line in log.read_text().splitlines()]
    moves = [(game, move) for game, _, move, _ in timed]
    assert moves.count(("1", "e2e4")) == moves.count(("1", "-")) == 2
    assert all(int(spent) >= 0 for *_, spent in timed)
