"""One game, from the first ``isready`` to its result: events in, effects out."""

import enum
import math
from collections.abc import Collection, Iterable, Sequence

from ulci.protocol.messages import Clock as ClockTold
from ulci.protocol.messages import Stop
from ulci.rules import Outcome, Position, Side
from ulci.rules.refereed import RefereedPosition

from . import absence_handlers, notices
from .adjudication import NONE, Adjudication, Adjudicator, Prove
from .clock import Clock
from .conduct import Conduct
from .context import GameContext, Setup, Step, ends
from .endings import Ending, Endings
from .events import (
    Alarm,
    Announce,
    Answered,
    Cast,
    Dismiss,
    Effect,
    Event,
    Note,
    Paused,
    Settle,
    Tell,
    Turn,
)
from .facts import EventKind, GameFinished, GameStarted, Happened, MovePlayed, Seat
from .in_progress import InProgress
from .lag import UNMEASURED, LagAccount, LagQuota, LagRule, RoundTrips
from .move_list import MoveList
from .preparing import Preparing
from .presence import Presence
from .rebuild import rebuild
from .time_control import Controls
from .timeouts import Timeouts, grace


class Phase(enum.Enum):
    """The phase of the game; it only moves down this list."""

    PREPARING = "preparing"
    PLAYING = "playing"
    OVER = "over"


