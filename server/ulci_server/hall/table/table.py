"""One game being played: an object, not a task. Every event is one plain call."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, Literal

import structlog
import trio

from ulci.protocol import Unread
from ulci.protocol.messages import Blame, FromServer, Info, Lobby, Report
from ulci.rules import Needs, Outcome, Reason, Side
from ulci.rules.refereed import Judge
from ulci_server.game import Game, Ruled, Seat, TakebackRuled, notices
from ulci_server.game.events import Alarm as AlarmRang
from ulci_server.game.events import (
    Announce,
    Answered,
    Away,
    Back,
    Cast,
    Commanded,
    Dismiss,
    Effect,
    Event,
    Greet,
    Hindered,
    Left,
    Note,
    Paused,
    ServerFailed,
    Settle,
    Show,
    StartClock,
    Tell,
    Turn,
)
from ulci_server.game.facts import Fact, GameFinished, GameStarted, Happened, MovePlayed, Reported
from ulci_server.hall.loop_monitor import note_duration
from ulci_server.hall.timers import Alarms
from ulci_server.lobby import Agreement, lobby_lines
from ulci_server.storage import Journal

from .arbiter import Arbiter
from .game_log import log, logs_moves
from .interfaces import AdminRuling, SeatedPlayer, snapshot
from .seats import Seats
from .spectators import Spectators, Watcher
from .state import LatestMove, TableState, latest_move, state_of

LOG = structlog.get_logger("ulci_server.hall")

# Error reports stored a game: a program that reports every line must not fill the disk.
MAX_REPORTS = 100

OUR_FAULT = "a fault of the server"
"""All that players learn of a bug, and the record; what it is is in the log."""


class Table:
    """Performs the effects of its game in order; effects after a `Settle` wait until the journal
    is durable. A bug ends this game, reason ``server``, and no other.

    Sessions know it as `AnyTable`; the page reads it, too. What the table tells them is in
    `SeatedPlayer` and `Watcher`.

    holds_flag: whether the flag may not fall yet, as it is not known here if the player to move has
    answered.
    """

    __slots__ = (
        "_alarm",
        "_arbiter",
        "_closed",
        "_hindered",
        "_holds_flag",
        "_hung",
        "_journal",
        "_logs_moves",
        "_now",
        "_open",
        "_performing",
        "_queue",
        "_reports",
        "_seats",
        "_settling",
        "_turn",
        "agreement",
        "game",
        "id",
        "seats",
        "spectators",
    )

    def __init__(
        self,
        game: Game,
        seats: tuple[SeatedPlayer, SeatedPlayer],
        journal: Journal,
        alarms: Alarms,
        closed: "Callable[[Table], None]",
        spectators: Spectators,
        agreement: Agreement,
        referee: Judge | None = None,
        holds_flag: "Callable[[Table], bool]" = lambda _: False,
    ) -> None:
        self.id = game.id
        self.game = game
        self.spectators = spectators
        self.agreement = agreement
        self._seats = Seats(seats)
        self.seats = self._seats.players
        self._arbiter = None
        if referee is not None:
            self._arbiter = Arbiter(game, referee, self.seats, self._run)
        self._journal = journal
        self._now = trio.lowlevel.current_clock().current_time
        self._alarm = alarms.new(self._ring)
        self._closed = closed
        self._holds_flag = holds_flag
        self._queue: deque[Effect] = deque()
        self._turn: Turn | None = None  # to be asked once the move before it is durable
        self._hindered: deque[Hindered] = deque()
        self._settling = False
        self._performing = False
        self._open = True
        self._reports = 0
        self._hung: Side | None = None
        self._logs_moves = logs_moves()

    # From players

    def answered(self, answered: Answered, *, may_repeat: bool) -> None:
        """A ``bestmove`` that answers the side's last ``go``. `may_repeat`: after a reconnect a
        client may repeat its move, as it cannot know whether it arrived."""
        if self._hindered:
            self.catch_up()
        if not self._open:
            return
        game, began, side = self.game, perf_counter(), answered.side
        try:
            if may_repeat and game.repeats(side, answered.move):
                player = self.seats[side]
                if player is not None:
                    player.still_asked(answered.move)
                return
            if self._arbiter is None:
                after = game.move(answered)
            else:
                awaited = game.searching is side
                after = self._arbiter.judge_untrusted(answered) if awaited else []
            if isinstance(after, Turn):
                if not (self._queue or self._settling or self._performing):
                    self._take_turn(after)  # what is due is known when the clock starts
                    return
                after = [after]
            self._queue.extend(after)
            if not self._performing:
                self._perform()
        except Exception:
            LOG.exception("table failed", game=self.id)
            self._fail()
        self._set_alarm()
        note_duration(began, "Move", "game", self.id)

    def answered_late(self, side: Side, move: str) -> None:
        """A ``bestmove`` that answers an older ``go`` than the last."""
        self.game.answered_late(side, move)

    def report(self, side: Side, source: Literal["player", "server"], text: str) -> None:
        """Store an error that the player's program reported, or that we reported of it."""
        self._reports += 1
        if self._reports <= MAX_REPORTS and self.game.outcome is None:
            ply = len(self.game.moves)
            self._journal.note(Reported(self.id, ply, side, source, text))

    def add_info(self, side: Side, analysis: Unread | Info) -> None:
        """The newest info of the side's program."""
        self.spectators.add_info(side, analysis)

    def tell_state(self, side: Side, state: Literal["hung", "thinking"]) -> None:
        """The program of the side hangs, or answers again: tell its opponent and spectators."""
        if self.game.searching is not side:
            return
        self._hung = side if state == "hung" else None
        self._seats.tell(side.other, notices.opponent(self.id, state))
        self.spectators.send(notices.seen(self.id, side, state))

    def say(self, side: Side, line: Lobby) -> None:
        """Tell the side's opponent; if it cannot read lobby lines, tell the side that."""
        self._seats.say(side, line)

    def chat(self, line: Lobby) -> bool:
        """Send what a spectator says to the others; the players do not get it."""
        self.spectators.chat(line)
        return True

    def handle(self, event: Event) -> None:
        """Any other event of the game."""
        if isinstance(event, Back):
            self._seats.back(event.side)
        what = event.command if isinstance(event, Commanded) else event
        self._run(lambda: _handle(self, event), type(what).__name__)

    async def rule(self, ruling: AdminRuling) -> int:
        """An administrator's ruling; see `apply`."""
        return self.apply(ruling)

    def apply(self, ruling: AdminRuling) -> int:
        """Perform a ruling. Returns how many moves were taken back, or otherwise 1; 0: it changed
        nothing."""
        now = self._now()
        before = _ruled_about(self.game, ruling, now)
        self.handle(ruling)
        changed = abs(_ruled_about(self.game, ruling, now) - before)
        return changed if isinstance(ruling, TakebackRuled) else min(1, changed)

    def expect(self, side: Side, player: SeatedPlayer) -> None:
        """Seat a player's new connection. It is muted until it is `Back`."""
        self._seats.expect(side, player)

    # From watchers

    def watch(self, watcher: Watcher) -> None:
        self.spectators.join(watcher)

    def unwatch(self, watcher: Watcher) -> None:
        self.spectators.leave(watcher)

    def show_thoughts(self, side: Side, *, wanted: bool) -> None:
        """Whether the side's player wants to be shown what its opponent's program thinks, delayed
        as for spectators. It stays so on the player's next connections."""
        tell = partial(self._seats.tell, side) if wanted else None
        self.spectators.read_thoughts(side.other, tell)

    def listed(self) -> Lobby:
        """Its line in the list of games."""
        return lobby_lines.playing(self.game.started, len(self.game.moves))

    def heading(self) -> Lobby:
        """The line that names the players to a watcher."""
        return lobby_lines.watching(self.game.started, len(self.game.moves))

    def snapshot(self) -> tuple[FromServer, ...]:
        """What a new watcher gets at once."""
        self.catch_up()
        return snapshot(self, self.state())

    def state(self) -> TableState:
        """The present one."""
        return state_of(self.game, self._now(), self._hung)

    def latest(self) -> LatestMove | None:
        """The last move that spectators know; the game may be one ahead, which is not durable."""
        return latest_move(self.game, self.spectators.position)

    @property
    def started(self) -> GameStarted:
        """How it began."""
        return self.game.started

    # From the hall

    def begin(self) -> None:
        """Begin the game; both players are seated."""
        self._run(lambda: self.game.begin(self._now()), "Begin")

    def resume(
        self, steps: Sequence[MovePlayed | Happened], downtime: int | None, thought: int
    ) -> None:
        """Resume the stored game instead of `begin`. Its players are still absent.

        Raises:
            ContradictionError: the stored facts contradict each other.
        """
        effects = self.game.resume(steps, self._now(), downtime, thought)
        self._run(lambda: effects, "Resume")

    @property
    def over(self) -> Lobby | None:
        """The lobby's line about the result; None during the game."""
        outcome = self.game.outcome
        return None if outcome is None else notices.over(self.id, outcome)

    @property
    def players(self) -> Collection[SeatedPlayer]:
        return [player for player in self.seats if player is not None]

    def seat(self, side: Side) -> Seat:
        """The side's player, as it is stored."""
        return self.game.seats[side]

    def needs(self) -> Needs:
        """What a program must support to play this game."""
        return self.agreement.game.needs(self.agreement.start)

    def pause(self) -> None:
        """The server shuts down; the next one resumes the game."""
        self.handle(Paused(self._now()))

    def leave(self, at: float) -> list[Fact]:
        """Close without a word: the game goes on at another server. Returns the facts that it has
        to be left with, so that its clocks stand since `at` (s); they are not noted here. Facts,
        moves too, that waited until others were durable are among them."""
        self._handle_stalls()
        facts = _facts_in((*self._queue, *_handle(self, Paused(at))))
        self._queue.clear()
        self._turn = None
        self._shut()
        return facts

    def _shut(self) -> None:
        self._open = False
        self._alarm.end()
        if self._arbiter is not None:
            self._arbiter.end()

    def stop(self, why: str) -> None:
        """End the game without a result, by the server's fault or decision."""
        self.handle(ServerFailed(self._now(), why))

    def warn(self, *messages: FromServer) -> None:
        """Tell both players at once, before effects that wait."""
        for player in self.players:
            player.tell(*messages)

    def hindered(self, event: Hindered) -> None:
        """The server stalled. Only noted here, as it may concern a thousand games; handled before
        the next event of this one, a flag fall included."""
        if self.game.absent:
            self._hindered.append(event)

    def catch_up(self) -> None:
        """Handle noted stalls, before the state of the game is read."""
        if self._hindered:
            self._run(list, "Hindered")

    def _handle_stalls(self) -> None:
        while self._hindered:
            self._queue.extend(_handle(self, self._hindered.popleft()))

    # Effects

    def _ring(self) -> None:
        if not _is_flag_held(self):
            self.ring()

    def ring(self) -> None:
        """What the game waited for is due, as is the flag of the side to move."""
        self._run(lambda: self.game.handle(AlarmRang(self._now())), "Alarm")

    def ring_after(self, seconds: float) -> None:
        """What the game waits for is due then, unless an event comes before."""
        self._alarm.set(self._now() + seconds)

    @property
    def awaits_mover(self) -> bool:
        """Whether the side to move is here, and was asked or is about to be."""
        return self.game.searching is not None or self.game.mover in self._seats.muted

    def _run(self, happens: Callable[[], list[Effect]], what: str = "Move") -> None:
        """Perform the effects of an event; all but ordinary moves come this way. A bug is caught
        here and ends this game only."""
        if not self._open:
            return
        began = perf_counter()
        try:
            self._handle_stalls()
            self._queue.extend(happens())
            if not self._performing:
                self._perform()
        except Exception:
            LOG.exception("table failed", game=self.id)
            self._fail()
        self._set_alarm()
        note_duration(began, what, "game", self.id)

    def _set_alarm(self) -> None:
        if self._open:
            self._alarm.set(self.game.deadline)

    def _perform(self) -> None:
        self._performing = True
        try:
            while self._queue and not self._settling:
                effect = self._queue.popleft()
                _PERFORM[type(effect)](self, effect)
            self._seats.flush()
        finally:
            self._performing = False

    def _take_turn(self, turn: Turn) -> None:
        """Note the move, if there is one; ask the next mover when it is durable."""
        if turn.played is not None:
            durable = self._journal.save_now(turn.played)
            if self._logs_moves:
                log(turn.played)
            if not durable:
                self._turn = turn
                self._settling = not self._journal.when_durable(self._settled)
                if self._settling:
                    return
                self._turn = None
        self._ask(turn)

    def _ask(self, turn: Turn) -> None:
        """Ask the mover first, whose clock then runs; then tell the others."""
        seats, side, other = self._seats, turn.side, turn.side.other
        if seats.gathered[0] or seats.gathered[1]:
            seats.flush()
        mover, opponent = seats.players[side], seats.players[other]
        self._hung = None
        if mover is not None and side not in seats.muted:
            mover.ask_move(turn.position, turn.go)
        self._hand_over(turn.measures)
        if opponent is not None and opponent.follows and other not in seats.muted:
            opponent.tell(turn.position, turn.clocks)
        self.spectators.show(turn.position, turn.clocks)

    def _hand_over(self, measures: Sequence[Side]) -> None:
        """The ``go`` is in the outbox: start the clock."""
        trips: list[float | None] = [None, None]
        for side in measures:
            player = self.seats[side]
            trips[side] = None if player is None else player.round_trip()
        deadline = self.game.handed_over(self._now(), (trips[0], trips[1]))
        if self._open:
            self._alarm.set(deadline)

    def _settled(self) -> None:
        """All noted facts are durable."""
        self._settling = False
        turn, self._turn = self._turn, None
        if turn is not None and self._open:
            try:
                self._ask(turn)
            except Exception:
                LOG.exception("table failed", game=self.id)
                self._fail()
        if self._queue:
            self._run(list, "Settled")

    def _fail(self) -> None:
        """Our bug. The game may be in any state: tell and store the least, then close the table."""
        if not self._open:
            return  # it failed when it was being closed
        self._queue.clear()
        self._turn = None
        self._settling = False
        outcome = Outcome(None, Reason.SERVER)
        if self.game.outcome is None:
            self._journal.note(GameFinished(self.id, outcome, OUR_FAULT))
        over = notices.over(self.id, outcome)
        complaint = Report(Blame.SERVER, f"this game ends without a result: {OUR_FAULT}")
        self.warn(complaint, notices.result(outcome), over)
        self._seats.muted.clear()  # returning players got it with the others
        self.spectators.send(over)
        _dismiss(self, Dismiss(None))


