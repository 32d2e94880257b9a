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


class Unheard(NamedTuple):
    """The owner of a game had died or was cut off, from `since` on, and it had not been heard again
    everywhere, nor the next owner, before `until`."""

    since: float
    until: float


FEED_LAG = 0.25
"""s by which an owner tells other servers' watchers later than players, on a busy machine."""


class Places:
    """A line is told of states in their order, and a line that is new of none that anybody was told
    to be past before it was opened.

    With one exception, for who begins to watch at another server than the owner's. The owner tells
    players first, and some of them by their own sockets. If it dies before it has told the servers
    of watchers, these know less, and cannot know that: nothing that they could have heard says
    whether the owner has told a player more, and to ask it would cost a round trip for each who
    watches. So the line may begin with what was told up to `FEED_LAG` before that moment, until the
    next owner is heard; but never with less than anybody was told at that server before.

    `lost`: what tells of no state that it may tell of. watched: what watchers were told. unheard:
    when owners were not heard.
    """

    def __init__(
        self,
        states: Sequence[State],
        told: Iterable[Sequence[Event]],
        watched: Iterable[Sequence[Event]] = (),
        unheard: Sequence[Unheard] = (),
    ) -> None:
        self.lost: list[Event] = []
        watching = [event for events in watched for event in events]
        self._watching = {event.wire for event in watching}
        self._unheard = unheard
        self._states = states
        self._by_moves: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, state in enumerate(states):
            self._by_moves[state.moves].append(number)
        self._of: dict[int, int] = {}
        self._lines: dict[Wire, int] = {}
        # By the server where it was told; None: all of them.
        self._reached: dict[str | None, tuple[list[float], list[int]]] = defaultdict(
            lambda: ([], [])
        )
        playing = (event for events in told for event in events)
        for event in sorted((*playing, *watching), key=lambda event: event.at):
            self._place(event)

    def of(self, event: Event) -> int | None:
        """The number of the state; None if it tells of none."""
        return self._of.get(id(event))

    def reached(self, before: float, server: str | None = None) -> int:
        """The last state of which somebody was told before that time, at that server or any."""
        times, places = self._reached[server]
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
        for server in (None, event.wire.server):
            times, places = self._reached[server]
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
            if self._next(event, since) is None and wire in self._watching:
                since = self._known_elsewhere(wire)
            self._lines[wire] = since
        return since

    def _known_elsewhere(self, wire: Wire) -> int:
        """What a server must know at least when somebody begins to watch there by this line."""
        lags = (Unheard(since - FEED_LAG, until) for since, until in self._unheard)
        behind = (one.since for one in lags if one.since <= wire.opened <= one.until)
        known = self.reached(min(behind, default=wire.opened))
        return max(known, self.reached(wire.opened, wire.server))

    def _next(self, event: Event, since: int) -> int | None:
        """Where the event may belong at the earliest."""
        if event.what == "position":
            return next((n for n in self._by_moves.get(event.moves, ()) if n >= since), None)
        for number, state in enumerate(self._states[since:], since):
            if isinstance(state.step, Happened) and event.words == (str(len(state.moves)),):
                return number
        return None
