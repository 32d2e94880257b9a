"""Does a server keep what it no longer needs? Files, threads, children, memory, and rows in SQL."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from tests.faults.house import Busy, Means
from tests.faults.record import Wire

from .chronicle import Violation

FILES = 10
"""Files by which one may have more than lines: some are just being opened or closed."""

THREADS = 8
"""Threads more: they are made when they are needed."""

WARM = 20_000
"""kB by which it may grow, however short it lives: statements and pages that it has needed, and
what waits for a full collection of garbage, of which there are few."""

MEMORY = 6_000
"""kB of that in the second half of its games."""

A_GAME = 20
"""kB more for every game, of which much is not kept: names, and games to be looked up again."""

A_LINE = 2
"""Tasks that a connection has at most."""

CHORES = 10
"""Tasks that wait for the database, or for a connection that is just coming or going."""

GLANCE = 2.0
"""s in which a server is looked at, at the beginning and at the end of its life."""


class Sample(NamedTuple):
    """A server at some moment. `games`: how many had been played until then, by all servers.
    `started`: when its process was."""

    at: float
    pid: int
    means: Means
    games: int
    started: float = 0.0


def leaks(
    samples: Sequence[Sample], wires: Sequence[Wire], readers: int = 0
) -> Iterator[Violation]:
    """Of each server that lived in a run. `readers`: connections that reading SQL may open."""
    lives: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        lives[sample.pid].append(sample)
    for life in lives.values():
        first, last = life[0], life[-1]
        games = last.games - first.games
        half = next(sample for sample in life if 2 * (sample.games - first.games) >= games)
        rest = last.games - half.games
        files = _files(life, wires)
        bounds = (
            ("files without a line", *files, FILES + readers),
            ("threads", first.means.threads, last.means.threads, THREADS),
            ("children", first.means.children, last.means.children, 0),
            ("kB", first.means.resident, last.means.resident, WARM + A_GAME * games),
            ("kB at half", half.means.resident, last.means.resident, MEMORY + A_GAME * rest),
        )
        for what, was, is_now, more in bounds:
            if is_now > was + more:
                span = f"{last.at - first.at:.0f} s and {games} games"
                yield Violation("leak", 0, "", f"{what}: {was}, and {is_now} after {span}")


def _files(life: Sequence[Sample], wires: Sequence[Wire]) -> tuple[int, int]:
    """Without those of lines that were open: at the beginning of a life, and at its end. A line
    may be counted a moment before its file or after it; the fewest of a while are meant. One that
    was opened before the server started, and whose end was lost on the way, led to an earlier."""
    begin, end = life[0].at + GLANCE, life[-1].at - GLANCE
    own = [wire for wire in wires if wire.opened >= life[0].started]
    rest = [(s.at, s.means.files - _open(own, s.at)) for s in life]
    early = [files for at, files in rest if at <= begin]
    late = [files for at, files in rest if at >= end]
    # Right after a start lines wait that the server has not accepted yet.
    return max(0, *early), min(late)


def _open(wires: Sequence[Wire], at: float) -> int:
    return sum(wire.opened <= at < wire.closed for wire in wires)


def tasks_left(idle: Busy | None, seen: Sequence[Busy], last: Busy | None) -> Iterator[Violation]:
    """Of a server, when nobody had come yet, meanwhile, and when all had gone. Who has a socket may
    have tasks, introduced or not: at the beginning of a run all introduce themselves at once."""
    if idle is None or last is None or idle.connections != last.connections:
        yield Violation("leak", 0, "", f"tasks were not counted at rest: {idle}, {last}")
        return
    if last.tasks > idle.tasks:
        yield Violation("leak", 0, "", f"tasks: {idle.tasks}, and {last.tasks} when all had gone")
    for busy in seen:
        most = idle.tasks + A_LINE * max(0, busy.sockets - idle.sockets) + CHORES
        if busy.tasks > most:
            text = f"tasks: {idle.tasks}, and {busy.tasks} with {busy.sockets} sockets"
            yield Violation("leak", 0, "", text)
            return


_COUNTED = ("players", "tokens", "bans", "runs")


def rows(url: str) -> dict[str, int]:
    """How many there are in the tables that do not grow with the games."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return {
            name: connection.execute(
                sa.select(sa.func.count()).select_from(sa.table(name))
            ).scalar_one()
            for name in _COUNTED
        }


def rows_left(found: Mapping[str, int], expected: Mapping[str, int]) -> Iterator[Violation]:
    for name, number in found.items():
        if number != expected.get(name, 0):
            text = f"{number} rows in {name}, not {expected.get(name, 0)}"
            yield Violation("leak", 0, "", text)
