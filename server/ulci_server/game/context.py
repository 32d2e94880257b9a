"""The state that both phases of a game share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ulci.protocol.messages import NewGame, SetOption
from ulci.protocol.messages import Position as PositionTold
from ulci.rules import Side

from . import notices
from .adjudication import Adjudicator
from .conduct import Conduct
from .endings import Ending, Endings
from .events import Commanded, Effect, Note, Ruled, ServerFailed, Tell
from .facts import EventKind, GameStarted, Happened, Seat
from .move_list import MoveList
from .presence import Presence
from .timeouts import Timeouts

Step = Effect | Ending
"""A phase's answer to an event. An `Ending` is the last step; the game turns it into effects."""

Handler = Callable[[Any, Any], list[Step]]
"""A row of a phase's table: (the phase, the event)."""


def ignore(_phase: object, _event: object) -> list[Step]:
    """The row for an event without meaning in a phase."""
    return []


class AnyPhase(Protocol):
    """A phase, as the handlers that both phases share see it."""

    @property
    def context(self) -> "GameContext": ...


def ruled(phase: AnyPhase, event: Ruled) -> list[Step]:
    """The handler of `Ruled` in both phases."""
    context = phase.context
    return [
        context.happened(EventKind.RULED, event.outcome.winner, text=event.why),
        context.endings.ruled(event.outcome, event.why),
    ]


def server_failed(phase: AnyPhase, event: ServerFailed) -> list[Step]:
    """The handler of `ServerFailed` in both phases."""
    return [phase.context.endings.server(event.why)]


def ends(steps: list[Step]) -> bool:
    """Whether the game is over after these steps."""
    return bool(steps) and isinstance(steps[-1], Ending)


EngineOptions = tuple[SetOption, ...]
Setup = tuple[EngineOptions, EngineOptions]
"""The options for White and for Black, sent before the game."""


@dataclass(slots=True)
class GameContext:
    """The agreement, the players' presence and the moves of one game."""

    started: GameStarted
    move_list: MoveList
    timeouts: Timeouts
    setup: list[EngineOptions]
    presence: Presence
    endings: Endings
    adjudicator: Adjudicator
    conduct: Conduct
    seq: int = 0
    id: int = field(init=False)
    keys: list[str] = field(init=False)
    """The hashes of the secrets by which players resume their seats, as recorded last."""

    def __post_init__(self) -> None:
        self.id = self.started.game
        self.keys = [seat.key for seat in self.seats]

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self.started.seats

    @property
    def mover(self) -> Side:
        """The side to move."""
        return self.move_list.turn

    @property
    def ply(self) -> int:
        """The number of moves made and not taken back, those of the opening included."""
        return len(self.move_list.moves)

    def step(self) -> int:
        """The `seq` of the next fact."""
        self.seq += 1
        return self.seq

    def happened(
        self, what: EventKind, side: Side | None = None, amount: int = 0, text: str = ""
    ) -> Note:
        """A `Note` of this event, under the next `seq`."""
        return Note(Happened(self.id, self.step(), self.ply, what, side, amount, text))

    def forbids(self, event: Commanded) -> list[Step]:
        """The error if the conduct does not permit the command; otherwise nothing."""
        row = notices.FORBIDDEN.get(type(event.command))
        if row is None or getattr(self.conduct, row.field):
            return []
        return [Tell(event.side, row.error)]

    def take_key(self, side: Side, key: str) -> str:
        """Remember the key of a player who is back. Returns the key if it must be recorded; "" if
        there is none, or if it is recorded already."""
        if not key or key == self.keys[side]:
            return ""
        self.keys[side] = key
        return key

    def introduce(self, side: Side) -> list[Step]:
        """The messages to a player before the first ``position``."""
        return [*(Tell(side, option) for option in self.setup[side]), Tell(side, NewGame())]

    def told(self) -> PositionTold:
        """The current position, as sent."""
        return PositionTold(self.started.start, self.move_list.told.told())
