"""Who is to move, and what has happened to the game? The phase with the clocks."""

import math
from collections import deque
from collections.abc import Mapping

from ulci.rules.outcome import Reason, Side
from ulci.rules.position import Illegal, Legal, Over

from . import telling
from .clock import Clock
from .endings import Ending
from .events import (
    AbortSaid,
    Alarm,
    Announce,
    Answered,
    Away,
    Back,
    ClockStarted,
    DrawSaid,
    Event,
    Left,
    Moved,
    Note,
    Resigned,
    ServerFailed,
    Settle,
    Show,
    Stalled,
    StartClock,
    Tell,
)
from .facts import MovePlayed, Reported
from .scene import Handler, Scene, Step, ends, ignore


class Playing:
    """From the first ``go`` to the end."""

    def __init__(self, scene: Scene, clock: Clock) -> None:
        position = scene.position
        self._scene = scene
        self._clock = clock
        self._asked = False
        self._judging = False
        self._held: deque[Event] = deque()
        self._have_moved: set[Side] = set()
        self._offer: Side | None = None
        self._claim: Reason | None = position.claim()
        self._can_win = (position.can_win(Side.WHITE), position.can_win(Side.BLACK))

    @property
    def mover(self) -> Side:
        return self._scene.mover

    @property
    def searching(self) -> Side | None:
        """Who was sent ``go`` on a line that still stands, and has not answered it."""
        return self.mover if self._asked and self._scene.presence.here(self.mover) else None

    @property
    def deadline(self) -> float:
        """When a flag falls or a grace ends; never while an arbiter judges."""
        if self._judging:
            return math.inf
        return min(self._clock.deadline, self._grace_ends)

    def begin(self, at: float) -> list[Step]:
        # Nobody may be asked to play a game that the record does not know.
        return [Settle(), *self._ask(at)]

    def handle(self, event: Event) -> list[Step]:
        if self._judging and not isinstance(event, Moved | ServerFailed):
            self._held.append(event)
            return []
        steps = self._take(event)
        while self._held and not self._judging and not ends(steps):
            steps += self._take(self._held.popleft())
        return steps

    def _take(self, event: Event) -> list[Step]:
        unasked = isinstance(event, Answered | Moved) and not self._is_awaited(event.side)
        if isinstance(event, Back) and self._clock.running is event.side:
            self._asked = False  # the line that was asked is gone, and its answer with it
        if event.at > self.deadline:  # what was due before the event comes first
            return [self._expire(self.deadline)]
        if unasked:
            return []
        return _HANDLERS.get(type(event), ignore)(self, event)

    def _is_awaited(self, side: Side) -> bool:
        """Whether an answer from the side is awaited: then nothing is owed any more."""
        awaited = side is self.searching or (self._judging and side is self.mover)
        self._asked = self._asked and not awaited
        return awaited

    # Asking

    def _ask(self, at: float) -> list[Step]:
        """Ask whoever the rules say is to move; the clock starts when that was handed over."""
        self._scene.mover = mover = self._scene.position.turn
        self._asked = True
        position, clocks = self._scene.told(), self._clock.told(at)
        return [
            Tell(mover, position),
            Tell(mover, self._clock.go(mover, at, clocks)),
            Show(mover.other, (position, clocks)),
            StartClock(mover),
        ]

    def _ask_again(self, at: float) -> list[Step]:
        """The same question once more, with the time that is left."""
        self._asked = True
        go = Tell(self.mover, self._clock.go(self.mover, at))
        steps: list[Step] = [Tell(self.mover, self._scene.told()), go]
        return steps if self._clock.running is self.mover else [*steps, StartClock(self.mover)]

    def _on_clock_started(self, event: ClockStarted) -> list[Step]:
        if self._asked and event.side is self.mover and self._clock.running is None:
            self._clock.start(event.side, event.at)
        return []

    # Moves

    def _on_answered(self, event: Answered) -> list[Step]:
        self._judging = True
        self._clock.halt(event.at)
        return []

    def _on_moved(self, event: Moved) -> list[Step]:
        self._judging = False
        if isinstance(event.verdict, Illegal):
            return self._refuse(event, event.verdict)
        return self._play(event, event.verdict)

    def _play(self, event: Moved, verdict: Legal | Over) -> list[Step]:
        side = event.side
        pressed = self._clock.press(side, event.at)
        ply = self._scene.add(verdict.move)
        self._have_moved.add(side)
        self._claim, self._can_win = event.claim, event.can_win
        played = MovePlayed(
            self._scene.id, ply, side, verdict.move, pressed.spent, pressed.left, event.info
        )
        if isinstance(verdict, Over):
            return [Note(played), self._scene.endings.by_rules(verdict.outcome)]
        return [Note(played), Settle(), *self._decline(side), *self._ask(event.at)]

    def _refuse(self, event: Moved, verdict: Illegal) -> list[Step]:
        """An engine has lost; a person is told and asked again, the clock running on."""
        scene, side = self._scene, event.side
        if scene.seats[side].kind == "engine":
            fen = scene.position.fen()
            return [scene.endings.illegal(side, event.move, fen, verdict.why)]
        report = telling.illegal(event.move, verdict.why)
        noted = Note(Reported(scene.id, scene.ply, side, "server", report.text))
        return [noted, Tell(side, report), *self._ask_again(event.at)]

    # Time

    def _on_alarm(self, event: Alarm) -> list[Step]:
        return [self._expire(event.at)] if event.at >= self.deadline else []

    def _expire(self, at: float) -> Ending:
        """What ends the game at its `deadline`."""
        if self._clock.deadline <= at:
            return self._scene.endings.flag(self.mover, self._scene.ply + 1, self._can_win)
        return self._absence()

    # Words

    def _on_resigned(self, event: Resigned) -> list[Step]:
        return [self._scene.endings.resigned(event.side)]

    def _on_draw_said(self, event: DrawSaid) -> list[Step]:
        endings, side = self._scene.endings, event.side
        if self._claim is not None:
            return [endings.claimed(side, self._claim)]
        if self._offer is side.other:
            return [endings.agreed(self._offer)]
        if self._offer is side:
            return [Tell(side, telling.DRAW_OFFERED)]
        self._offer = side
        return [Announce(telling.offered(self._scene.id, self._scene.seats[side]))]

    def _decline(self, side: Side) -> list[Step]:
        """To move is to decline the opponent's offer (FIDE 9.1.2.1)."""
        if self._offer is not side.other:
            return []
        self._offer = None
        return [Announce(telling.declined(self._scene.id, self._scene.seats[side]))]

    def _on_abort_said(self, event: AbortSaid) -> list[Step]:
        if len(self._have_moved) == len(Side):
            return [Tell(event.side, telling.ABORT_TOO_LATE)]
        endings = self._scene.endings
        return [endings.aborted(f"{endings.who(event.side)} aborted it", event.side)]

    def _on_stalled(self, event: Stalled) -> list[Step]:
        return [self._scene.endings.stalled(event.side, event.why)]

    def _on_server_failed(self, event: ServerFailed) -> list[Step]:
        return [self._scene.endings.server(event.why)]

    # Lines lost and found

    @property
    def _grace_ends(self) -> float:
        decides = self._clock.has_flag(self.mover)
        return self._scene.presence.deadline(clock_decides=decides)

    def _absence(self) -> Ending:
        """The ending for whoever is gone."""
        endings, presence = self._scene.endings, self._scene.presence
        if len(presence.absent) == len(Side):
            why = "both players were gone and there was no clock to decide"
            return endings.aborted(why, *Side)
        [side] = presence.absent
        why = presence.why(side)
        if len(self._have_moved) == len(Side):
            return endings.gone(side, why)
        return endings.aborted(f"{endings.who(side)} {why}, before both had moved", side)

    def _on_away(self, event: Away) -> list[Step]:
        presence, side = self._scene.presence, event.side
        if not presence.here(side):
            return []
        presence.away(side, event.at)
        return [Tell(side.other, telling.away(self._scene.id, presence.grace(side)))]

    def _on_left(self, event: Left) -> list[Step]:
        self._scene.presence.left(event.side, event.at, event.why)
        return [self._absence()] if self._grace_ends <= event.at else []

    def _on_back(self, event: Back) -> list[Step]:
        presence, side = self._scene.presence, event.side
        was_here = presence.here(side)
        presence.back(side)
        if self._grace_ends <= event.at:  # the other's, which the clock had replaced
            return [self._absence()]
        steps = self._tell_again(side, event.at)
        return steps if was_here else [*steps, Tell(side.other, telling.back(self._scene.id))]

    def _tell_again(self, side: Side, at: float) -> list[Step]:
        """All that a new line must know. It is the same client, whose options are as they were set;
        and a ``ucinewgame`` would make it forget what it is thinking about.
        """
        scene = self._scene
        if side is self.mover and self._clock.running is None:
            return []  # what asks it still waits for the record, and will reach the new line
        steps: list[Step] = [Tell(side, telling.started(scene.started))]
        if self._offer is side.other:
            steps.append(Tell(side, telling.offered(scene.id, scene.seats[side.other])))
        if side is self.mover:
            return [*steps, *self._ask_again(at)]
        return [*steps, Show(side, (scene.told(), self._clock.told(at)))]


_HANDLERS: Mapping[type[Event], Handler] = {
    ClockStarted: Playing._on_clock_started,
    Answered: Playing._on_answered,
    Moved: Playing._on_moved,
    Alarm: Playing._on_alarm,
    Resigned: Playing._on_resigned,
    DrawSaid: Playing._on_draw_said,
    AbortSaid: Playing._on_abort_said,
    Stalled: Playing._on_stalled,
    Away: Playing._on_away,
    Back: Playing._on_back,
    Left: Playing._on_left,
    ServerFailed: Playing._on_server_failed,
}
