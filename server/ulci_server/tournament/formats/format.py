"""What each format decides, and what it answers."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from msgspec import Struct

from ulci_server.statistics import Hypothesis
from ulci_server.tournament.course import CoursePoint
from ulci_server.tournament.records import Pairing
from ulci_server.tournament.state import State


class PairingRequest(Struct, frozen=True):
    """What is to be paired now. `new`: what is decided already. `slow`: a round of a Swiss, which
    `Tournament.prepared` describes and a worker process pairs; all below is of that description.
    `swiss`: a report in FIDE's format TRF16. `entrants`: by their numbers in it, from 1. The games
    of the encounters follow `new`."""

    new: tuple[Pairing, ...] = ()
    slow: bool = False
    round: int = 0
    swiss: str = ""
    entrants: tuple[int, ...] = ()
    games: int = 1
    swap: bool = True
    first_number: int = 1


class Ties(Struct, frozen=True):
    """How entrants are ranked: by points, then by these figures. `rank`: more is better."""

    points: float
    figures: tuple[float, ...] = ()
    note: str = ""


class Format(Protocol):
    """Of one tournament. `names`: of the figures that break ties. pairs_here: it pairs those who
    are here and free. late_entry: whether one may enter after the first round has begun."""

    names: ClassVar[tuple[str, ...]]
    pairs_here: ClassVar[bool]
    late_entry: ClassVar[bool]

    def __init__(self, state: State) -> None: ...

    def pair(self, at: float, free: Mapping[int, int]) -> PairingRequest | None:
        """What is to be paired at that time (s since the tournament began), with these entrants
        free for so many games."""
        ...

    def is_over(self, at: float) -> bool:
        """Whether no more is paired. Games may still be on."""
        ...

    def wakes_at(self) -> float | None:
        """When (s) something may be due without an event; None: never."""
        ...

    def ties(self) -> Mapping[int, Ties]:
        """By entrant."""
        ...

    @property
    def most_games(self) -> int | None:
        """How many games there will be at most; None: nobody knows."""
        ...

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of its test; 0.0 without one."""
        ...

    @property
    def accepted(self) -> Hypothesis | None:
        """What its test has accepted."""
        ...

    @property
    def course(self) -> Sequence[CoursePoint]:
        """How the figures of its test changed."""
        ...


class Untested:
    """A format without a test."""

    course: Sequence[CoursePoint] = ()
    llr: float = 0.0
    accepted: Hypothesis | None = None


def ranked(ties: Mapping[int, Ties]) -> Sequence[tuple[int, Ties, int]]:
    """Entrants from the first on, each with its rank; equal ones share a rank."""
    order = sorted(ties.items(), key=lambda one: (-one[1].points, *map(_down, one[1].figures)))
    found: list[tuple[int, Ties, int]] = []
    for place, (entrant, its) in enumerate(order, 1):
        equal = bool(found) and (found[-1][1].points, found[-1][1].figures) == (
            its.points,
            its.figures,
        )
        found.append((entrant, its, found[-1][2] if equal else place))
    return found


def _down(figure: float) -> float:
    return -figure
