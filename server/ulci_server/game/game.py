"""One game, from the first ``isready`` to its result: events in, effects out."""

import enum
import math
from collections.abc import Sequence

from ulci.protocol.messages import Stop
from ulci.rules.outcome import Outcome, Side
from ulci.rules.position import Position

from . import telling
from .clock import Clock
from .control import Control, Controls, Correspondence
from .endings import Ending, Endings
from .events import Announce, Dismiss, Effect, Event, Note, Settle, Tell
from .facts import GameFinished, GameStarted, Seat
from .playing import Playing
from .preparing import Preparing
from .presence import Presence
from .scene import Patience, Scene, Setup, Step


class Phase(enum.Enum):
    """Where the game is; it only goes down this list."""

    PREPARING = "preparing"
    PLAYING = "playing"
    OVER = "over"


class Game:
    """One game. Give it `begin`, then every event in the order in which it happened.

    The effects are to be performed in their order. The game asks `position` whose turn it is and
    how to say where it stands, and never judges: whoever does has already made the move there when
    `Moved` is handled.
    """

    def __init__(
        self,
        id: int,  # noqa: A002 as everybody calls it
        position: Position,
        rules: str,
        control: Controls,
        seats: tuple[Seat, Seat],
        *,
        patience: Patience | None = None,
        pool: str = "",
        rated: bool = False,
        setup: Setup = ((), ()),
    ) -> None:
        patience = patience or Patience()
        self.id = id
        self.seats = seats
        self.control = control
        self.ending: Ending | None = None
        self._clock = Clock(control, round(patience.overshoot * 1000))
        self._scene = Scene(
            GameStarted(id, rules, position.start, str(control), seats, rated, pool),
            position,
            patience,
            setup,
            Presence((_grace(control.white, patience), _grace(control.black, patience))),
            Endings(seats),
            position.turn,
        )
        self._stage: Preparing | Playing | None = None

    # What is the case

    @property
    def started(self) -> GameStarted:
        """What was agreed, as the record has it."""
        return self._scene.started

    @property
    def phase(self) -> Phase:
        if self.ending is not None:
            return Phase.OVER
        return Phase.PLAYING if isinstance(self._stage, Playing) else Phase.PREPARING

    @property
    def outcome(self) -> Outcome | None:
        """None until the game is over."""
        return None if self.ending is None else self.ending.outcome

    @property
    def mover(self) -> Side:
        """Whose turn it is (or was, when the game ended)."""
        return self._scene.mover

    @property
    def moves(self) -> Sequence[str]:
        """Canonical moves made so far."""
        return self._scene.moves

    @property
    def searching(self) -> Side | None:
        """Who owes an answer to its ``go``: nobody else's move may be judged."""
        return self._stage.searching if isinstance(self._stage, Playing) else None

    @property
    def deadline(self) -> float:
        """When an `Alarm` is due unless something happens before; infinite if none is."""
        return math.inf if self._stage is None else self._stage.deadline

    # What happens

    def begin(self, at: float) -> list[Effect]:
        """Open the game: prepare both players, unless the start position already is the end."""
        opening: list[Step] = [Note(self._scene.started)]
        announced = Announce(telling.started(self._scene.started))
        outcome = self._scene.position.outcome()
        if outcome is not None:
            ending = self._scene.endings.by_rules(outcome)
            return self._effects([*opening, announced, ending], show=True)
        self._stage = Preparing(self._scene, at)
        return self._effects([*opening, *self._stage.begin(), announced])

    def handle(self, event: Event) -> list[Effect]:
        """Take note of one event; the effects are what it asks for. Never raises."""
        stage = self._stage
        if stage is None:
            return []
        steps = stage.handle(event)
        if isinstance(stage, Playing):
            return self._effects(steps, show=True)
        if stage.done:
            self._stage = playing = Playing(self._scene, self._clock)
            steps += playing.begin(event.at)
        return self._effects(steps)

    def _effects(self, steps: list[Step], *, show: bool = False) -> list[Effect]:
        """The steps, and what an ending asks for; `show`: whether there is a game to be seen."""
        effects: list[Effect] = []
        for step in steps:
            if isinstance(step, Ending):
                effects += self._finish(step, show=show)
            else:
                effects.append(step)
        return effects

    def _finish(self, ending: Ending, *, show: bool) -> list[Effect]:
        searching = self.searching
        self.ending = ending
        self._stage = None
        outcome = ending.outcome
        effects: list[Effect] = [Note(GameFinished(self.id, outcome, ending.detail)), Settle()]
        if searching is not None:
            effects.append(Tell(searching, Stop()))
        if show:
            told = self._scene.told()
            effects += [Tell(side, told) for side in Side]
        said = [telling.result(outcome), *telling.why(ending)]
        effects += [Tell(side, one) for side in Side for one in said]
        return [*effects, Announce(telling.over(self.id, outcome)), Dismiss(searching)]


def _grace(control: Control, patience: Patience) -> float:
    """Who has days for a move is expected to go away: only the clock counts."""
    return math.inf if isinstance(control, Correspondence) else patience.away
