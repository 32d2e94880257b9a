"""Faults by the thousand: what lines, disks and processes suffer, and what must hold after it.

    python -m tests.faults --seed 1 --faults 10000 --games 1000

prints a table and every violation with its evidence, and ends with 1 if there is one.

A server plays with quick players, who also offer draws, take back, give time, watch each other, and
of whom some have accounts. Their lines are delayed, cut, reset and swallowed by a proxy (`proxy`);
the server is killed, stopped, restarted and starved of its disk, and the machine's clock is set
(`run`). What must hold after it is in `invariants`: no move that anybody was told of is missing or
doubled, every result has its cause, nobody paid for what was not thinking, the record agrees with
itself, nothing is leaked, and every error in the log is one that was to be expected.

Beside it: `engines` does the same to engines behind bridges and to referees, `test_clock` to the
machine's clock while games run; `bullet` and `restart` are commands of their own. All of it runs
with the tests, bounded; ULCI_TEST_FAULTS=10000 makes them longer.
"""

import sys
import tempfile
from pathlib import Path

import click
import trio

from .report import Settings
from .run import run

SHOWN = 30
"""Violations of one kind that are printed; the table counts them all."""


@click.command(help=__doc__)
@click.option("--seed", default=1, show_default=True, help="All chance comes from it.")
@click.option("--faults", default=10_000, show_default=True, help="How many to inject at least.")
@click.option("--games", default=1000, show_default=True, help="How many to play at least.")
@click.option("--at-once", default=50, show_default=True, help="Games at the same time.")
@click.option("--time", default="10+0.1", show_default=True, help="The time control.")
@click.option("--mishaps", default=0.06, show_default=True, help="Mishaps of the server, a game.")
@click.option("--only", multiple=True, help="Only these mishaps: kill, restart, freeze, …")
@click.option("--limit", default=1500.0, show_default=True, help="s until it stops in any case.")
@click.option(
    "--database",
    type=click.Choice(["sqlite", "postgres", "cluster"]),
    default="sqlite",
    show_default=True,
    help="postgres: a schema at ULCI_TEST_POSTGRES_URL; cluster: a PostgreSQL of our own.",
)
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for database and log.")
def main(keep: Path | None, **asked: object) -> None:
    with tempfile.TemporaryDirectory(prefix="ulci-faults-") as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        report = trio.run(run, Settings(**asked), folder)
    shown: dict[str, int] = {}
    for violation in report.violations:
        shown[violation.kind] = shown.get(violation.kind, 0) + 1
        if shown[violation.kind] <= SHOWN:
            print(violation)
    print(*report.lines(), sep="\n")
    sys.exit(1 if report.violations else 0)


if __name__ == "__main__":
    main()