def _handle(table: Table, event: Event) -> list[Effect]:
    """What happens to the side to move says itself whether its flag has fallen. All other events
    leave that open while the flag is held: the answer may have come in time."""
    of_mover = isinstance(event, Away | Back | Left) and event.side is table.game.mover
    return table.game.handle(event, flag_held=not of_mover and _is_flag_held(table))


def _is_flag_held(table: Table) -> bool:
    return table.game.is_out_of_time(table._now()) and table._holds_flag(table)


def _ruled_about(game: Game, ruling: AdminRuling, now: float) -> int:
    """What the ruling is to change."""
    if isinstance(ruling, Ruled):
        return game.outcome is not None
    if isinstance(ruling, TakebackRuled):
        return len(game.moves)
    clocks = game.clocks(now)
    return (clocks.wtime, clocks.btime)[ruling.side] or 0


def _facts_in(effects: Iterable[Effect]) -> list[Fact]:
    facts: list[Fact] = []
    for effect in effects:
        if isinstance(effect, Note):
            facts.append(effect.fact)
        elif isinstance(effect, Turn) and effect.played is not None:
            facts.append(effect.played)
    return facts


def _tell(table: Table, effect: Tell) -> None:
    table._seats.gathered[effect.side].append(effect.message)


def _show(table: Table, effect: Show) -> None:
    player = table.seats[effect.side]
    if player is not None and player.follows:
        table._seats.gathered[effect.side].extend(effect.messages)


