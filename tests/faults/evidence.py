"""What passed on the lines of those whom a violation concerns, beside what befell servers, for who
looks for its cause."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import inf
from pathlib import Path

from .invariants import Chronicle, Trouble, Violation
from .record import Wire

AROUND = 15.0
"""Seconds of it before and after a game."""


def write_evidence(
    path: Path,
    chronicle: Chronicle,
    troubles: Sequence[Trouble],
    violations: Sequence[Violation],
    ahead: float,
) -> None:
    """`ahead`: s by which the clock of the servers' logs is ahead of that of the lines."""
    with path.open("w") as file:
        for violation in violations:
            file.write(f"\n{violation}\n")
            names = {violation.client.partition(" ")[0]}
            for story in chronicle.stories.values():
                if story.game == violation.game:
                    names.update(story.names)
            times = [
                event.at
                for story in chronicle.stories.values()
                if story.game == violation.game
                for events in story.told.values()
                for event in events
            ]
            wires = [(name, wire) for name in names for wire in chronicle.by_owner.get(name, ())]
            found = [*_troubles(troubles)]
            for name, wire in wires:
                found += _passed(name, wire)
            for at, text in sorted(found):
                if not times or min(times) - AROUND < at < max(times) + AROUND:
                    if at == inf:
                        continue
                    moment = datetime.fromtimestamp(at + ahead, UTC)
                    file.write(f"{moment:%H:%M:%S.%f} {text}\n")


def _troubles(troubles: Sequence[Trouble]) -> Iterator[tuple[float, str]]:
    for trouble in troubles:
        yield trouble.since, f"---- {trouble.kind} {trouble.server}"
        yield trouble.until, f"---- {trouble.kind} {trouble.server} is over"


def _passed(name: str, wire: Wire) -> Iterator[tuple[float, str]]:
    label = f"{name} {wire.server} {id(wire) % 10_000:04}"
    yield wire.opened, f"{label} opened"
    yield wire.closed, f"{label} closed"
    yield wire.hung_up, f"{label} the server hung up"
    for fault in wire.faults:
        yield fault.since, f"{label} fault {fault.kind} until {fault.until - fault.since:.3f} s on"
    for line in wire.told:
        yield line.at, f"{label} < {line.text[:60]} … {line.text[-30:]}"
    for line in wire.heard:
        yield line.at, f"{label} > {line.text}"
