"""What is asked of a run, and what became of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from .house import Means
from .invariants import Violation, charged


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

    def lines(self) -> Iterator[str]:
        """A table for people."""
        yield f"seed {self.settings.seed}, {self.settings.database}, {self.seconds:.0f} s"
        yield f"{'faults injected':<32}{self.faults.total():>8}"
        for kind, number in self.faults.most_common():
            yield f"    {kind:<28}{number:>8}"
        yield f"{'games':<32}{self.results.total():>8}"
        for reason, number in self.results.most_common():
            yield f"    {reason:<28}{number:>8}"
        yield f"{'moves':<32}{self.moves:>8}"
        yield f"{'lines dialled':<32}{self.calls:>8}"
        yield f"{'violations':<32}{len(self.violations):>8}"
        for kind, number in Counter(v.kind for v in self.violations).most_common():
            yield f"    {kind:<28}{number:>8}"
        if self.unexplained:
            yield f"{'charged beyond its use':<32}{charged(self.unexplained)}"
        if self.means is not None:
            before, after = self.means
            yield f"{'memory, kB':<32}{before.resident:>8} -> {after.resident}"
            yield f"{'files open':<32}{before.files:>8} -> {after.files}"
