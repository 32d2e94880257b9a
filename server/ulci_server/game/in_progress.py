"""The phase with running clocks: a side is asked, answers, and the other is asked.

An ordinary move is one call and one value, a `Turn`: `InProgress.move` judges it, presses the clock
and returns the side to ask next; `InProgress.handed_over` starts that clock. All else is an event,
which leads to effects.
"""

import math
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec.structs import replace

from ulci.protocol.messages import (
    Abort,
    Berserk,
    Claim,
    Draw,
    GameCommand,
    GiveTime,
    Lobby,
    Resign,
    Stop,
    Takeback,
)
from ulci.rules import Illegal, Over, Reason, Side, Verdict
from ulci.rules.text import NO_MOVES

from . import absence_handlers, notices, offers
from .clock import Clock
from .context import GameContext, Handler, Step, ends, ignore, ruled, server_failed
from .endings import quote_reason
from .events import (
    Alarm,
    Announce,
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    Hindered,
    Judged,
    Kicked,
    Left,
    Note,
    Paused,
    Ruled,
    ServerFailed,
    Settle,
    StartClock,
    TakebackRuled,
    Tell,
    TimeRuled,
    Turn,
)
from .facts import EventKind, MovePlayed, Reported
from .lag import RoundTrips

MOST_ILLEGAL = 100
"""Illegal moves of people in the record of a game: people who play by hand make a few."""


