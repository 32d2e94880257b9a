"""One game being played: an object, not a task. Whatever happens to it is one plain call."""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Protocol

import structlog
import trio

from ulci.protocol.messages import BestMove, Blame, FromServer, Info, Report
from ulci.rules.outcome import Outcome, Reason, Side
from ulci.rules.position import Position
from ulci.rules.refereed import Judge, Lost, RefereedPosition, Ruling
from ulci_server.game import Game
from ulci_server.game.events import Alarm as AlarmRang
from ulci_server.game.events import (
    Announce,
    Answered,
    ClockStarted,
    Dismiss,
    Effect,
    Event,
    Moved,
    Note,
    ServerFailed,
    Settle,
    Show,
    StartClock,
    Tell,
)
from ulci_server.game.facts import Fact, GameFinished, GameStarted, MovePlayed, Reported
from ulci_server.storage import Journal

from .alarms import Alarms

LOG = structlog.get_logger("ulci_server.hall")

# Complaints kept a game: a program that complains of every line must not fill the disk.
MAX_REPORTS = 100


class Player(Protocol):
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


class Table:
    """Runs `Game.handle` and performs the effects in order; what stands behind a `Settle` waits
    until the journal is durable. A bug ends this game, reason ``server``, and no other."""

    def __init__(
        self,
        game: Game,
        position: Position,
        seats: tuple[Player, Player],
        journal: Journal,
        alarms: Alarms,
        closed: "Callable[[Table], None]",
        referee: Judge | None = None,
    ) -> None:
        self.game = game
        self.seats: list[Player | None] = [*seats]
        self._position = position
        self._referee = referee
        self._journal = journal
        self._alarm = alarms.new(self._ring)
        self._closed = closed
        self._queue: deque[Effect] = deque()
        self._spoken: tuple[list[FromServer], list[FromServer]] = ([], [])
        self._settling = False
        self._performing = False
        self._standing = True
        self._reports = 0

    # What happens

    def begin(self) -> None:
        """The players have sat down."""
        self._run(lambda: self.game.begin(trio.current_time()))

    def handle(self, event: Event) -> None:
        """Whatever happens to the game, in one call."""
        self._run(lambda: self.game.handle(event))

    def hear_move(self, side: Side, move: BestMove, at: float, info: Info | None) -> None:
        """A ``bestmove`` that answers the side's last ``go``; `at` (s) is when it was read."""
        if self.game.searching is side:
            self._run(lambda: self._judge_untrusted(side, move.move, at, info))

    def hear_report(self, side: Side, source: Literal["player", "server"], text: str) -> None:
        """The player's program complained, or we complained of it: keep it with the game."""
        self._reports += 1
        if self._reports <= MAX_REPORTS and self.game.outcome is None:
            ply = len(self.game.moves)
            self._journal.note(Reported(self.game.id, ply, side, source, text))

    def sit(self, side: Side, player: Player | None) -> None:
        """Another connection of the same player, or nobody for now."""
        self.seats[side] = player

    def stop(self, why: str) -> None:
        """The server's own fault or decision: no result."""
        self.handle(ServerFailed(trio.current_time(), why))

    def warn(self, *messages: FromServer) -> None:
        """Say it to both, outside the game's own order."""
        for player in self.seats:
            if player is not None:
                player.tell(*messages)

    # How it is done

    def _judge_untrusted(self, side: Side, move: str, at: float, info: Info | None) -> list[Effect]:
        position = self._position
        if isinstance(position, RefereedPosition):
            assert self._referee is not None
            ruled = partial(self._ruled, position, Answered(side, at), move, info)
            self._referee.ask(position.asks(move), ruled)
            return self.game.handle(Answered(side, at))
        verdict = position.play_untrusted(move)
        can_win = (position.can_win(Side.WHITE), position.can_win(Side.BLACK))
        moved = Moved(side, move, verdict, at, info, position.claim(), can_win)
        return self.game.handle(moved)

    def _ruled(
        self,
        position: RefereedPosition,
        answered: Answered,
        move: str,
        info: Info | None,
        ruling: Ruling,
    ) -> None:
        """The referee's answer, however much later."""
        if isinstance(ruling, Lost):
            self.stop(f"the referee gives no answer to go on from: {ruling.why}")
            return
        side, at = answered.side, answered.at
        self._run(
            lambda: self.game.handle(Moved(side, move, position.rule(move, ruling), at, info))
        )

    def _ring(self) -> None:
        self.handle(AlarmRang(trio.current_time()))

    def _run(self, happens: Callable[[], list[Effect]]) -> None:
        """The one door: a bug behind it is caught here and ends this game only."""
        if not self._standing:
            return
        try:
            self._queue.extend(happens())
            if not self._performing:
                self._perform()
        except Exception as error:
            LOG.exception("table failed", game=self.game.id)
            self._fail(f"{type(error).__name__} in the server")
        if self._standing:
            self._alarm.set(self.game.deadline)

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

    def _start_clock(self, effect: StartClock) -> None:
        self._flush()
        self._queue.extend(self.game.handle(ClockStarted(effect.side, trio.current_time())))

    def _note(self, effect: Note) -> None:
        self._journal.note(effect.fact)
        _log(effect.fact)

    def _settle(self, _: Settle) -> None:
        self._flush()
        self._settling = not self._journal.when_durable(self._settled)

    def _settled(self) -> None:
        self._settling = False
        self._run(list)

    def _dismiss(self, _: Dismiss) -> None:
        self._flush()
        self._standing = False
        self._alarm.cancel()
        self._closed(self)
        for side in Side:
            player, self.seats[side] = self.seats[side], None
            if player is not None:
                player.dismiss()

    def _flush(self) -> None:
        """Hand over what was said: one `tell` a player, so that it leaves in one piece."""
        for player, spoken in zip(self.seats, self._spoken, strict=True):
            if spoken:
                messages, spoken[:] = tuple(spoken), ()
                if player is not None:
                    player.tell(*messages)

    def _fail(self, why: str) -> None:
        """Our bug. The game may be in any state: say and store the least, then close the table."""
        self._queue.clear()
        self._settling = False
        if self.game.outcome is None:
            self._journal.note(GameFinished(self.game.id, Outcome(None, Reason.SERVER), why))
        self.warn(Report(Blame.SERVER, f"this game ends without a result: {why}"))
        self._dismiss(Dismiss(None))


_PERFORM: dict[type[Effect], Callable[[Table, Any], None]] = {
    Tell: Table._tell,
    Show: Table._show,
    Announce: Table._announce,
    StartClock: Table._start_clock,
    Note: Table._note,
    Settle: Table._settle,
    Dismiss: Table._dismiss,
}


def _log(fact: Fact) -> None:
    """A person can follow the game in the log; moves only where they are asked for."""
    match fact:
        case MovePlayed(game, ply, side, move, spent, left):
            LOG.debug("move", game=game, ply=ply, side=side.word, move=move, spent=spent, left=left)
        case GameStarted(game, rules, start, control, (white, black)):
            LOG.info(
                "game started",
                game=game,
                white=white.name,
                black=black.name,
                rules=rules,
                time=control,
                start=start or "startpos",
            )
        case GameFinished(game, outcome, detail):
            LOG.info(
                "game over",
                game=game,
                result=outcome.score,
                reason=str(outcome.reason),
                detail=detail,
            )