def _announce(table: Table, effect: Announce) -> None:
    for gathered in table._seats.gathered:
        gathered.append(effect.line)
    table.spectators.send(effect.line)


def _cast(table: Table, effect: Cast) -> None:
    table.spectators.send(*effect.messages)


def _start_clock(table: Table, effect: StartClock) -> None:
    table._seats.flush()
    table._hand_over(effect.measures)


def _note(table: Table, effect: Note) -> None:
    table._journal.note(effect.fact)
    log(effect.fact)


def _greet(table: Table, effect: Greet) -> None:
    table._seats.flush()
    table._seats.greet(effect.side)


def _settle(table: Table, _: Settle) -> None:
    table._seats.flush()
    table._settling = not table._journal.when_durable(table._settled)


def _dismiss(table: Table, _: Dismiss) -> None:
    table._seats.flush()
    over, ending = table.over, table.game.ending
    if over is not None:
        table._seats.tell_muted(over)
    table._shut()
    table._closed(table)
    aborted = ending is not None and ending.outcome.reason is Reason.ABORTED
    for side in Side:
        player = table._seats.rise(side)
        if player is not None:
            front = aborted and ending is not None and side not in ending.fault
            player.dismiss(over, front=front)


_PERFORM: dict[type[Effect], Callable[[Table, Any], None]] = {
    Tell: _tell,
    Show: _show,
    Cast: _cast,
    Announce: _announce,
    StartClock: _start_clock,
    Turn: Table._take_turn,
    Note: _note,
    Settle: _settle,
    Dismiss: _dismiss,
    Greet: _greet,
}
