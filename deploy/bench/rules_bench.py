"""What judging a move costs: is it legal, and was it the end? Median microseconds a ply.

Games are made at random beforehand and then only judged. `liberty` and python-chess judge the same
standard games in turns, in the same run: quote the ratio, not the number.
"""

import argparse
import random
import statistics
import time
from collections.abc import Sequence

from ulci.rules import GAMES, Rules

LIBERTY, CHESS = GAMES["liberty"], GAMES["chess"]
Game = Sequence[str]


def random_games(rules: Rules, start: str | None, games: int, plies: int, seed: int) -> list[Game]:
    rng = random.Random(seed)
    made: list[Game] = []
    for _ in range(games):
        position = rules.new(start)
        while position.outcome() is None and len(position.moves) < plies:
            position.play_untrusted(rng.choice(position.legal_moves()))
        made.append(position.moves)
    return made


def judge(rules: Rules, start: str | None, game: Game) -> list[float]:
    """Microseconds of every ply. Ends where the rules differ: in chess no two bishops take what
    stands between them, so there a game may be over that in Liberty Chess goes on."""
    position = rules.new(start)
    spent = []
    for move in game:
        began = time.perf_counter_ns()
        position.play_untrusted(move)
        spent.append((time.perf_counter_ns() - began) / 1000)
    return spent


def report(name: str, spent: list[float]) -> float:
    median = statistics.median(spent)
    worst = statistics.quantiles(spent, n=100)[-1]
    print(f"{name:<16} {median:7.1f} µs median {worst:8.1f} µs 99th of 100 {len(spent):8} plies")
    return median


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--plies", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shape = (options.games, options.plies, options.seed)

    wide: list[float] = []
    for game in random_games(LIBERTY, LIBERTY.named["liberty"], *shape):
        wide += judge(LIBERTY, LIBERTY.named["liberty"], game)
    report("liberty 12x12", wide)

    ours: list[float] = []
    theirs: list[float] = []
    for game in random_games(CHESS, None, *shape):
        ours += judge(LIBERTY, None, game)
        theirs += judge(CHESS, None, game)
    median = report("liberty 8x8", ours)
    reference = report("python-chess 8x8", theirs)
    print(f"liberty / python-chess on the same standard games: {median / reference:.2f}")


if __name__ == "__main__":
    main()
