"""What was said on a line, and to which state of a game does it belong?"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.faults.record import Wire
from ulci_server.game import Happened

from .history import State


class Event(NamedTuple):
    """A line that matters to a game. `moves`: those that had been told on that line before, or with
    it. `bound`: of an answer when it was handed over, of a question when it came at the earliest.
    """

    at: float
    what: str
    wire: Wire
    moves: tuple[str, ...]
    words: tuple[str, ...]
    bound: float = 0.0

    @property
    def ply(self) -> int:
        return len(self.moves)


class Places:
    """A line is told of states in their order, and a line that is new of none that anybody was told
    to be past before it was opened. `lost`: what tells of no state that it may tell of."""

    def __init__(self, states: Sequence[State], told: Iterable[Sequence[Event]]) -> None:
        self.lost: list[Event] = []
        self._states = states
        self._by_moves: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, state in enumerate(states):
            self._by_moves[state.moves].append(number)
        self._of: dict[int, int] = {}
        self._lines: dict[Wire, int] = {}
        self._reached: tuple[list[float], list[int]] = ([], [])
        for event in sorted((e for events in told for e in events), key=lambda e: e.at):
            self._place(event)

    def of(self, event: Event) -> int | None:
        """The number of the state; None if it tells of none."""
        return self._of.get(id(event))

    def reached(self, before: float) -> int:
        """The last state of which somebody was told before that time."""
        times, places = self._reached
        known = bisect_left(times, before)
        return places[known - 1] if known else 0

    def _place(self, event: Event) -> None:
        since = self._since(event)
        if event.what not in ("position", "taken back"):
            if self._states[since].moves == event.moves:
                self._of[id(event)] = since
            return
        place = self._next(event, since)
        if place is None:
            self.lost.append(event)
            return
        self._of[id(event)] = self._lines[event.wire] = place
        times, places = self._reached
        times.append(event.at)
        places.append(max(place, places[-1] if places else 0))

    def _since(self, event: Event) -> int:
        """Which state the event may tell of at the earliest. A new line of a server that knows less
        than others may begin with what they were told to be past."""
        wire = event.wire
        if wire in self._lines:
            return self._lines[wire]
        since = self.reached(wire.opened)
        if event.what == "position":
            if self._next(event, since) is None:
                since = self.reached(wire.as_of)
            self._lines[wire] = since
        return since

    def _next(self, event: Event, since: int) -> int | None:
        """Where the event may belong at the earliest."""
        if event.what == "position":
            return next((n for n in self._by_moves.get(event.moves, ()) if n >= since), None)
        for number, state in enumerate(self._states[since:], since):
            if isinstance(state.step, Happened) and event.words == (str(len(state.moves)),):
                return number
        return None