class Game:
    """One game. Call `begin`, then pass every event in the order in which it happened.

    Perform the effects in order. The game judges moves by its `position`. If only a referee can
    judge, the caller asks it, and makes a legal move in `position` before it passes `Judged`.
    """

    __slots__ = (
        "_clock",
        "_context",
        "_phase",
        "control",
        "ending",
    )

    def __init__(
        self,
        started: GameStarted,
        position: Position,
        *,
        timeouts: Timeouts | None = None,
        setup: Setup = ((), ()),
        quota: LagQuota | None = None,
        adjudication: Adjudication = NONE,
        most_plies: int | None = None,
        prove: Prove | None = None,
    ) -> None:
        """The game owns `position`, which has made the moves of `started.opening`, and no others;
        `quota` limits what the rule of `started.lag` gives back; `adjudication` may end the game
        before the rules do, and after `most_plies` it is a draw. Raises `ControlError` if `started`
        has no time control, and `ConductError` if it has no conduct."""
        assert (*position.moves,) == started.opening
        timeouts = timeouts or Timeouts()
        control = Controls.parse(started.control)
        conduct = Conduct.parse(started.conduct)
        self.control = control
        self.ending: Ending | None = None
        self._clock = Clock(
            control,
            round(timeouts.overshoot * 1000),
            LagAccount(LagRule(started.lag), quota),
            undoes=started.undo_clocks,
            margins=conduct.margins,
        )
        endings = Endings(started.seats)
        self._context = GameContext(
            started,
            MoveList(position),
            timeouts,
            [*setup],
            Presence(
                (grace(control.white, timeouts.away), grace(control.black, timeouts.away)),
                (_decides(started.seats[0]), _decides(started.seats[1])),
            ),
            endings,
            Adjudicator(adjudication, endings, most_plies, prove, len(started.opening)),
            conduct,
        )
        self._phase: Preparing | InProgress | None = None

    # State

    @property
    def id(self) -> int:
        return self._context.id

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self._context.seats

    @property
    def keys(self) -> tuple[str, str]:
        """The hashes of the secrets by which White and Black take their seats back, as recorded
        last."""
        white, black = self._context.keys
        return white, black

    @property
    def position(self) -> Position:
        """The position after the moves so far."""
        return self._context.move_list.position

    @property
    def started(self) -> GameStarted:
        """The agreement, as recorded."""
        return self._context.started

    @property
    def phase(self) -> Phase:
        if self.ending is not None:
            return Phase.OVER
        return Phase.PLAYING if isinstance(self._phase, InProgress) else Phase.PREPARING

    @property
    def outcome(self) -> Outcome | None:
        """None until the game is over."""
        return None if self.ending is None else self.ending.outcome

    @property
    def mover(self) -> Side:
        """The side to move (or at the end of the game)."""
        return self._context.mover

    @property
    def moves(self) -> Sequence[str]:
        """Canonical moves made so far, those of the opening included."""
        return self._context.move_list.moves

    @property
    def turn_number(self) -> int:
        """The number of this turn. No two turns of a game share a number, also after a takeback,
        and a restart does not change it."""
        return self._context.move_list.changes

    def left_to_think(self, at: float, thought: float) -> float:
        """Seconds from `at` until the flag of the side to move falls, if the side has thought for
        only `thought` s and the rest of its time passed between two servers."""
        return self._clock.deadline + sum(self.read_late(at, thought)) - at

    def thought(self, at: float) -> float:
        """Seconds that the side to move has thought about this move."""
        return self._clock.seconds(at)

    @property
    def running_since(self) -> float | None:
        """Since when (s) the clock of the side to move runs; None: it stands."""
        return self._clock.since

    def read_late(self, at: float, thought: float) -> tuple[float, float]:
        """How late (s) an answer is read at `at`, if its side had thought for `thought` s when it
        arrived: the part while the clock ran here, and the part before, when another server had the
        game."""
        since, too_much = self._clock.since, max(0.0, self._clock.seconds(at) - thought)
        late = 0.0 if since is None else min(too_much, max(0.0, at - since))
        return late, too_much - late

    def is_out_of_time(self, at: float) -> bool:
        """Whether the flag of the side to move has fallen at `at` (s). The caller must know that
        the side could be asked and did not answer before."""
        return isinstance(self._phase, InProgress) and self._clock.deadline <= at

    def clocks(self, at: float) -> ClockTold:
        """The times that both clocks show."""
        return self._clock.told(at)

    def repeats(self, side: Side, move: str) -> bool:
        """Whether the side repeats its last move, which is no longer legal: it arrived late over a
        lost connection, or was sent twice."""
        return self._context.move_list.repeats(side, move)

    def answered_late(self, side: Side, move: str) -> None:
        """Note an answer to a ``go`` from before a takeback."""
        self._context.move_list.hear_late(side, move)

    @property
    def searching(self) -> Side | None:
        """The side that owes an answer to its ``go``: no other side's move may be judged."""
        return self._phase.searching if isinstance(self._phase, InProgress) else None

    @property
    def absent(self) -> Collection[Side]:
        """The sides that are disconnected during the game."""
        return self._context.presence.gone

    @property
    def deadline(self) -> float:
        """When (s) an `Alarm` is due unless an event comes before; infinite if none is."""
        return math.inf if self._phase is None else self._phase.deadline

    # Events

    def begin(self, at: float) -> list[Effect]:
        """Open the game: prepare both players, unless the start position is already final."""
        opening: list[Step] = [Note(self._context.started)]
        if isinstance(self.position, RefereedPosition) and self.position.turn is Side.BLACK:
            # Until the first move, nothing else in the record says so.
            opening.append(self._context.happened(EventKind.AGAIN, Side.BLACK))
        announced = Announce(notices.started(self._context.started))
        outcome = self.position.outcome()
        if outcome is not None:
            ending = self._context.endings.by_rules(outcome)
            return self._effects([*opening, announced, ending], show=True)
        self._phase = Preparing(self._context, at)
        return self._effects([*opening, *self._phase.begin(), announced])

    def resume(
        self,
        steps: Iterable[MovePlayed | Happened],
        at: float,
        downtime: int | None,
        thought: int = 0,
    ) -> list[Effect]:
        """Instead of `begin`: resume a recorded game, `downtime` ms after a server ended during it;
        None: nobody knows.
        No player is connected yet. `thought`: the ms that the side to move had thought when the
        server ended, beyond those recorded.

        Raises:
            ContradictionError: the record is inconsistent.
        """
        known = rebuild(self._context.move_list, self._clock, steps)
        self._context.seq = known.seq
        for side, key in known.keys.items():
            self._context.keys[side] = key
        if known.over is not None:
            return self._effects([self._context.endings.by_rules(known.over.outcome)], show=True)
        self._phase = playing = InProgress(self._context, self._clock)
        playing.offer, playing.takeback = known.offer, known.takeback
        playing.have_moved |= known.have_moved
        playing.berserk |= known.berserk
        playing.disconnections = known.disconnections
        playing.late = known.late
        if not known.have_moved:  # nothing says who was prepared: the mover is, when it is back
            playing.late.add(self.mover.other)
        self._context.adjudicator.recall(known.played)
        thought = self._clock.resume(self.mover, at, thought)
        span = "an unknown time" if downtime is None else f"{downtime / 1000:.3f} s"
        text = f"the server was away for {span}"
        noted = self._context.happened(EventKind.RESUMED, self.mover, thought, text)
        return self._effects([noted, *absence_handlers.resume(playing, at, downtime)])

    def move(self, answered: Answered) -> Turn | list[Effect]:
        """Judge the answer of the side to move to its ``go``. A `Turn` is an ordinary move: the
        game goes on, and nothing else has happened. An answer without a ``go`` has no effects.
        Never raises, whatever was sent."""
        phase = self._phase
        if not isinstance(phase, InProgress):
            return []
        after = phase.move(answered)
        return after if isinstance(after, Turn) else self._effects(after, show=True)

    def handed_over(self, at: float, trips: RoundTrips = UNMEASURED) -> float:
        """The ``go`` of a `Turn` or before a `StartClock` was handed to the side's connection at
        `at` (s): its clock runs. Returns the `deadline`."""
        phase = self._phase
        if phase is None:
            return math.inf
        if isinstance(phase, InProgress):
            phase.handed_over(at, trips)
        return phase.deadline

    def handle(self, event: Event, *, flag_held: bool = False) -> list[Effect]:
        """Handle one event; returns its effects. Never raises. flag_held: the flag of the side to
        move does not fall by this event, because this server does not know whether that side has
        answered in time."""
        phase = self._phase
        if phase is None:
            return []
        if isinstance(phase, Preparing) and phase.was_over_before(event):
            return [*self.handle(Alarm(phase.deadline)), *self.handle(event)]
        if isinstance(phase, InProgress):
            steps = phase.handle(event, flag_held=flag_held)
        else:
            steps = phase.handle(event)
        if isinstance(event, Paused) and not ends(steps):
            self._phase = None
            paused = Announce(notices.paused(self.id))
            return self._effects([*steps, Settle(), paused, Dismiss(None)])
        if isinstance(phase, InProgress):
            return self._effects(steps, show=True)
        if phase.done:
            self._phase = playing = InProgress(self._context, self._clock)
            steps += playing.begin(event.at, phase.cut_off)
        return self._effects(steps)

    def _effects(self, steps: list[Step], *, show: bool = False) -> list[Effect]:
        """The steps, with an ending turned into effects; `show`: whether it shows the position."""
        effects: list[Effect] = []
        for step in steps:
            if isinstance(step, Ending):
                effects += self._finish(step, show=show)
            else:
                effects.append(step)
        return effects

    def _finish(self, ending: Ending, *, show: bool) -> list[Effect]:
        asked = self._phase.asked if isinstance(self._phase, InProgress) else None
        self.ending = ending
        self._phase = None
        outcome = ending.outcome
        fact = GameFinished(self.id, outcome, ending.detail, ending.fault)
        effects: list[Effect] = [Note(fact), Settle()]
        if asked is not None:
            effects.append(Tell(asked, Stop()))
        if show:
            told = self._context.told()
            effects += [*(Tell(side, told) for side in Side), Cast((told,))]
        said = [notices.result(outcome), *notices.why(ending)]
        effects += [Tell(side, one) for side in Side for one in said]
        effects.append(Cast(tuple(said)))
        return [*effects, Announce(notices.over(self.id, outcome)), Dismiss(asked)]


def _decides(seat: Seat) -> bool:
    """Whether the player itself claims against an absent opponent: a person whose program reads
    lobby lines, as all with a key do. For all others the server decides."""
    return seat.kind == "human" and bool(seat.key)
