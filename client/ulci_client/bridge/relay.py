"""Decides which messages pass between server and engine, and when. Pure.

Events go in (`server_said`, `engine_said`, `engine_lost`, …), messages for both ends come out. The
server gets every bestmove that it asked for, and never one of a ponder search.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ulci.protocol import Unread
from ulci.protocol.messages import (
    BestMove,
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
)
from ulci.rules import Side

from .guess_check import GuessCheck
from .search import SearchPhase, SearchState, ServerSearch
from .watchdog import Deadlines


class EngineSetup:
    """What an engine has received, to configure its successor.

    `position`: the last one, held back until a search: some engines forget it at `isready`, others
    refuse it while searching.
    """

    def __init__(self) -> None:
        self.position = Position()
        self._settings: dict[str, SetOption | NewGame] = {}

    @property
    def settings(self) -> tuple[SetOption | NewGame, ...]:
        """The first messages to a fresh engine."""
        return tuple(self._settings.values())

    def say(self, message: FromServer) -> list[FromServer]:
        """The messages for the engine, in order."""
        match message:
            case SetOption():
                self._settings[message.name.casefold()] = message
            case NewGame():
                # Last in order: it precedes each game.
                self._settings.pop("", None)
                self._settings[""] = message
        return [message]


@dataclass(slots=True)
class Outgoing:
    """The messages to send now, in order, to either end."""

    engine: list[FromServer] = field(default_factory=list)
    server: list[FromClient | Unread] = field(default_factory=list)


class Relay:
    """One engine and one connection to a server.

    ponder: search on the opponent's time. patience: s for the answers to ``stop`` and ``isready``.
    """

    def __init__(self, *, patience: float, ponder: bool = False) -> None:
        self.ponder = ponder
        self.guess_check = GuessCheck()
        self._now = 0.0  # time of the current event
        self._deadlines = Deadlines(patience)
        self._search_state = SearchState(self._deadlines)
        self._setup = EngineSetup()
        self._waiting: list[FromServer] = []
        self._left = 0  # so many of them, the first, waited for the engine that is down
        self._new_game = False  # since the last `isready`
        self._outgoing = Outgoing()

    @property
    def phase(self) -> SearchPhase:
        return self._search_state.phase

    @property
    def held(self) -> int:
        """Messages of the server that wait until the engine can get them."""
        return len(self._waiting)

    @property
    def side(self) -> Side | None:
        """Our side in this game, if known."""
        return self._search_state.side

    @side.setter
    def side(self, side: Side | None) -> None:
        self._search_state.side = side

    @property
    def settings(self) -> tuple[SetOption | NewGame, ...]:
        """The messages that a fresh engine must get, too."""
        return self._setup.settings

    @property
    def due(self) -> float:
        """When to call `overdue` unless the engine has answered; inf: never."""
        return self._deadlines.due

    # Events

    def overdue(self, at: float) -> Outgoing | str:
        """`due` has come: the messages to send now, or why the engine counts as hung."""
        self._now = at
        asked = self._deadlines.overdue(at)
        if isinstance(asked, str):
            return asked
        self._outgoing.engine += asked
        return self._take()

    def forget(self) -> None:
        """A new game: forget the last one's answer."""
        self._search_state.forget()

    def server_said(self, message: FromServer, at: float) -> Outgoing:
        """A message meant for the engine; others are ignored."""
        self._now = at
        self._hear(message)
        return self._take()

    def engine_said(self, message: Message | Unread, at: float) -> Outgoing:
        """A message of an engine that is ready."""
        self._now = at
        phase = self._search_state.phase
        if phase in _WATCHED:
            hear = (
                self._deadlines.answered if isinstance(message, ReadyOk) else self._deadlines.heard
            )
            hear(at)
        if isinstance(message, BestMove):
            _ANSWERS[phase](self, message)
        elif isinstance(message, ReadyOk):
            if self._deadlines.ready_said():
                self._outgoing.server.append(message)
        elif isinstance(message, _ANALYSIS) and phase in _HEARD:
            self._outgoing.server.append(message)
        return self._take()

    def game_over(self, at: float) -> Outgoing:
        """No answer counts any more. It is the server's part to stop its own search."""
        self._now = at
        self._outgoing.engine += self._search_state.game_over(at)
        if self.phase is SearchPhase.IDLE:
            self._go_on()
        return self._take()

    def answered_elsewhere(self, at: float) -> Outgoing:
        """The server's `go` was answered without the engine: a ponder search ends."""
        self._now = at
        if self.phase is SearchPhase.PONDERING:
            self._abandon()
        return self._take()

    def clocks_jumped(self, at: float) -> Outgoing:
        """After `line_lost`: more time has passed than the engine knows, so its search is not
        resumed."""
        self._now = at
        if self.phase is SearchPhase.ADRIFT:
            self._abandon()
        return self._take()

    def other_engine(self) -> None:
        """The next engine is another one: drop the messages that this one got or would have got.
        But answer `isready`, and stop a search that goes on."""
        self._setup = EngineSetup()
        waited = self._waiting[: self._left]
        left = [message for message in waited if isinstance(message, IsReady | Stop)]
        self._waiting[: self._left] = left
        self._left = len(left)

    def line_lost(self, at: float) -> Outgoing:
        """The search goes on: the server may ask for it again. All else is dropped."""
        self._now = at
        self._waiting.clear()
        self._left = 0
        self._deadlines.line_lost()
        self._outgoing.engine += self._search_state.line_lost(at)
        return self._take()

    def engine_lost(self) -> None:
        """The engine died or was killed: its successor gets the search again."""
        if self._search_state.engine_lost():
            self._waiting.insert(0, Stop())
        self._waiting[:0] = [IsReady()] * self._deadlines.engine_lost()
        self._left = len(self._waiting)

    def engine_back(self, at: float) -> Outgoing:
        """A fresh engine is ready and knows `settings`; the clocks have run meanwhile."""
        self._now = at
        self._outgoing.engine += self._search_state.engine_back(at)
        self._go_on()
        return self._take()

    # Server to engine

    def _hear(self, message: FromServer) -> None:
        row = _ROUTES.get(type(message))
        if row is None:
            return
        phase = self._search_state.phase
        if phase is SearchPhase.THINKING and self._waiting and not isinstance(message, Stop):
            self._waiting.append(message)  # in the order in which it was said
        else:
            row[phase](self, message)

    def _drop(self, _: FromServer) -> None:
        """Drop a message that the standard ignores at this moment."""

    def _hold(self, message: FromServer) -> None:
        self._waiting.append(message)

    def _stop_and_hold(self, message: FromServer) -> None:
        self._waiting.append(message)
        if self.phase is SearchPhase.PONDERING:
            self._abandon()
        else:
            self._outgoing.engine += self._search_state.stop(self._now)

    def _tell(self, message: FromServer) -> None:
        self._new_game = self._new_game or isinstance(message, NewGame)
        self._outgoing.engine += self._setup.say(message)

    def _keep(self, message: Position) -> None:
        self._setup.position = message

    def _ask_ready(self, message: IsReady) -> None:
        idle, new_game = self.phase is SearchPhase.IDLE, self._new_game
        self._deadlines.ready_asked(self._now, idle=idle, new_game=new_game)
        self._new_game = False
        self._outgoing.engine.append(message)

    def _ready_at_once(self, _: IsReady) -> None:
        """Answer for the engine after a reconnection: one that reads nothing while searching would
        keep the server waiting until it gives us up."""
        self._outgoing.server.append(ReadyOk())

    def _search_now(self, message: Go) -> None:
        search = ServerSearch(self._setup.position, message, self._now)
        if (answer := self._search_state.lost(search)) is not None:
            self._give(search, answer)  # no second search
        else:
            self._outgoing.engine += self._search_state.begin(search)

    def _search_next(self, message: Go) -> None:
        self._stop_and_hold(self._setup.position)
        self._waiting.append(message)

    def _stop_search(self, message: Stop) -> None:
        if stop := self._search_state.stop(self._now):
            self._outgoing.engine += stop
        else:
            self._waiting.append(message)  # meant for a search that is still queued

    def _hit_or_miss(self, message: Go) -> None:
        if self._search_state.hit(ServerSearch(self._setup.position, message, self._now)):
            self._outgoing.engine.append(PonderHit())
        else:
            self._waiting += [self._setup.position, message]
            self._abandon()

    def _same_or_other(self, message: Go) -> None:
        if not self._search_state.resume(ServerSearch(self._setup.position, message, self._now)):
            self._waiting += [self._setup.position, message]
            self._abandon()
            return
        # What came since the reconnection repeats what this engine knows.
        self._waiting.clear()
        if (answer := self._search_state.kept()) is not None:
            self._answered(answer)

    # Engine to server

    def _unasked(self, _: BestMove) -> None:
        """Drop an answer that nobody asked for."""

    def _answered(self, message: BestMove) -> None:
        self._give(self._search_state.answered(message), message)

    def _keep_answer(self, message: BestMove) -> None:
        self._search_state.keep(message)

    def _thrown_away(self, _: BestMove) -> None:
        self._search_state.thrown_away()
        self._go_on()

    # Steps

    def _give(self, search: ServerSearch, answer: BestMove) -> None:
        """Answer the server; then ponder, or handle what is queued."""
        self._outgoing.server.append(answer)
        may_ponder = self.ponder and not self._waiting
        if may_ponder and self.guess_check.is_legal(search.position, answer):
            self._outgoing.engine += self._search_state.ponder(search, answer, self._now)
        self._go_on()

    def _abandon(self) -> None:
        """Stop a search whose answer the server does not await."""
        self._outgoing.engine += self._search_state.abandon(self._now)
        if self.phase is SearchPhase.IDLE:
            self._go_on()

    def _go_on(self) -> None:
        """Handle the queued messages, as far as possible."""
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            self._hear(message)

    def _take(self) -> Outgoing:
        outgoing, self._outgoing = self._outgoing, Outgoing()
        return outgoing


