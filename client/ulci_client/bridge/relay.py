"""What is passed on, to whom, and when: searches, pondering, and the absence of either end. Pure.

Events go in (`server_said`, `engine_said`, `engine_lost`, …), messages for both ends come out. Two
kinds of bestmove come from the engine: those that the server asked for, each of which it gets, and
those of ponder searches, which it must never see.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ulci.protocol import (
    BestMove,
    Debug,
    FromClient,
    FromServer,
    Go,
    Info,
    IsReady,
    Message,
    NewGame,
    PonderHit,
    Position,
    ReadyOk,
    Report,
    SetOption,
    Stop,
    Unread,
)
from ulci.rules import Side

from .owed import Owed
from .thinking import Phase, Search, Thinking
from .told import BETWEEN_SEARCHES, Told


@dataclass(slots=True)
class Post:
    """What is to be sent now, in order, to either end."""

    engine: list[FromServer] = field(default_factory=list)
    server: list[FromClient | Unread] = field(default_factory=list)


class Relay:
    """One engine and one line to a server.

    ponder: think on the opponent's time. patience: seconds in which an engine must answer ``stop``,
    or ``isready``.
    """

    def __init__(self, *, patience: float, ponder: bool = False) -> None:
        self.ponder = ponder
        self._now = 0.0  # when what is being handled happened
        self._owed = Owed(patience)
        self._thinking = Thinking(self._owed)
        self._told = Told()
        self._waiting: list[FromServer] = []
        self._post = Post()

    @property
    def phase(self) -> Phase:
        return self._thinking.phase

    @property
    def side(self) -> Side | None:
        """Ours in this game, once anybody said so."""
        return self._thinking.side

    @side.setter
    def side(self, side: Side | None) -> None:
        self._thinking.side = side

    @property
    def settings(self) -> tuple[SetOption | NewGame, ...]:
        """What the server has told the engine so far and a fresh one must be told too."""
        return self._told.settings

    @property
    def due(self) -> float:
        """When `overdue` is to be called unless the engine has answered; inf if it owes nothing."""
        return self._owed.due

    # Events

    def overdue(self, at: float) -> Post | str:
        """`due` has come: what is to be said now, or why the engine counts as hung."""
        self._now = at
        asked = self._owed.overdue(at)
        if isinstance(asked, str):
            return asked
        self._post.engine += asked
        return self._take()

    def forget(self) -> None:
        """Another game: no answer of the last one counts."""
        self._thinking.forget()

    def server_said(self, message: FromServer, at: float) -> Post:
        """Anything that a server says to an engine; the rest of what it says is not for here."""
        self._now = at
        self._hear(message)
        return self._take()

    def engine_said(self, message: Message | Unread, at: float) -> Post:
        """Anything that an engine says after it has got ready."""
        self._now = at
        phase = self._thinking.phase
        if phase in _WATCHED:
            hear = self._owed.answered if isinstance(message, ReadyOk) else self._owed.heard
            hear(at)
        if isinstance(message, BestMove):
            _ANSWERS[phase](self, message)
        elif isinstance(message, ReadyOk):
            if self._owed.ready_said():
                self._post.server.append(message)
        elif isinstance(message, _ANALYSIS) and phase in _HEARD:
            self._post.server.append(message)
        return self._take()

    def game_over(self, at: float) -> Post:
        """No answer will count any more. Stopping what the server asked is the server's part."""
        self._now = at
        self._post.engine += self._thinking.game_over(at)
        if self.phase is Phase.IDLE:
            self._go_on()
        return self._take()

    def line_lost(self, at: float) -> Post:
        """A search goes on: the server may ask the same again. Nothing else is worth keeping."""
        self._now = at
        self._waiting.clear()
        self._owed.line_lost()
        self._post.engine += self._thinking.line_lost(at)
        return self._take()

    def engine_lost(self) -> None:
        """It died or was killed: what it owes will be asked again."""
        if self._thinking.engine_lost():
            self._waiting.insert(0, Stop())
        self._waiting[:0] = [IsReady()] * self._owed.engine_lost()

    def engine_back(self, at: float) -> Post:
        """A fresh one is ready and knows `settings`; the clocks have run meanwhile."""
        self._now = at
        self._post.engine += self._thinking.engine_back(at)
        self._go_on()
        return self._take()

    # Server to engine

    def _hear(self, message: FromServer) -> None:
        row = _ROUTES.get(type(message))
        if row is None:
            return
        phase = self._thinking.phase
        if phase is Phase.THINKING and self._waiting and not isinstance(message, Stop):
            self._waiting.append(message)  # in the order in which it was said
        else:
            row[phase](self, message)

    def _drop(self, _: FromServer) -> None:
        """Not meant for now: the standard's answer is to ignore it."""

    def _hold(self, message: FromServer) -> None:
        self._waiting.append(message)

    def _stop_and_hold(self, message: FromServer) -> None:
        self._waiting.append(message)
        if self.phase is Phase.PONDERING:
            self._abandon()
        else:
            self._post.engine += self._thinking.stop(self._now)

    def _tell(self, message: FromServer) -> None:
        self._post.engine += self._told.say(message)

    def _keep(self, message: Position) -> None:
        self._told.position = message

    def _ask_ready(self, message: IsReady) -> None:
        self._owed.ready_asked(self._now, idle=self.phase is Phase.IDLE)
        self._post.engine.append(message)

    def _ready_at_once(self, _: IsReady) -> None:
        """The line is back, and nothing that the engine does stands in the way of a game: one that
        reads nothing while it thinks would keep the server waiting until it is taken for gone."""
        self._post.server.append(ReadyOk())

    def _search_now(self, message: Go) -> None:
        search = Search(self._told.position, message, self._now)
        if (answer := self._thinking.lost(search)) is not None:
            self._give(search, answer)  # it costs no second search
        else:
            self._post.engine += self._thinking.begin(search)

    def _search_next(self, message: Go) -> None:
        self._stop_and_hold(self._told.position)
        self._waiting.append(message)

    def _stop_search(self, message: Stop) -> None:
        if stop := self._thinking.stop(self._now):
            self._post.engine += stop
        else:
            self._waiting.append(message)  # meant for a search that waits for its turn

    def _hit_or_miss(self, message: Go) -> None:
        if self._thinking.hit(Search(self._told.position, message, self._now)):
            self._post.engine.append(PonderHit())
        else:
            self._waiting += [self._told.position, message]
            self._abandon()

    def _same_or_other(self, message: Go) -> None:
        if not self._thinking.resume(Search(self._told.position, message, self._now)):
            self._waiting += [self._told.position, message]
            self._abandon()
            return
        # What was said since the line came back repeats what this engine knows.
        self._waiting.clear()
        if (answer := self._thinking.kept()) is not None:
            self._answered(answer)

    # Engine to server

    def _unasked(self, _: BestMove) -> None:
        """Nobody asked, or nobody may see it."""

    def _answered(self, message: BestMove) -> None:
        self._give(self._thinking.answered(message), message)

    def _keep_answer(self, message: BestMove) -> None:
        self._thinking.keep(message)

    def _thrown_away(self, _: BestMove) -> None:
        self._thinking.thrown_away()
        self._go_on()

    # Steps

    def _give(self, search: Search, answer: BestMove) -> None:
        """The server has its answer; now for what is next."""
        self._post.server.append(answer)
        if self.ponder and not self._waiting:
            self._post.engine += self._thinking.ponder(search, answer, self._now)
        self._go_on()

    def _abandon(self) -> None:
        """Have done with a search that the server does not wait for."""
        self._post.engine += self._thinking.abandon(self._now)
        if self.phase is Phase.IDLE:
            self._go_on()

    def _go_on(self) -> None:
        """Say what had to wait, as far as it goes."""
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            self._hear(message)

    def _take(self) -> Post:
        post, self._post = self._post, Post()
        return post


