"""What is the same from the first ``isready`` to the result?"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ulci.protocol.messages import NewGame, SetOption
from ulci.protocol.messages import Position as PositionTold
from ulci.rules.outcome import Side

from .adjudication import Adjudicator
from .endings import Ending, Endings
from .events import Effect, Note, Tell
from .facts import GameStarted, Happened, Seat, What
from .halves import MARGIN
from .line import Line
from .presence import Presence

Step = Effect | Ending
"""What a phase answers to an event. An `Ending` is the last step; the game makes effects of it."""

Handler = Callable[[Any, Any], list[Step]]
"""A row of a phase's table: (the phase, the event)."""


def ignore(_phase: object, _event: object) -> list[Step]:
    """The row for what means nothing in a phase."""
    return []


def ends(steps: list[Step]) -> bool:
    """Whether the game is over after these."""
    return bool(steps) and isinstance(steps[-1], Ending)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long players are waited for, in seconds."""

    ready: float = 30.0
    """For ``readyok`` before the game: engines load networks and tablebases."""
    away: float = 60.0
    """At most, for a player whose line was lost: a modem needs half a minute to dial again. In
    short games it is less (`presence.grace`)."""
    overshoot: float = MARGIN / 1000
    """For the answer to ``go movetime`` beyond its time."""


Told = tuple[SetOption, ...]
Setup = tuple[Told, Told]
"""What White and Black are told before the game."""


@dataclass(slots=True)
class Scene:
    """The game as both phases see it: what was agreed, who is there, where it stands."""

    started: GameStarted
    line: Line
    patience: Patience
    setup: list[Told]
    presence: Presence
    endings: Endings
    adjudicator: Adjudicator
    seq: int = 0

    @property
    def id(self) -> int:
        return self.started.game

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self.started.seats

    @property
    def mover(self) -> Side:
        """Whose turn it is."""
        return self.line.turn

    @property
    def ply(self) -> int:
        """How many moves stand."""
        return len(self.line.moves)

    def step(self) -> int:
        """The number of what is noted next."""
        self.seq += 1
        return self.seq

    def happened(
        self, what: What, side: Side | None = None, amount: int = 0, text: str = ""
    ) -> Note:
        """For the record."""
        return Note(Happened(self.id, self.step(), self.ply, what, side, amount, text))

    def introduce(self, side: Side) -> list[Step]:
        """What a player must know before the first ``position``."""
        return [*(Tell(side, option) for option in self.setup[side]), Tell(side, NewGame())]

    def told(self) -> PositionTold:
        """The game as it stands."""
        return PositionTold(self.started.start, self.line.moves)
