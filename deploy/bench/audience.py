"""What those who look on cost the players of one game: nobody, people of the lobby, event streams.

Every round plays it before each audience in turn. Quote the ratios, not the numbers. README.md here
says what was seen.
"""

import argparse
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bench import ONE_GAME, THINKING, Games, watched
from processes import allow_connections, leave_to_server
from results_table import Measured, median

NOBODY = "nobody"
COLUMNS = ("CPU µs a move", "p50 ms", "p99 ms")


def games(people: int) -> Mapping[str, Games]:
    """By the audience."""
    rows = {row.name.removeprefix("1 game, "): row for row in watched(people)}
    return {NOBODY: Games("watched", "1 game", 1, think=ONE_GAME), **rows}


def measured(options: Namespace) -> Mapping[str, Measured]:
    """The medians of all rounds, by the audience."""
    seen: dict[str, list[Measured]] = {}
    for number in range(options.rounds):
        for name, game in games(options.watchers).items():
            print(f"round {number + 1} of {options.rounds}: {name}", file=sys.stderr, flush=True)
            seen.setdefault(name, []).append(game.measure(options, bare=False))
    return {name: median(rounds) for name, rounds in seen.items()}


def table(found: Mapping[str, Measured]) -> Iterator[str]:
    """Each figure beside that without an audience, and that with people who watch in the lobby."""
    watching = next(name for name in found if name.endswith(" watching"))
    yield f"{'':24}" + "".join(f"{name:>32}" for name in COLUMNS)
    yield f"{'audience':24}" + f"{'':>12}{'/nobody':>10}{'/watching':>10}" * len(COLUMNS)
    for name, seen in found.items():
        yield f"{name:24}" + "".join(
            _cell([each.figures[column] for each in (seen, found[NOBODY], found[watching])])
            for column in COLUMNS
        )


def _cell(figures: Sequence[float]) -> str:
    value, nobody, watching = figures
    return f"{value:12.2f}{value / nobody:10.2f}{value / watching:10.2f}"


def parsed() -> Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="of all audiences; their medians are told")
    add("--seconds", type=float, default=5, help=f"of each, times {THINKING:g}")
    add("--watchers", type=int, default=2000, help="in each audience")
    add("--durability", default="power", choices=("power", "process"))
    add("--server-cpu", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    allow_connections()
    leave_to_server(options.server_cpu)
    print("\n".join(table(measured(options))))


if __name__ == "__main__":
    main()
