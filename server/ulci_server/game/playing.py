"""Who is to move, and what has happened to the game? The phase with the clocks."""

import math
from collections import deque
from collections.abc import Mapping

from ulci.rules.outcome import Side
from ulci.rules.position import Illegal, Legal, Over

from . import absences, telling, words
from .adjudication import Played
from .clock import Clock
from .events import (
    AbortSaid,
    Alarm,
    Answered,
    Away,
    Back,
    ClaimSaid,
    ClockStarted,
    DrawSaid,
    Event,
    Hindered,
    Left,
    Moved,
    Note,
    Paused,
    Resigned,
    Ruled,
    SentAway,
    ServerFailed,
    Settle,
    Stalled,
    TakebackRuled,
    TakebackSaid,
    Tell,
    TimeGiven,
    TimeRuled,
)
from .facts import MovePlayed, Reported, What
from .play import Play
from .scene import Handler, Scene, Step, ends, ignore

MOST_ILLEGAL = 100
"""Illegal moves of people that are kept with a game: whoever plays by hand makes a few."""


class Playing(Play):
    """From the first ``go`` to the end."""

    def __init__(self, scene: Scene, clock: Clock) -> None:
        super().__init__(scene, clock)
        self._judging = False
        self._held: deque[Event] = deque()
        self._illegal = 0  # moves of people

    @property
    def deadline(self) -> float:
        """When a flag falls or a grace ends; never while an arbiter judges."""
        if self._judging:
            return math.inf
        return min(self.clock.deadline, absences.due(self), absences.starts(self))

    def begin(self, at: float) -> list[Step]:
        # Nobody may be asked to play a game that the record does not know.
        return [Settle(), *self.ask(at)]

    def handle(self, event: Event) -> list[Step]:
        if self._judging and not isinstance(event, Moved | ServerFailed | Paused | Ruled):
            self._held.append(event)
            return []
        steps = self._take(event)
        while self._held and not self._judging and not ends(steps):
            steps += self._take(self._held.popleft())
        return steps

    def _take(self, event: Event) -> list[Step]:
        unasked = isinstance(event, Answered | Moved) and not self._is_awaited(event.side)
        if isinstance(event, Back) and event.side is self.mover:
            self.unasked()  # the line that was asked is gone, and its answer with it
        # What was due before the event comes first; that it was read late is not the player's fault
        late = event.late if isinstance(event, Answered | Moved | Hindered) else 0.0
        due: list[Step] = []
        while event.at - late > self.deadline:
            due += self._expire(self.deadline)
            if ends(due):
                return due
        if unasked:
            return due
        return due + _HANDLERS.get(type(event), ignore)(self, event)

    def _is_awaited(self, side: Side) -> bool:
        """Whether an answer from the side is awaited: then nothing is owed any more."""
        if self._judging and side is self.mover:
            return True
        if side is not self.searching:
            return False
        self.unasked()
        return True

    def _on_clock_started(self, event: ClockStarted) -> list[Step]:
        asked = self.handed_over() and event.side is self.mover
        if asked and self.clock.running is None:
            absences.start(self, event.at, event.trips)
        return []

    # Moves

    def _on_answered(self, event: Answered) -> list[Step]:
        self._judging = True
        self.clock.halt(event.at)
        return []

    def _on_moved(self, event: Moved) -> list[Step]:
        self._judging = False
        if isinstance(event.verdict, Illegal):
            self.clock.excuse(event.at, event.late)
            return self._refuse(event, event.verdict)
        return self._play(event, event.verdict)

    def _play(self, event: Moved, verdict: Legal | Over) -> list[Step]:
        scene, side = self.scene, event.side
        pressed = self.clock.press(side, event.at, event.late)
        ply = scene.line.add(side, verdict.move, event.move)
        self.have_moved.add(side)
        self.claim, self.can_win = event.claim, event.can_win
        played = MovePlayed(
            scene.id,
            ply,
            side,
            verdict.move,
            pressed.spent,
            pressed.left,
            event.info,
            scene.step(),
            pressed.lag,
            pressed.stall,
            pressed.held,
        )
        noted: list[Step] = [Note(played)]
        if isinstance(verdict, Over):
            return [*noted, scene.endings.by_rules(verdict.outcome)]
        if scene.line.position.turn is side:
            noted.append(scene.happened(What.AGAIN, side))
        decided = scene.adjudicator.judge(
            Played(side, ply, event.info, event.zeroing, event.proved, scene.line.letters)
        )
        if decided is not None:
            ruled = scene.happened(What.RULED, decided.outcome.winner, text=decided.detail)
            return [*noted, ruled, decided]
        declined, told = words.decline(self, side)
        return [*noted, *declined, Settle(), *told, *self.ask(event.at)]

    def _refuse(self, event: Moved, verdict: Illegal) -> list[Step]:
        """An engine has lost; a person is told and asked again, the clock running on."""
        scene, side = self.scene, event.side
        if scene.seats[side].kind == "engine":
            fen = scene.line.position.fen()
            return [scene.endings.illegal(side, event.move, fen, verdict.why)]
        report = telling.illegal(event.move, verdict.why)
        told: list[Step] = [Tell(side, report), *self.ask_again(event.at)]
        self._illegal += 1
        if self._illegal > MOST_ILLEGAL:
            return told
        return [Note(Reported(scene.id, scene.ply, side, "server", report.text)), *told]

    # Time

    def _on_alarm(self, event: Alarm) -> list[Step]:
        steps: list[Step] = []
        while event.at >= self.deadline and not ends(steps):
            steps += self._expire(event.at)
        return steps

    def _expire(self, at: float) -> list[Step]:
        """What happens at the `deadline`."""
        if self.clock.deadline <= at:
            ply, had = self.scene.ply + 1, self.clock.had
            if self.mover not in self.have_moved:
                return [self.scene.endings.never_moved(self.mover, ply, had)]
            return [self.scene.endings.flag(self.mover, ply, self.can_win, had)]
        if absences.starts(self) <= at:  # it had time to come back: now its own counts
            absences.start(self, at)
            return []
        return absences.overdue(self, at)

    # The end from outside

    def _on_resigned(self, event: Resigned) -> list[Step]:
        return [self.scene.endings.resigned(event.side)]

    def _on_abort_said(self, event: AbortSaid) -> list[Step]:
        if self.begun:
            return [Tell(event.side, telling.ABORT_TOO_LATE)]
        endings = self.scene.endings
        return [endings.aborted(f"{endings.who(event.side)} aborted it", event.side)]

    def _on_stalled(self, event: Stalled) -> list[Step]:
        return [self.scene.endings.stalled(event.side, event.why)]

    def _on_ruled(self, event: Ruled) -> list[Step]:
        return [
            self.scene.happened(What.RULED, event.outcome.winner, text=event.why),
            self.scene.endings.ruled(event.outcome, event.why),
        ]

    def _on_server_failed(self, event: ServerFailed) -> list[Step]:
        return [self.scene.endings.server(event.why)]

    def _on_paused(self, event: Paused) -> list[Step]:
        thought = self.clock.thought(event.at)
        return [self.scene.happened(What.PAUSED, self.mover, thought)]


_HANDLERS: Mapping[type[Event], Handler] = {
    ClockStarted: Playing._on_clock_started,
    Answered: Playing._on_answered,
    Moved: Playing._on_moved,
    Alarm: Playing._on_alarm,
    Resigned: Playing._on_resigned,
    DrawSaid: words.draw,
    ClaimSaid: words.claim,
    TakebackSaid: words.takeback,
    TimeGiven: words.give_time,
    TakebackRuled: words.rule_takeback,
    TimeRuled: words.rule_time,
    AbortSaid: Playing._on_abort_said,
    Stalled: Playing._on_stalled,
    SentAway: absences.sent_away,
    Away: absences.away,
    Back: absences.back,
    Left: absences.left,
    Hindered: absences.hindered,
    Ruled: Playing._on_ruled,
    ServerFailed: Playing._on_server_failed,
    Paused: Playing._on_paused,
}
