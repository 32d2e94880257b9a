"""One game, from the first ``isready`` to its result: events in, effects out."""

import enum
import math
from collections.abc import Iterable, Sequence

from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Stop
from ulci.rules.outcome import Outcome, Side
from ulci.rules.position import Position
from ulci.rules.refereed import RefereedPosition

from . import absences, telling
from .adjudication import NONE, Adjudication, Adjudicator
from .clock import Clock
from .control import Controls
from .endings import Ending, Endings
from .events import Announce, Cast, Dismiss, Effect, Event, Note, Paused, Settle, Tell
from .facts import GameFinished, GameStarted, Happened, MovePlayed, Seat, What
from .lag import LagAccount, LagQuota, LagRule
from .line import Line
from .playing import Playing
from .preparing import Preparing
from .presence import Presence, grace
from .rebuild import rebuild
from .scene import Patience, Scene, Setup, Step, ends


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
        started: GameStarted,
        position: Position,
        *,
        patience: Patience | None = None,
        setup: Setup = ((), ()),
        quota: LagQuota | None = None,
        adjudication: Adjudication = NONE,
        most_plies: int | None = None,
    ) -> None:
        """`position`, at its start, becomes the game's own; `quota` is what the rule of
        `started.lag` may give back; `adjudication` may end the game before the rules do, and with
        `most_plies` it is a draw. Raises `ControlError` if `started` has no time control."""
        patience = patience or Patience()
        control = Controls.parse(started.control)
        self.control = control
        self.ending: Ending | None = None
        self._clock = Clock(
            control,
            round(patience.overshoot * 1000),
            LagAccount(LagRule(started.lag), quota),
        )
        endings = Endings(started.seats)
        self._scene = Scene(
            started,
            Line(position),
            patience,
            [*setup],
            Presence(
                (grace(control.white, patience.away), grace(control.black, patience.away)),
                (_decides(started.seats[0]), _decides(started.seats[1])),
            ),
            endings,
            Adjudicator(adjudication, endings, most_plies),
        )
        self._stage: Preparing | Playing | None = None

    # What is the case

    @property
    def id(self) -> int:
        return self._scene.id

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self._scene.seats

    @property
    def position(self) -> Position:
        """On which whoever judges makes the moves."""
        return self._scene.line.position

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
        return self._scene.line.moves

    def clocks(self, at: float) -> ClockTold:
        """What both clocks show."""
        return self._clock.told(at)

    def repeats(self, side: Side, move: str) -> bool:
        """Whether this is what the side said last once more, and could not be its next move: what
        came late over a line that was lost, or was said twice."""
        return self._scene.line.repeats(side, move)

    def answered_late(self, side: Side, move: str) -> None:
        """The side answered what it had been asked before moves were taken back."""
        self._scene.line.hear(side, move)

    @property
    def searching(self) -> Side | None:
        """Who owes an answer to its ``go``: nobody else's move may be judged."""
        return self._stage.searching if isinstance(self._stage, Playing) else None

    @property
    def absent(self) -> tuple[Side, ...]:
        """Whose line is lost, while the game is played."""
        return self._scene.presence.absent

    @property
    def deadline(self) -> float:
        """When an `Alarm` is due unless something happens before; infinite if none is."""
        return math.inf if self._stage is None else self._stage.deadline

    # What happens

    def begin(self, at: float) -> list[Effect]:
        """Open the game: prepare both players, unless the start position already is the end."""
        opening: list[Step] = [Note(self._scene.started)]
        if isinstance(self.position, RefereedPosition) and self.position.turn is Side.BLACK:
            # The record has nothing else of it until somebody has moved.
            opening.append(self._scene.happened(What.AGAIN, Side.BLACK))
        announced = Announce(telling.started(self._scene.started))
        outcome = self.position.outcome()
        if outcome is not None:
            ending = self._scene.endings.by_rules(outcome)
            return self._effects([*opening, announced, ending], show=True)
        self._stage = Preparing(self._scene, at)
        return self._effects([*opening, *self._stage.begin(), announced])

    def resume(
        self, steps: Iterable[MovePlayed | Happened], at: float, downtime: int, thought: int = 0
    ) -> list[Effect]:
        """Instead of `begin`: go on with a game that the record has, `downtime` ms after a server
        ended in the middle of it. Nobody is there yet. `thought` are the ms that the side to move
        had thought when the server ended, beyond those that the record has.

        Raises:
            ContradictionError: the record cannot be right.
        """
        known = rebuild(self._scene.line, self._clock, steps)
        self._scene.seq = known.seq
        if known.over is not None:
            return self._effects([self._scene.endings.by_rules(known.over.outcome)], show=True)
        self._stage = playing = Playing(self._scene, self._clock)
        playing.offer, playing.takeback = known.offer, known.takeback
        playing.have_moved |= known.have_moved
        self._scene.adjudicator.recall(known.played)
        thought = self._clock.resume(self.mover, at, thought)
        text = f"the server was away for {downtime / 1000:.3f} s"
        noted = self._scene.happened(What.RESUMED, self.mover, thought, text)
        return self._effects([noted, *absences.resume(playing, at, downtime)])

    def handle(self, event: Event) -> list[Effect]:
        """Take note of one event; the effects are what it asks for. Never raises."""
        stage = self._stage
        if stage is None:
            return []
        steps = stage.handle(event)
        if isinstance(event, Paused) and not ends(steps):
            self._stage = None
            paused = Announce(telling.paused(self.id))
            return self._effects([*steps, Settle(), paused, Dismiss(None)])
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
        asked = self._stage.asked if isinstance(self._stage, Playing) else None
        self.ending = ending
        self._stage = None
        outcome = ending.outcome
        effects: list[Effect] = [Note(GameFinished(self.id, outcome, ending.detail)), Settle()]
        if asked is not None:
            effects.append(Tell(asked, Stop()))
        if show:
            told = self._scene.told()
            effects += [*(Tell(side, told) for side in Side), Cast((told,))]
        said = [telling.result(outcome), *telling.why(ending)]
        effects += [Tell(side, one) for side in Side for one in said]
        effects.append(Cast(tuple(said)))
        return [*effects, Announce(telling.over(self.id, outcome)), Dismiss(asked)]


def _decides(seat: Seat) -> bool:
    """Whether the player can be asked what is to become of an opponent who is gone: a person whose
    program speaks of the lobby, as those that are given a key do. For all others it is decided."""
    return seat.kind == "human" and bool(seat.key)
