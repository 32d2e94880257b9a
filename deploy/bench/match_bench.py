"""What a match costs beside the thinking of its engines: ms and CPU ms a ply of ``ulci-server
match``, of another match runner with the same command line, and of the bare relay.

The engines answer at once, so that all that is measured is the runner, the engines' own reading and
writing, and the pipes between them. See README.md here.
"""

import argparse
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import chess
from bench import play
from processes import HERE, server, worked
from watched_server import LONGEST

MOVES = 60
"""Of each side in a game, which then is drawn."""

PLIES = 2 * MOVES

OURS, BARE = "ulci-server match", "bare relay"


@dataclass(frozen=True, slots=True)
class Cost:
    """ms: from one ply of a game to its next. cpu_ms: of the runner's process, all threads."""

    plies: float  # a second, in all games together
    ms: float
    cpu_ms: float


def long_game(seed: int = 7) -> str:
    """A game of so many plies that no rule ends before."""
    chance = random.Random(seed)
    while True:
        board, moves = chess.Board(), []
        while len(moves) < PLIES and not board.is_game_over(claim_draw=True):
            moves.append(chance.choice([*board.legal_moves]))
            board.push(moves[-1])
        if len(moves) == PLIES and not board.is_game_over(claim_draw=True):
            return " ".join(move.uci() for move in moves)


def nothing(_: "subprocess.Popen[str]") -> None:
    """Nobody marks the span that is measured."""


def of_runner(
    runner: Sequence[str],
    boards: int,
    games: int,
    *,
    errors: TextIO | None = None,
    mark: Callable[["subprocess.Popen[str]"], object] = nothing,
) -> Cost:
    """Of so many games after the first of each board has ended; `mark` is called when that begins
    and when it ends. errors: where the runner's standard error goes."""
    engine = [f"cmd={sys.executable}", f'args={HERE / "instant_engine.py"} "{long_game()}"']
    words = [
        *("-engine", "name=A", *engine, "-engine", "name=B", *engine, "-each", "tc=60+1"),
        *("-maxmoves", str(MOVES), "-rounds", str((games + 2 * boards + 1) // 2)),
        *("-concurrency", str(boards), "-force-concurrency", "-ratinginterval", "0"),
        *("-pgnout", "file=games.pgn"),
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [*runner, *words], cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        assert process.stdout is not None
        said, ended = [], 0
        began = first = 0.0
        cost: Cost | None = None
        for line in process.stdout:
            said.append(line)
            if not line.startswith("Finished game"):
                continue
            ended += 1
            now, spent = time.monotonic(), worked(process.pid)
            if ended == boards:
                began, first = now, spent
                mark(process)
            elif ended == boards + games:
                plies = PLIES * games
                mark(process)
                lasted = now - began
                cost = Cost(
                    plies / lasted, 1000 * lasted * boards / plies, 1000 * (spent - first) / plies
                )
    if cost is None:
        raise SystemExit(f"{' '.join(runner)} ended too soon:\n{''.join(said)}")
    return cost


def longest_step(boards: int, games: int) -> float:
    """ms that a task of ``ulci-server match`` kept all others waiting, under an instrument."""
    watched = [sys.executable, str(HERE / "watched_server.py"), "match"]
    with tempfile.TemporaryFile("w+") as errors:
        of_runner(
            watched,
            boards,
            games,
            errors=errors,
            mark=lambda process: process.send_signal(signal.SIGUSR1),
        )
        errors.seek(0)
        return float(re.findall(rf"{LONGEST} (\S+) ms", errors.read())[-1])


def of_bare_relay(boards: int, seconds: float) -> Cost:
    """Of as many pairs of players on TCP, whose lines are passed on as they are."""
    with server([sys.executable, str(HERE / "bare_relay.py")], 0) as (port, pid):
        before = worked(pid)
        load = play(port, boards, seconds, bare=True)
        spent = worked(pid) - before
    moves = load.moves * 1.5  # with those of the warm-up
    return Cost(
        load.moves / load.seconds, 1000 * load.seconds * boards / load.moves, 1000 * spent / moves
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, nargs="+", default=[1, 2, 8], help="games at once")
    parser.add_argument("--games", type=int, default=40, help="that are measured in each row")
    parser.add_argument("--seconds", type=float, default=3, help="of the bare relay")
    parser.add_argument("--runner", type=Path, help="another match runner, for the same games")
    options = parser.parse_args()
    runners = {OURS: [sys.executable, "-m", "ulci_server.cli", "match"]}
    if options.runner is not None:
        runners[options.runner.name] = [str(options.runner.resolve())]
    columns = f"{'plies/s':>9}{'ms a ply':>10}{'CPU ms a ply':>14}{'step ms':>9}"
    print(f"{'games at once':13}  {'runner':20}{columns}")
    for boards in options.boards:
        costs = {name: of_runner(argv, boards, options.games) for name, argv in runners.items()}
        costs[BARE] = of_bare_relay(boards, options.seconds)
        step = f"{longest_step(boards, options.games):9.1f}"
        for name, cost in costs.items():
            figures = f"{cost.plies:9.0f}{cost.ms:10.3f}{cost.cpu_ms:14.3f}"
            print(f"{boards:13}  {name:20}{figures}{step if name == OURS else ''}", flush=True)


if __name__ == "__main__":
    main()
