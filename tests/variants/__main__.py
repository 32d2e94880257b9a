"""Every chess-like game beside its reference, python-chess:

    python -m tests.variants --plies 1000000 --seed 1

plays random games of each, with and without claims, from their starts and from positions with few
men, with takebacks. After every ply the two must agree on outcome and reason, on draws that may be
claimed, on who is to move, position, legal moves and notation. It prints one table and each
difference with the moves that lead to it, and ends with 1 if there is any.

A bounded part runs with the tests.
"""

import sys

import click

from .random_games import compare
from .reference import KINDS


@click.command(help=(__doc__ or "").partition("\n\n")[0])
@click.option("--plies", default=100_000, show_default=True, help="Of all games together.")
@click.option("--seed", default=1, show_default=True, help="Of the random moves.")
@click.option("--game", "games", multiple=True, type=click.Choice([*KINDS]), help="Only these.")
def main(plies: int, seed: int, games: tuple[str, ...]) -> None:
    chosen = games or tuple(KINDS)
    differences = []
    print(f"{'game':14}{'games':>8}{'plies':>10}{'differ':>8}  ends")
    for game in chosen:
        tally = compare(game, plies // len(chosen), seed)
        ends = ", ".join(f"{many} {end}" for end, many in tally.ends.most_common())
        numbers = f"{tally.games:8}{tally.plies:10}{len(tally.differences):8}"
        print(f"{game:14}{numbers}  {ends}", flush=True)
        differences += tally.differences
    for difference in differences:
        print(difference)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
