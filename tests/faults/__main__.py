"""Faults by the thousand: what lines, disks and processes suffer, and what must hold after it.

    python -m tests.faults --seed 1 --faults 10000 --games 1000

prints one table, every violation with its evidence, and whatever there was less of than asked for;
it ends with 1 if there is any of either.

A server plays with quick players, who also offer draws, take back, give time, watch each other, and
of whom some have accounts. Their lines are delayed, cut, reset and swallowed by a proxy (`proxy`);
the server is killed, stopped, restarted and starved of its disk, and the machine's clock is set
(`run`); with ``--database cluster`` a PostgreSQL is killed, stopped and restarted under it, too.
Then a share of the games, 20 of each at most, is played by engines behind bridges that are killed
and stopped, and under referees to whom the same is done (`engines`), while the server is killed.

What must hold after it is in `invariants`: no move that anybody was told of is missing or doubled,
every result has its cause, nobody paid for what was not thinking, the record agrees with itself,
nothing is leaked, and every error in the log is one that was to be expected.

With ``--nodes 3`` it is a cluster of so many servers instead, with a PostgreSQL and a Redis of its
own: servers are killed, stopped and ended, their lines to both are cut, and both are restarted
(`nodes`). It is told for how long the games of a server paused to which that was done.

Beside it: `test_clock` sets the machine's clock while games run; `bullet`, `restart`, `rolling` and
`churn` are commands of their own. All of it runs with the tests, bounded; ULCI_TEST_FAULTS=10000
makes them longer.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import trio

from .databases import programs
from .engines import run_engines, run_referees
from .nodes import run_nodes
from .record import now
from .report import Report, Settings, table
from .run import run

SHOWN = 30
"""Violations of one kind that are printed; the table counts them all."""

SHARE = 25
"""One game of so many is played by engines, and another one under referees."""

SHARE_BOUNDS = (2, 20)
"""At least and at most so many games are: engines take their time."""

DEEDS = 3
"""What is done to engines, or to referees, a game."""

PHASES = {"players": run, "engines": run_engines, "referees": run_referees}

CLUSTER = "cluster"
"""The phase that is alone."""


def plan(asked: Settings, phases: Sequence[str]) -> dict[str, Settings]:
    """What is asked of each phase: all games of one that is alone."""
    least, most = SHARE_BOUNDS
    small = asked.games // len(phases)
    if "players" in phases:
        small = max(least, min(most, asked.games // SHARE))
    planned = {}
    for number, phase in enumerate(phases):
        games = asked.games - small * (len(phases) - 1) if number == 0 else small
        faults = asked.faults if phase in ("players", CLUSTER) else DEEDS * games
        planned[phase] = replace(asked, games=max(1, games), faults=faults)
    return planned


def perform(asked: Settings, phases: Sequence[str], folder: Path) -> list[Report]:
    """One phase after the other, until the limit of them all; what became of each."""
    end = now() + asked.limit
    reports = []
    for phase, planned in plan(asked, phases).items():
        left = end - now()
        if left <= 0 and reports:
            reports.append(Report(planned, phase=phase))
            continue
        place = folder / phase
        place.mkdir()
        reports.append(trio.run(PHASES.get(phase, run_nodes), replace(planned, limit=left), place))
    return reports


@click.command(help=__doc__)
@click.option("--seed", default=1, show_default=True, help="All chance comes from it.")
@click.option("--faults", default=10_000, show_default=True, help="How many to inject at least.")
@click.option("--games", default=1000, show_default=True, help="How many to play at least.")
@click.option("--at-once", default=50, show_default=True, help="Games at the same time.")
@click.option("--time", default="10+0.1", show_default=True, help="The players' time control.")
@click.option("--mishaps", default=0.06, show_default=True, help="Mishaps of the server, a game.")
@click.option(
    "--only", multiple=True, help="Only these mishaps: kill, freeze, …; of a cluster also: lines."
)
@click.option("--nodes", default=0, help="Servers of a cluster, to which all is done instead.")
@click.option(
    "--every", default=2.0, show_default=True, help="s between mishaps of a cluster's servers."
)
@click.option("--limit", default=3600.0, show_default=True, help="s until it stops in any case.")
@click.option(
    "--database",
    type=click.Choice(["sqlite", "postgres", "cluster"]),
    default="sqlite",
    show_default=True,
    help="postgres: a schema at ULCI_TEST_POSTGRES_URL; cluster: a PostgreSQL of our own.",
)
@click.option(
    "--phase",
    "phases",
    type=click.Choice([*PHASES]),
    multiple=True,
    help="Only this; may be given again.  [default: all]",
)
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for databases and logs.")
def main(keep: Path | None, phases: tuple[str, ...], **asked: object) -> None:
    settings = Settings(**asked)
    if settings.database == "cluster" and programs() is None:
        raise click.UsageError("PostgreSQL's programs are not installed")
    with tempfile.TemporaryDirectory(prefix="ulci-faults-") as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        chosen = [p for p in PHASES if p in (phases or PHASES)]
        if settings.nodes:
            settings, chosen = replace(settings, database=CLUSTER), [CLUSTER]
        reports = perform(settings, chosen, folder)
    failed = False
    shown: Counter[str] = Counter()
    for violation in (v for report in reports for v in report.violations):
        failed = True
        shown[violation.kind] += 1
        if shown[violation.kind] <= SHOWN:
            print(violation)
    print(*table(reports), sep="\n")
    for sentence in (s for report in reports for s in report.shortfalls()):
        failed = True
        print(sentence)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
