"""One game being played: an object, not a task. Whatever happens to it is one plain call."""

from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Literal, Protocol

import structlog
import trio

from ulci.protocol.messages import BestMove, Blame, FromServer, Info, Lobby, Report
from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.refereed import Judge
from ulci_server.game import Game, telling
from ulci_server.game.events import Alarm as AlarmRang
from ulci_server.game.events import (
    Announce,
    Answered,
    Back,
    Cast,
    ClockStarted,
    Dismiss,
    Effect,
    Event,
    Greet,
    Hindered,
    Note,
    Paused,
    ServerFailed,
    Settle,
    Show,
    StartClock,
    Tell,
)
from ulci_server.game.facts import GameFinished, Happened, MovePlayed, Reported
from ulci_server.lobby import Offer
from ulci_server.storage import Journal

from .alarms import Alarms
from .arbiter import Arbiter, Mover
from .audience import Audience
from .liveness import Liveness, Program
from .logged import log
from .loop_monitor import look
from .tablebases import Tablebases

LOG = structlog.get_logger("ulci_server.hall")

# Complaints kept a game: a program that complains of every line must not fill the disk.
MAX_REPORTS = 100


class Player(Program, Mover, Protocol):
    """What a table needs of whoever sits at it."""

    @property
    def follows(self) -> bool:
        """Whether it wants to see the board while it is not asked to move."""
        ...

    def tell(self, *messages: FromServer) -> None:
        """Say it; never waits. Lobby lines reach only those who asked for them."""
        ...

    def dismiss(self) -> None:
        """The game is over; what is still owed for it no longer counts."""
        ...

    def round_trip(self) -> float | None:
        """The least of its line, in s, as the server measured it; None if it could not."""
        ...