_Route = dict[SearchPhase, Callable[..., None]]


def _route(
    idle: Callable[..., None],
    thinking: Callable[..., None],
    pondering: Callable[..., None],
    adrift: Callable[..., None],
) -> _Route:
    """While the engine is stopping or down, all is held."""
    return {
        SearchPhase.IDLE: idle,
        SearchPhase.THINKING: thinking,
        SearchPhase.PONDERING: pondering,
        SearchPhase.ADRIFT: adrift,
        SearchPhase.STOPPING: Relay._hold,
        SearchPhase.DOWN: Relay._hold,
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
    SetOption: _route(_TELL, _HOLD, _STOP, _HOLD),  # never during a search
}

_ANSWERS: dict[SearchPhase, Callable[[Relay, BestMove], None]] = {
    SearchPhase.IDLE: Relay._unasked,
    SearchPhase.THINKING: Relay._answered,
    SearchPhase.PONDERING: Relay._thrown_away,
    SearchPhase.STOPPING: Relay._thrown_away,
    SearchPhase.ADRIFT: Relay._keep_answer,
    SearchPhase.DOWN: Relay._unasked,
}

# The engine's output that is passed on, and when.
_ANALYSIS = (Unread, Info, Report)
_HEARD = frozenset({SearchPhase.IDLE, SearchPhase.THINKING})

# Phases during which our clock may run.
_WATCHED = frozenset({SearchPhase.THINKING, SearchPhase.ADRIFT})
