"""Whole matches of what Debian has, unconfigured, at a server of ours on this machine.

    python -m tests.foreign --games 100 --time 1+0.01

plays Stockfish against itself by two plain socat lines and by two bridges, so many games each; a
tenth of that with each other engine, by each other line and proxy, and in every variant but atomic;
and a game in each GUI. python-chess judges every game, and a stopwatch at the engine how much
longer than it thought its clock ran. One table, then every complaint; it ends with 1 if there is
any:

* a game that python-chess reads, ends, or clocks otherwise than the record;
* a loss on time, unless the engine's own thinking was longer than its clock allowed;
* more than 2 ms a ply, in the median, charged beyond thinking;
* plies played by a clock of which the stopwatch saw too few to say so;
* by plain lines less or more thinking a ply than by the bridge, by a tenth.

The machine should have nothing else to do. All of it also runs with the tests, a game or two each,
without the figures.
"""

import sys
import tempfile
import time as clock
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import click
import trio

from tests.foreign.courses import GUIS, Course, play, play_in_gui, ratio
from tests.foreign.judge import Verdict
from tests.foreign.programs import BRIDGE, ENGINES, VARIANTS, WAYS

SHARE = 10
"""One of so many games is played on each of the smaller courses."""

MOST_BEYOND = 2.0
"""ms a ply, in the median: what a line on one machine may cost."""

TIMED = 0.9
"""The share of plies that must have been timed before figures of them say anything."""

SAME = 0.1
"""By how much thinking may differ between plain lines and the bridge."""

FISH = ("stockfish", "stockfish")

PLAIN_COURSE, BRIDGE_COURSE = Course("plain lines", FISH), Course("bridges", FISH, BRIDGE)


def small_courses() -> Iterator[Course]:
    for name in ENGINES:
        if name != "stockfish":
            yield Course(f"against {name}", ("stockfish", name))
    for name, way in WAYS.items():
        if name not in ("socat", "bridge"):
            yield Course(name, FISH, way)
    for name in VARIANTS:
        yield Course(name, ("fairy-stockfish", "fairy-stockfish"), game=name)


def figures(name: str, verdict: Verdict) -> Iterator[str]:
    """What is wrong with them."""
    if lost := verdict.flags - verdict.oversteps:
        yield f"{name}: {lost} games were lost on time that the engine had not used"
    if verdict.median_beyond > MOST_BEYOND:
        yield f"{name}: {verdict.median_beyond:.2f} ms a ply are charged beyond thinking"
    if len(verdict.beyond) < TIMED * verdict.clocked:
        yield f"{name}: only {len(verdict.beyond)} of {verdict.clocked} plies were timed"


def row(name: str, verdict: Verdict) -> str:
    """A line of the table."""
    return (
        f"{name:<42} {verdict.games:>5} {verdict.plies:>6} {verdict.flags:>5}"
        f" {verdict.oversteps:>5} {verdict.mean_thought:>8.2f} {verdict.median_beyond:>7.2f}"
        f" {verdict.worst_beyond:>7.1f}"
    )


HEAD = (
    f"{'':<42} {'games':>5} {'plies':>6} {'flags':>5} {'own':>5} {'thought':>8} {'beyond':>7}"
    f" {'p99':>7}"
)


@click.command(help=__doc__)
@click.option("--games", default=100, show_default=True, help="Of each of the two large courses.")
@click.option("--time", default="1+0.01", show_default=True, help="The time control.")
@click.option("--only", multiple=True, help="Only the courses whose names contain this.")
def main(games: int, time: str, only: tuple[str, ...]) -> None:
    wrong: list[str] = []
    small = max(1, games // SHARE)
    planned = [(PLAIN_COURSE, games), (BRIDGE_COURSE, games)]
    planned += [(course, small) for course in small_courses()]
    seen: dict[str, Verdict] = {}
    print(HEAD)
    with tempfile.TemporaryDirectory(prefix="ulci-foreign-") as temporary:
        for number, (course, count) in enumerate(planned):
            if not _chosen(course.name, only):
                continue
            (folder := Path(temporary, str(number))).mkdir()
            verdict = _judged(play, course, time, count, folder)
            seen[course.name] = verdict
            print(row(course.name, verdict), flush=True)
            wrong += [f"{course.name}: {text}" for text in verdict.complaints]
            wrong += figures(course.name, verdict)
        for gui in GUIS.values():
            if not _chosen(gui.name, only):
                continue
            (folder := Path(temporary, f"gui{clock.monotonic_ns()}")).mkdir()
            verdict = _judged(play_in_gui, gui, folder)
            print(row(gui.name, verdict), flush=True)
            wrong += [f"{gui.name}: {text}" for text in verdict.complaints]
    plain, bridge = (seen.get(course.name, Verdict()) for course in (PLAIN_COURSE, BRIDGE_COURSE))
    if plain.thought and bridge.thought:
        share = ratio(plain, bridge)
        print(f"thinking a ply by plain lines: {share:.3f} of that by the bridges")
        if not 1 - SAME <= share <= 1 + SAME:
            wrong.append(f"plain lines: thinking a ply is {share:.3f} of the bridges'")
    print("own: flags that fell while the engine itself thought; thought, beyond: ms a ply")
    for text in wrong or ["nothing is wrong"]:
        print(text)
    sys.exit(1 if wrong else 0)


def _judged(course: Callable[..., Awaitable[Verdict]], *arguments: object) -> Verdict:
    """A course that does not come to its end is a complaint, and the next one begins."""
    try:
        return trio.run(course, *arguments)
    except AssertionError as error:
        return Verdict(complaints=[str(error)])


def _chosen(name: str, only: tuple[str, ...]) -> bool:
    return not only or any(part in name for part in only)


if __name__ == "__main__":
    main()