class InProgress:
    """The phase from the first ``go`` to the end.

    offer: the side that offers a draw. takeback: the side that offers to take back, and how many
    plies. have_moved: the sides that have made a move. berserk: the sides that play with half the
    time. disconnections: how many of White's and of Black's count. late: the sides that were absent
    when the game began and have not come yet. cut_off: the sides that have not come back since the
    restart, each with the notice of it; or since another server that they were connected to has
    ended (None). standing: whether the mover's clock waits for the mover.
    """

    __slots__ = (
        "_held",
        "_illegal",
        "_judged",
        "_move_list",
        "_owed",
        "_starting",
        "berserk",
        "clock",
        "context",
        "cut_off",
        "disconnections",
        "have_moved",
        "late",
        "offer",
        "standing",
        "takeback",
    )

    def __init__(self, context: GameContext, clock: Clock) -> None:
        self.context = context
        self.clock = clock
        self.offer: Side | None = None
        self.takeback: tuple[Side, int] | None = None
        self.have_moved: set[Side] = set()
        self.berserk: set[Side] = set()
        self.disconnections = [0, 0]
        self.late: set[Side] = set()
        self.cut_off: dict[Side, Lobby | None] = {}
        self.standing = False
        self._move_list = context.move_list
        self._owed = False  # whether the mover was asked and has not answered
        self._starting = 0  # ``go`` commands not handed over yet
        self._judged: Answered | None = None  # the answer that an arbiter elsewhere judges
        self._held: deque[Event] = deque()  # events that wait for its verdict
        self._illegal = 0  # illegal moves of people

    # State

    @property
    def mover(self) -> Side:
        return self._move_list.turn

    @property
    def begun(self) -> bool:
        """Whether both have moved."""
        return len(self.have_moved) == len(Side)

    @property
    def counts(self) -> bool:
        """Whether a side that leaves or stays away loses; otherwise that aborts the game."""
        return self.begun or self.context.conduct.forfeit

    @property
    def claim(self) -> Reason | None:
        """The draw that can be claimed by the rules now."""
        return self._move_list.position.claim()

    @property
    def asked(self) -> Side | None:
        """The connected side that has been sent ``go``, or will be once the record is durable."""
        return self.mover if self._owed and self.context.presence.here(self.mover) else None

    @property
    def searching(self) -> Side | None:
        """The side that was sent ``go`` and has not answered. An answer before its ``go`` belongs
        to an earlier one, from before moves were taken back."""
        return None if self._starting else self.asked

    @property
    def deadline(self) -> float:
        """When (s) a flag falls or a grace ends; never while an arbiter judges."""
        if self._judged is not None:
            return math.inf
        if not self.standing and not self.context.presence.gone:
            return self.clock.deadline
        return min(self.clock.deadline, self._absence_deadline)

    @property
    def _absence_deadline(self) -> float:
        """When (s) a grace ends."""
        return min(absence_handlers.due(self), absence_handlers.starts(self))

    # Asking

    def begin(self, at: float, cut_off: Collection[Side]) -> list[Step]:
        """Begin the phase. cut_off: the sides that a server has disconnected before."""
        absent = absence_handlers.begin(self, at, cut_off) if self.context.presence.gone else []
        # No player may be asked to move in a game that is not in the record.
        return [*absent, Settle(), self.ask(at)]

    def ask(self, at: float, played: MovePlayed | None = None) -> Turn:
        """Ask the side to move by the rules, after the move that was `played`."""
        moves, clock = self._move_list, self.clock
        moves.turn = mover = moves.position.turn
        clocks = clock.told(at)
        self.standing = False
        self._owed = True
        self._starting += 1
        position, go = self.context.told(), clock.go(mover, at, clocks)
        return Turn(played, mover, position, go, clocks, clock.measures[mover])

    def ask_again(self, at: float) -> list[Step]:
        """Send ``go`` once more, with the time that is left."""
        self._owed = True
        self._starting += 1
        return [
            Tell(self.mover, self.context.told()),
            Tell(self.mover, self.clock.go(self.mover, at)),
            StartClock(self.mover, self.clock.measures[self.mover]),
        ]

    def handed_over(self, at: float, trips: RoundTrips) -> None:
        """A ``go`` was handed to the mover's connection: after the last one its clock runs."""
        self._starting = max(0, self._starting - 1)
        if self._starting or not self._owed or self.clock.since is not None:
            return
        if self.cut_off:
            absence_handlers.start(self, at, trips)
        else:
            self.clock.start(self._move_list.turn, at, trips)

    # Moves

    def move(self, answer: Answered) -> Turn | list[Step]:
        """The side has answered; ignored if no answer is owed."""
        if not self._is_awaited(answer.side):
            return []
        before, due = answer.at - answer.late - answer.earlier, list[Step]()
        if before > self.deadline:
            due = self._due(before)
            if ends(due):
                return due
        after = self._judge(answer, self._move_list.position.play_untrusted(answer.move))
        return [*due, *_steps(after)] if due else after

    def _is_awaited(self, side: Side) -> bool:
        """Whether an answer from the side is awaited; if so, it is no longer owed."""
        if (
            not self._owed
            or self._starting
            or side is not self._move_list.turn
            or side in self.context.presence.gone
            or self._judged is not None
        ):
            return False
        self._owed = False
        return True

    def _judge(self, answer: Answered, verdict: Verdict) -> Turn | list[Step]:
        """The steps after the verdict; the position has made the move if it is legal."""
        if isinstance(verdict, Illegal):
            self.clock.excuse(answer.at, answer.late, answer.earlier)
            return self._refuse(answer, verdict)
        context, moves, side = self.context, self._move_list, answer.side
        clock = self.clock.press(side, answer.at, answer.late, answer.earlier)
        ply = moves.add(side, verdict.move, answer.move)
        self.have_moved.add(side)
        context.seq = seq = context.seq + 1
        played = MovePlayed(
            context.id,
            ply,
            side,
            verdict.move,
            clock.spent,
            clock.left,
            answer.info,
            seq,
            clock.lag,
            clock.stall,
            clock.held,
        )
        if isinstance(verdict, Over):
            return [Note(played), context.endings.by_rules(verdict.outcome)]
        decided = context.adjudicator.judge(
            side, ply, answer.info, moves.told.letters, moves.position
        )
        again = moves.position.turn is side
        declined = self.offer is side.other or self.takeback is not None
        if decided is None and not again and not declined:
            return self.ask(answer.at, played)
        noted: list[Step] = [Note(played)]
        if again:
            noted.append(context.happened(EventKind.AGAIN, side))
        if decided is not None:
            ruled = context.happened(EventKind.RULED, decided.outcome.winner, text=decided.detail)
            return [*noted, ruled, decided]
        refused, told = offers.decline(self, side)
        return [*noted, *refused, Settle(), *told, self.ask(answer.at)]

    def _refuse(self, answer: Answered, verdict: Illegal) -> list[Step]:
        """An engine has lost; a person gets an error and is asked again while the clock runs on."""
        context, side, why = self.context, answer.side, verdict.why
        if answer.said and answer.move.lower() in NO_MOVES:  # its program's own reason
            why = f"{why}; its program said: {quote_reason(answer.said)}"
        if context.seats[side].kind == "engine":
            return [context.endings.illegal(side, answer.move, self._move_list.position.fen(), why)]
        report = notices.illegal(answer.move, why)
        told: list[Step] = [Tell(side, report), *self.ask_again(answer.at)]
        self._illegal += 1
        if self._illegal > MOST_ILLEGAL:
            return told
        return [Note(Reported(context.id, context.ply, side, "server", report.text)), *told]

    def take_back(self, plies: int, at: float) -> list[Step]:
        """Take back `plies` moves. The mover's time since then is not charged; the time used for
        the moves stays used."""
        # Also to an absent mover: its ``go`` may still be pending and reach a new connection.
        stop: list[Step] = [Tell(self.mover, Stop())] if self._owed else []
        self.clock.take_back(self._move_list.movers_of_last(plies))
        self._move_list.take_back(plies)
        self.context.adjudicator.take_back()
        self.offer = self.takeback = None
        done = notices.taken_back(self.context.id, plies, self.context.ply)
        return [*stop, Settle(), Announce(done), self.ask(at)]

    # Events

    def handle(self, event: Event, *, flag_held: bool = False) -> list[Step]:
        """Handle an event. flag_held: the mover's flag does not fall by this event, because this
        server does not know whether the mover has answered in time."""
        if self._judged is not None and not isinstance(event, _WHILE_JUDGED):
            self._held.append(event)
            return []
        steps = self._take(event, flag_held=flag_held)
        while self._held and self._judged is None and not ends(steps):
            steps += self._take(self._held.popleft())
        return steps

    def _take(self, event: Event, *, flag_held: bool = False) -> list[Step]:
        awaited = not isinstance(event, Answered) or self._is_awaited(event.side)
        if isinstance(event, Back) and event.side is self.mover:
            self._owed = False  # the connection that was asked is closed, its answer lost
        before = event.at
        if isinstance(event, Answered | Hindered):
            before -= event.late  # the server's delay in reading is not the player's fault
        elif isinstance(event, Away | Back):
            absence_handlers.excuse(self, event.side, event.delays)
            if isinstance(event, Away) and event.cut_off_at is not None:
                before = min(before, event.cut_off_at)
        due = self._due(before, flag_held=flag_held)
        if ends(due) or not awaited:
            return due
        return due + _HANDLERS.get(type(event), ignore)(self, event)

    def _due(self, before: float, *, flag_held: bool = False) -> list[Step]:
        """Handle the flag and the absences that were due before that moment (s); if `flag_held`,
        only absences."""
        due: list[Step] = []
        while not ends(due):
            at = self._absence_deadline if flag_held else self.deadline
            if before <= at:
                break
            due += self._expire(at, flag_held=flag_held)
        return due

    def _on_answered(self, event: Answered) -> list[Step]:
        self._judged = event
        self.clock.halt(event.at)
        return []

    def _on_judged(self, event: Judged) -> list[Step]:
        answer, self._judged = self._judged, None
        return [] if answer is None else _steps(self._judge(answer, event.verdict))

    # Time

    def _on_alarm(self, event: Alarm) -> list[Step]:
        steps: list[Step] = []
        while event.at >= self.deadline and not ends(steps):
            steps += self._expire(event.at)
        return steps

    def _expire(self, at: float, *, flag_held: bool = False) -> list[Step]:
        """The steps at the `deadline`."""
        context, mover = self.context, self.mover
        if self.clock.deadline <= at and not flag_held:
            ply, had = context.ply + 1, self.clock.had
            if mover not in self.have_moved and not context.conduct.forfeit:
                return [context.endings.never_moved(mover, ply, had)]
            can_win = self._move_list.position.can_win(mover.other)
            return [context.endings.flag(mover, ply, had, can_win=can_win)]
        if absence_handlers.starts(self) <= at:  # its grace is over: the clock runs
            absence_handlers.start(self, at)
            return []
        return absence_handlers.overdue(self, at)

    # Commands

    def _on_commanded(self, event: Commanded) -> list[Step]:
        if forbidden := self.context.forbids(event):
            return forbidden
        return COMMANDS[type(event.command)](self, event, event.command)

    def _resign(self, event: Commanded, _: Resign) -> list[Step]:
        return [self.context.endings.resigned(event.side)]

    def _abort(self, event: Commanded, _: Abort) -> list[Step]:
        if self.begun:
            return [Tell(event.side, notices.ABORT_TOO_LATE)]
        endings = self.context.endings
        return [endings.aborted(f"{endings.who(event.side)} aborted it", event.side)]

    # The server

    def _on_paused(self, event: Paused) -> list[Step]:
        thought = self.clock.thought(event.at)
        return [self.context.happened(EventKind.PAUSED, self.mover, thought)]