class Table:
    """Runs `Game.handle` and performs the effects in order; what stands behind a `Settle` waits
    until the journal is durable. A bug ends this game, reason ``server``, and no other."""

    def __init__(
        self,
        game: Game,
        seats: tuple[Player, Player],
        journal: Journal,
        alarms: Alarms,
        closed: "Callable[[Table], None]",
        audience: Audience,
        offer: Offer,
        referee: Judge | None = None,
        tablebases: Tablebases | None = None,
    ) -> None:
        self.game = game
        self.audience = audience
        self.offer = offer
        self.seats: list[Player | None] = [*seats]
        self._arbiter = Arbiter(game, referee, tablebases, self.seats, self._run)
        self._journal = journal
        self._alarm = alarms.new(self._ring)
        self._closed = closed
        self._queue: deque[Effect] = deque()
        self._hindered: deque[Hindered] = deque()
        self._spoken: tuple[list[FromServer], list[FromServer]] = ([], [])
        self._settling = False
        self._performing = False
        self._standing = True
        self._reports = 0
        self._expected: set[Side] = set()
        self._back: tuple[deque[Player | None], ...] = (deque(), deque())  # and not greeted yet
        self._liveness = Liveness(alarms, self._thinker, self._tell_how)

    # What happens

    def begin(self) -> None:
        """The players have sat down."""
        self._run(lambda: self.game.begin(trio.current_time()), "Begin")

    def resume(self, steps: Sequence[MovePlayed | Happened], downtime: int, thought: int) -> None:
        """Instead: the game goes on where the record left it. Whoever sits here is not there yet.

        Raises:
            ContradictionError: the record cannot be right.
        """
        now = trio.current_time()
        effects = self.game.resume(steps, now, downtime, thought)
        self._run(lambda: effects, "Resume")

    def snapshot(self) -> tuple[FromServer, ...]:
        """The game as those who watch know it, with the clocks of this moment."""
        self.catch_up()
        position = self.audience.position
        clocks = self.game.clocks(trio.current_time())
        board = (clocks,) if position is None else (position, clocks)
        absent = [telling.seen(self.game.id, side, "line-down") for side in self.game.absent]
        hung = self._liveness.hung
        return (
            *board,
            *absent,
            *([] if hung is None else [telling.seen(self.game.id, hung, "hung")]),
        )

    @property
    def over(self) -> Lobby | None:
        """How it ended, as the lobby says it; None while it is played."""
        outcome = self.game.outcome
        return None if outcome is None else telling.over(self.game.id, outcome)

    def pause(self) -> None:
        """The server ends, and the game does not."""
        self.handle(Paused(trio.current_time()))

    def handle(self, event: Event) -> None:
        """Whatever happens to the game, in one call."""
        if isinstance(event, Back):
            self._back[event.side].append(self.seats[event.side])
        self._run(lambda: self.game.handle(event), type(event).__name__)

    def hindered(self, event: Hindered) -> None:
        """Nothing ran here for a while. That is only noted, as it may concern a thousand games: it
        is dealt with before whatever happens to this one next, the fall of a flag included."""
        if self.game.absent:
            self._hindered.append(event)

    def catch_up(self) -> None:
        """Deal with what was only noted: for who asks how the game stands."""
        if self._hindered:
            self._run(list, "Hindered")

    def hear_move(
        self,
        side: Side,
        move: BestMove,
        at: float,
        info: Info | None,
        late: float = 0.0,
        said: str = "",
    ) -> None:
        """A ``bestmove`` that answers the side's last ``go``: read at `at`, `late` s after it had
        come. `said`: what its program said was wrong, if it did."""
        self.catch_up()
        if self.game.searching is side:
            answered = Answered(side, at, late)
            self._run(lambda: self._arbiter.judge_untrusted(answered, move.move, info, said))

    def hear_report(self, side: Side, source: Literal["player", "server"], text: str) -> None:
        """The player's program complained, or we complained of it: keep it with the game."""
        self._reports += 1
        if self._reports <= MAX_REPORTS and self.game.outcome is None:
            ply = len(self.game.moves)
            self._journal.note(Reported(self.game.id, ply, side, source, text))

    def expect(self, side: Side, player: Player) -> None:
        """Another connection of the same player. Until it is `Back` it hears nothing: it would be
        asked what it is then asked again."""
        self.seats[side] = player
        self._expected.add(side)

    def stop(self, why: str) -> None:
        """The server's own fault or decision: no result."""
        self.handle(ServerFailed(trio.current_time(), why))

    def warn(self, *messages: FromServer) -> None:
        """Say it to both, outside the game's own order."""
        for player in self.seats:
            if player is not None:
                player.tell(*messages)

    # Who thinks

    def _thinker(self) -> tuple[Side, Program] | None:
        side = self.game.searching
        player = None if side is None else self.seats[side]
        return None if side is None or player is None else (side, player)

    def _tell_how(self, side: Side, how: str) -> None:
        """The opponent and those who watch see how the one who thinks does."""
        other = self.seats[side.other]
        if other is not None and side.other not in self._expected:
            other.tell(telling.opponent(self.game.id, how))
        self.audience.hear(telling.seen(self.game.id, side, how))

    # How it is done

    def _ring(self) -> None:
        self.handle(AlarmRang(trio.current_time()))

    def _run(self, happens: Callable[[], list[Effect]], what: str = "Move") -> None:
        """The one door: a bug behind it is caught here and ends this game only."""
        if not self._standing:
            return
        began = perf_counter()
        try:
            while self._hindered:
                self._queue.extend(self.game.handle(self._hindered.popleft()))
            self._queue.extend(happens())
            if not self._performing:
                self._perform()
        except Exception as error:
            LOG.exception("table failed", game=self.game.id)
            self._fail(f"{type(error).__name__} in the server")
        if self._standing:
            self._alarm.set(self.game.deadline)
        look(began, what, "game", self.game.id)

    def _perform(self) -> None:
        self._performing = True
        try:
            while self._queue and not self._settling:
                effect = self._queue.popleft()
                _PERFORM[type(effect)](self, effect)
            self._flush()
        finally:
            self._performing = False

    def _tell(self, effect: Tell) -> None:
        self._spoken[effect.side].append(effect.message)

    def _show(self, effect: Show) -> None:
        player = self.seats[effect.side]
        if player is not None and player.follows:
            self._spoken[effect.side].extend(effect.messages)

    def _announce(self, effect: Announce) -> None:
        for spoken in self._spoken:
            spoken.append(effect.line)
        self.audience.hear(effect.line)

    def _cast(self, effect: Cast) -> None:
        self.audience.hear(*effect.messages)

    def _start_clock(self, effect: StartClock) -> None:
        self._flush()
        white, black = (
            player.round_trip() if player is not None and side in effect.measures else None
            for side, player in zip(Side, self.seats, strict=True)
        )
        started = ClockStarted(effect.side, trio.current_time(), (white, black))
        self._queue.extend(self.game.handle(started))
        self._liveness.asked(started.at)

    def _note(self, effect: Note) -> None:
        self._journal.note(effect.fact)
        log(effect.fact)

    def _settle(self, _: Settle) -> None:
        self._flush()
        self._settling = not self._journal.when_durable(self._settled)

    def _settled(self) -> None:
        self._settling = False
        self._run(list, "Settled")

    def _greet(self, effect: Greet) -> None:
        self._flush()
        if self._back[effect.side].popleft() is self.seats[effect.side]:
            self._expected.discard(effect.side)  # or else yet another line is expected

    def _dismiss(self, _: Dismiss) -> None:
        self._flush()
        for side in self._expected:  # it is back, and was not told anything yet
            player = self.seats[side]
            if player is not None and self.over is not None:
                player.tell(self.over)
        self._standing = False
        self._alarm.end()
        self._liveness.over()
        self._arbiter.end()
        self._closed(self)
        for side in Side:
            player, self.seats[side] = self.seats[side], None
            if player is not None:
                player.dismiss()

    def _flush(self) -> None:
        """Hand over what was said: one `tell` a player, so that it leaves in one piece."""
        for side, player, spoken in zip(Side, self.seats, self._spoken, strict=True):
            if spoken:
                messages, spoken[:] = tuple(spoken), ()
                if player is not None and side not in self._expected:
                    player.tell(*messages)

    def _fail(self, why: str) -> None:
        """Our bug. The game may be in any state: say and store the least, then close the table."""
        self._queue.clear()
        self._settling = False
        outcome = Outcome(None, Reason.SERVER)
        if self.game.outcome is None:
            self._journal.note(GameFinished(self.game.id, outcome, why))
        over = telling.over(self.game.id, outcome)
        complaint = Report(Blame.SERVER, f"this game ends without a result: {why}")
        self.warn(complaint, telling.result(outcome), over)
        self._expected.clear()  # who was about to come back has been told with it
        self.audience.hear(over)
        self._dismiss(Dismiss(None))


_PERFORM: dict[type[Effect], Callable[[Table, Any], None]] = {
    Tell: Table._tell,
    Show: Table._show,
    Cast: Table._cast,
    Announce: Table._announce,
    StartClock: Table._start_clock,
    Note: Table._note,
    Settle: Table._settle,
    Dismiss: Table._dismiss,
    Greet: Table._greet,
}
