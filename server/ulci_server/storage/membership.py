"""Which servers live. Pure: what the database says is looked at, and who stands still is named.

A server beats its row in the database with every commit, and every `BEAT` s. A beat that stood
still for `STANDS` s of the looker's own clock, and for `LOOKS` looks, is what gets a server fenced:
never a time that another machine wrote down. To fence a server that lives is never wrong, as it
finds out with its next commit: its players only wait.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from .records import RunState

BEAT = 0.4
"""Seconds between two looks."""

STANDS = 1.5
"""Seconds for which a beat has to stand still: a slow disk is often back by then."""

STANDS_DEAF = 0.7
"""The same for a server whose end of the bus is gone, too: a commit may take 0.3 s longer than
usual."""

BEAT_DEAF = 0.15
"""Seconds between two looks while there is such a server."""

LOOKS = 3
"""Looks that have to find the same beat: one late look of a looker that was paused itself is not
enough."""


@dataclass(slots=True)
class _Seen:
    beat: int
    since: float
    looks: int = 1


class Membership:
    """As one server, `run`, sees it."""

    def __init__(self, run: int) -> None:
        self.run = run
        self.living: dict[int, RunState] = {}
        """All servers that may write, the oldest first; this one, too."""
        self._seen: dict[int, _Seen] = {}
        self._deaf: set[int] = set()

    @property
    def pause(self) -> float:
        """Seconds until the next look."""
        return BEAT_DEAF if self._deaf else BEAT

    @property
    def lobby(self) -> int:
        """The server that hosts the lobby: the oldest that lives and does not drain."""
        return next(iter(self.staying or self.living), 0)

    @property
    def staying(self) -> list[int]:
        """The servers that live and do not drain, the oldest first."""
        return [run for run, state in self.living.items() if not state.draining]

    @property
    def owners(self) -> list[int]:
        """Those of them that may be given games."""
        return [run for run in self.staying if self.living[run].owns]

    @property
    def has_successor(self) -> bool:
        """Whether another server stays, and can go on with what this one does."""
        return any(run != self.run for run in self.staying)

    def look(self, states: Iterable[RunState], at: float) -> tuple[list[int], dict[int, float]]:
        """What the database says at `at` (s). Returns the servers that are new, and those that
        have gone, with when each had beaten last (s)."""
        living = {state.id: state for state in states}
        new = [run for run in living if run not in self.living and run != self.run]
        gone = {run: self._seen[run].since for run in self.living if run not in living}
        self.living = living
        for run in gone:
            self._seen.pop(run, None)
            self._deaf.discard(run)
        for run, state in living.items():
            seen = self._seen.get(run)
            if seen is None or seen.beat != state.beat:
                self._seen[run] = _Seen(state.beat, at)
            else:
                seen.looks += 1
        return new, gone

    def is_deaf(self, run: int) -> None:
        """Its end of the bus is gone."""
        if run in self.living:
            self._deaf.add(run)

    def hears(self, run: int) -> None:
        """Something came from it: it is not deaf."""
        self._deaf.discard(run)

    def standing(self, at: float) -> list[RunState]:
        """The servers whose beat has stood still for too long at `at` (s): fence them."""
        return [
            self.living[run]
            for run, seen in self._seen.items()
            if run != self.run and seen.looks >= LOOKS and at - seen.since >= self._limit(run)
        ]

    def _limit(self, run: int) -> float:
        return STANDS_DEAF if run in self._deaf else STANDS
