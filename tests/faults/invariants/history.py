"""How did a game go, step by step, as SQL has it? Moves that were taken back are in it, too."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ulci.rules import Side
from ulci_server.game import EventKind, Happened, MovePlayed

Step = MovePlayed | Happened


@dataclass(frozen=True, slots=True)
class State:
    """The game from one change of its moves to the next. `step`: what led here, None at the start;
    `gifts`: ms that were given meanwhile, and to whom."""

    moves: tuple[str, ...] = ()
    step: Step | None = None
    gifts: tuple[tuple[Side, int], ...] = ()

    @property
    def move(self) -> MovePlayed | None:
        """That with which it began; None if it began by taking moves back, or with the game."""
        return None if isinstance(self.step, Happened) else self.step

    def given(self, side: Side) -> int:
        return sum(gift for to, gift in self.gifts if to is side)


LEAST = 10_000
"""ms that moves which are taken back leave at least, if there was as much before and after them."""


def states(steps: Iterable[Step]) -> tuple[State, ...]:
    """All of them in order, the empty board first."""
    found = [State()]
    for step in steps:
        now = found[-1]
        if not isinstance(step, Happened):
            found.append(State((*now.moves, step.move), step))
        elif step.what is EventKind.TAKEN_BACK:
            found.append(State(now.moves[: -step.amount or None], step))
        elif step.what is EventKind.TIME_GIVEN:
            found[-1] = State(now.moves, now.step, (*now.gifts, (step.side, step.amount)))
    return tuple(found)


def clocks(history: Sequence[State], base: int, increment: int) -> list[tuple[int, int]]:
    """ms that White and Black have when each state begins, as the moves before it have it stored.
    Moves that are taken back stay paid, and lose their increments."""
    shown = [(base, base)]
    stand: list[tuple[Side, int]] = []  # whose each move is, and what that side had before it
    for before, after in pairwise(history):
        left = [ms + before.given(side) for side, ms in zip(Side, shown[-1], strict=True)]
        if after.move is not None:
            stand.append((after.move.side, left[after.move.side]))
            if after.move.left is not None:
                left[after.move.side] = after.move.left
        else:
            kept = len(after.moves)
            for side in Side:
                had = [ms for mover, ms in stand[kept:] if mover is side]
                if had:
                    least = min(had[0], left[side], LEAST)
                    left[side] = max(left[side] - increment * len(had), least)
            del stand[kept:]
        shown.append((left[0], left[1]))
    return shown
