"""What is asked of a run, and what became of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .house import Means
from .invariants import Violation, charged

UNPLAYED = ("aborted", "server", "running")
"""What becomes of games that nobody brought to an end: they do not count as played."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked for."""

    seed: int = 1
    games: int = 1000
    faults: int = 10_000
    at_once: int = 50
    time: str = "10+0.1"
    database: str = "sqlite"
    mishaps: float = 0.06
    """Things done to the server itself, a game."""
    only: tuple[str, ...] = ()
    """Of all mishaps only these."""
    nodes: int = 0
    """Servers of a cluster; 0: one server alone."""
    every: float = 2.0
    """Seconds from one mishap of a cluster's servers to the next, on average."""
    limit: float = 1500.0
    """s after which no more games are begun."""

    @property
    def clock(self) -> tuple[int, int]:
        """ms at the beginning, and more after every move."""
        base, _, increment = self.time.partition("+")
        return round(1000 * float(base)), round(1000 * float(increment or 0))


@dataclass
class Report:
    """What became of it."""

    settings: Settings
    faults: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    moves: int = 0
    calls: int = 0
    seconds: float = 0.0
    means: tuple[Means, Means] | None = None
    unexplained: list[float] = field(default_factory=list)
    phase: str = "players"
    """Who played."""
    pauses: dict[str, list[float]] = field(default_factory=dict)
    """Seconds until the next move of a game whose owner was killed, frozen and so on, by kind."""
    taken_over: int = 0
    """How often a game got another owner."""
    due: Counter[str] = field(default_factory=Counter)
    """Of some faults, how many of each kind there had to be."""

    @property
    def played(self) -> int:
        """Games that came to an end of their own."""
        return self.results.total() - sum(self.results[reason] for reason in UNPLAYED)

    def shortfalls(self) -> Iterator[str]:
        """Sentences about everything of which there was less than was asked for."""
        done = {"faults": self.faults.total(), "games": self.played}
        asked = {"faults": self.settings.faults, "games": self.settings.games}
        for kind in self.due:
            done[f"faults of the kind {kind}"] = self.faults[kind]
            asked[f"faults of the kind {kind}"] = self.due[kind]
        for what, number in asked.items():
            if done[what] < number:
                yield f"{self.phase}: only {done[what]} of {number} {what}"

    def lines(self) -> Iterator[str]:
        """A table for people, of this alone."""
        return table([self])


def table(reports: Sequence[Report]) -> Iterator[str]:
    """One for people: a column for each phase, and their sums."""
    asked = reports[0].settings
    seconds = sum(report.seconds for report in reports)
    heads = [report.phase for report in reports] + ["sum"] * (len(reports) > 1)
    title = f"seed {asked.seed}, {asked.database}, {seconds:.0f} s"
    yield f"{title:<32}" + "".join(f"{head:>11}" for head in heads)
    yield from _section("faults injected", [report.faults for report in reports])
    yield from _section("games", [report.results for report in reports])
    yield _row("moves", [report.moves for report in reports])
    yield _row("lines dialled", [report.calls for report in reports])
    yield from _section(
        "violations", [Counter(v.kind for v in report.violations) for report in reports]
    )
    for report in reports:
        for what, text in _measured(report).items():
            yield f"{f'{report.phase}, {what}':<48}{text}"


def _section(title: str, counted: Sequence[Counter[str]]) -> Iterator[str]:
    """How many there are, and how many of each kind, the most common first."""
    yield _row(title, [one.total() for one in counted])
    for kind, _ in sum(counted, Counter()).most_common():
        yield _row(f"    {kind}", [one[kind] for one in counted])


def _row(title: str, numbers: Sequence[int]) -> str:
    sums = [sum(numbers)] * (len(numbers) > 1)
    return f"{title:<32}" + "".join(f"{number:>11}" for number in [*numbers, *sums])


def _measured(report: Report) -> Mapping[str, str]:
    rows = {}
    if report.unexplained:
        rows["charged beyond its use"] = charged(report.unexplained)
    if report.taken_over:
        rows["games taken over"] = f"{report.taken_over}"
    for kind, pauses in report.pauses.items():
        middle, most = sorted(pauses)[len(pauses) // 2], sorted(pauses)[len(pauses) * 99 // 100]
        rows[f"pause by {kind}, s"] = f"{middle:.2f} (p99 {most:.2f}, of {len(pauses)} games)"
    if report.means is not None:
        before, after = report.means
        rows["memory, kB"] = f"{before.resident} -> {after.resident}"
        rows["files open"] = f"{before.files} -> {after.files}"
    return rows