_Route = dict[Phase, Callable[..., None]]


def _route(
    idle: Callable[..., None],
    thinking: Callable[..., None],
    pondering: Callable[..., None],
    adrift: Callable[..., None],
    away: Callable[..., None] = Relay._hold,
) -> _Route:
    """`away`: while the engine is stopping or down."""
    return {
        Phase.IDLE: idle,
        Phase.THINKING: thinking,
        Phase.PONDERING: pondering,
        Phase.ADRIFT: adrift,
        Phase.STOPPING: away,
        Phase.DOWN: away,
    }


_DROP, _TELL, _HOLD, _STOP = Relay._drop, Relay._tell, Relay._hold, Relay._stop_and_hold

_ROUTES: dict[type, _Route] = {
    #                 idle               thinking            pondering          adrift
    Position: _route(Relay._keep, Relay._keep, Relay._keep, Relay._keep),
    Go: _route(Relay._search_now, Relay._search_next, Relay._hit_or_miss, Relay._same_or_other),
    Stop: _route(_DROP, Relay._stop_search, _DROP, _DROP),
    PonderHit: _route(_DROP, _TELL, _DROP, _DROP),
    IsReady: _route(Relay._ask_ready, Relay._ask_ready, Relay._ask_ready, Relay._ready_at_once),
    NewGame: _route(_TELL, _STOP, _STOP, _HOLD),
    Debug: _route(_TELL, _TELL, _TELL, _TELL),
    **dict.fromkeys(BETWEEN_SEARCHES, _route(_TELL, _HOLD, _STOP, _HOLD)),
}

_ANSWERS: dict[Phase, Callable[[Relay, BestMove], None]] = {
    Phase.IDLE: Relay._unasked,
    Phase.THINKING: Relay._answered,
    Phase.PONDERING: Relay._thrown_away,
    Phase.STOPPING: Relay._thrown_away,
    Phase.ADRIFT: Relay._keep_answer,
    Phase.DOWN: Relay._unasked,
}

# What the server may see of an engine's thoughts, and when it may.
_ANALYSIS = (Unread, Info, Report)
_HEARD = frozenset({Phase.IDLE, Phase.THINKING})

# Searches during which a clock of ours may run.
_WATCHED = frozenset({Phase.THINKING, Phase.ADRIFT})
