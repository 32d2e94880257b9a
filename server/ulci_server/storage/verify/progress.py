"""What the facts say of a game beside its moves and clocks: draws offered, players away."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ulci.rules import Side
from ulci_server.game import EventKind, Happened, MovePlayed


@dataclass(slots=True)
class Progress:
    """After all facts. offer: the side that has a draw on offer; plies: with those of the opening;
    events: all that are no moves; finished: the one with which the game ended."""

    offer: Side | None = None
    away: set[Side] = field(default_factory=set)
    have_moved: set[Side] = field(default_factory=set)
    plies: int = 0
    events: list[Happened] = field(default_factory=list)
    finished: Happened | None = None

    def move(self, played: MovePlayed) -> None:
        self.plies += 1
        self.have_moved.add(played.side)
        if self.offer is not played.side:
            self.offer = None


def progress(steps: Iterable[MovePlayed | Happened], opening: int = 0) -> Progress:
    """The state to which these facts lead, from an opening of so many plies."""
    state = Progress(plies=opening)
    for step in steps:
        if isinstance(step, MovePlayed):
            state.move(step)
        else:
            state.events.append(step)
            _EFFECTS.get(step.what, _nothing)(state, step)
    return state


def _nothing(state: Progress, _: Happened) -> None:
    """It changes nothing of this."""


def _goes(state: Progress, event: Happened) -> None:
    state.away.update(side for side in Side if side is event.side)


def _comes(state: Progress, event: Happened) -> None:
    state.away.difference_update(side for side in Side if side is event.side)


def _all_go(state: Progress, _: Happened) -> None:
    """A restart cut off both."""
    state.away.update(Side)


def _offers(state: Progress, event: Happened) -> None:
    state.offer = event.side


def _declines(state: Progress, _: Happened) -> None:
    state.offer = None


def _takes_back(state: Progress, event: Happened) -> None:
    state.plies -= event.amount
    state.offer = None


def _ends(state: Progress, event: Happened) -> None:
    state.finished = event


_EFFECTS: Mapping[EventKind, Callable[[Progress, Happened], None]] = {
    EventKind.AWAY: _goes,
    EventKind.LEFT: _goes,
    EventKind.BACK: _comes,
    EventKind.RESUMED: _all_go,
    EventKind.DRAW_OFFERED: _offers,
    EventKind.DRAW_DECLINED: _declines,
    EventKind.TAKEN_BACK: _takes_back,
    EventKind.FINISHED: _ends,
}