def _steps(after: Turn | list[Step]) -> list[Step]:
    """The result of a move as single steps."""
    if not isinstance(after, Turn):
        return after
    if after.played is None:
        return [after]
    return [Note(after.played), Settle(), replace(after, played=None)]


_WHILE_JUDGED = (Judged, ServerFailed, Paused, Ruled)
"""Events that do not wait until an arbiter elsewhere has judged."""

COMMANDS: Mapping[type[GameCommand], Callable[[InProgress, Commanded, Any], list[Step]]] = {
    Resign: InProgress._resign,
    Draw: offers.draw,
    Abort: InProgress._abort,
    Takeback: offers.takeback,
    Claim: offers.claim,
    GiveTime: offers.give_time,
    Berserk: offers.berserk,
}
"""All commands to a game."""

_HANDLERS: Mapping[type[Event], Handler] = {
    Answered: InProgress._on_answered,
    Judged: InProgress._on_judged,
    Alarm: InProgress._on_alarm,
    Commanded: InProgress._on_commanded,
    TakebackRuled: offers.rule_takeback,
    TimeRuled: offers.rule_time,
    Kicked: absence_handlers.kicked,
    Away: absence_handlers.away,
    Back: absence_handlers.back,
    Left: absence_handlers.left,
    Hindered: absence_handlers.hindered,
    Ruled: ruled,
    ServerFailed: server_failed,
    Paused: InProgress._on_paused,
}
