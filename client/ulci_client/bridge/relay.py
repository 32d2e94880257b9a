"""What is passed on, to whom, and when: searches, pondering, and the absence of either end. Pure.

Events go in (`server_said`, `engine_said`, `engine_lost`, …), messages for both ends come out. Two
kinds of bestmove come from the engine: those that the server asked for, each of which it gets, and
those of ponder searches, which it must never see.
"""

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ulci.protocol import (
    Bench,
    BestMove,
    Debug,
    Eval,
    FromClient,
    FromServer,
    Go,
    Info,
    IsReady,
    Message,
    NewGame,
    Perft,
    PonderHit,
    Position,
    ReadyOk,
    Register,
    Report,
    SetOption,
    Stop,
    Unread,
)
from ulci.rules import Side

from .guess import after_waiting, expected, is_only_clocks, left_of
from .watch import Verdict, Watch


class Phase(enum.Enum):
    """What the engine is doing, as far as it concerns the server."""

    IDLE = "idle"  # it waits
    THINKING = "thinking"  # it searches, and the server awaits the answer
    PONDERING = "pondering"  # it searches what it expects; nobody awaits the answer
    STOPPING = "stopping"  # told to stop; its answer will be thrown away
    ADRIFT = "adrift"  # it searches, or has answered; the line to the server broke meanwhile
    DOWN = "down"  # there is no engine just now


@dataclass(slots=True)
class Search:
    """What the server asked, and when. stopped: the engine was told to stop. over: nobody will
    play on from the answer."""

    position: Position
    go: Go
    at: float
    stopped: bool = False
    over: bool = False


@dataclass(slots=True)
class Post:
    """What is to be sent now, in order, to either end."""

    engine: list[FromServer] = field(default_factory=list)
    server: list[FromClient | Unread] = field(default_factory=list)


class Relay:
    """One engine and one line to a server.

    ponder: think on the opponent's time. patience: seconds in which an engine must answer ``stop``,
    or ``isready``. `side` is ours in this game, once anybody said so.
    """

    def __init__(self, *, patience: float, ponder: bool = False) -> None:
        self.phase = Phase.DOWN
        self.ponder = ponder
        self.side: Side | None = None
        self._now = 0.0  # when what is being handled happened
        self._patience = patience
        self._position = Position()
        self._search: Search | None = None
        self._guess: Position | None = None
        self._answer: BestMove | None = None
        self._settings: dict[str, SetOption | NewGame] = {}
        self._waiting: list[FromServer] = []
        self._readies = self._stale_readies = 0
        self._stop_due = self._ready_due = math.inf
        self._watch = Watch(patience)
        self._given: tuple[Position, BestMove] | None = None  # the last answer, until the next go
        self._unsure = False  # whether the line broke after it: it may not have arrived
        self._post = Post()

    @property
    def settings(self) -> tuple[SetOption | NewGame, ...]:
        """What the server has told the engine so far and a fresh one must be told too."""
        return tuple(self._settings.values())

    @property
    def due(self) -> float:
        """When `overdue` is to be called unless the engine has answered; inf if it owes nothing."""
        return min(self._stop_due, self._ready_due, self._watch.due)

    # Events

    def overdue(self, at: float) -> Post | str:
        """`due` has come: what is to be said now, or why the engine counts as hung."""
        self._now = at
        for word, due in (("stop", self._stop_due), ("isready", self._ready_due)):
            if due <= at:
                return f"no answer to `{word}` within {self._patience:g} s"
        if self._watch.due <= at:
            verdict = self._watch.alarm(at)
            if verdict is Verdict.HUNG:
                waited = self._watch.silence(at)
                return (
                    f"it thinks no more: not a word, nor an answer to `isready` in {waited:.0f} s"
                )
            if verdict is Verdict.PROBE:
                self._stale_readies += 1  # the answer is for us alone
                self._post.engine.append(IsReady())
        return self._take()

    def forget(self) -> None:
        """Another game: no answer of the last one counts."""
        self._given = None

    def server_said(self, message: FromServer, at: float) -> Post:
        """Anything that a server says to an engine; the rest of what it says is not for here."""
        self._now = at
        self._hear(message)
        return self._take()

    def engine_said(self, message: Message | Unread, at: float) -> Post:
        """Anything that an engine says after it has got ready."""
        self._now = at
        if self.phase in _WATCHED:
            self._watch.heard(at)
        if isinstance(message, BestMove):
            _ANSWERS[self.phase](self, message)
        elif isinstance(message, ReadyOk):
            self._ready(message)
        elif isinstance(message, _ANALYSIS) and self.phase in _HEARD:
            self._post.server.append(message)
        return self._take()

    def game_over(self, at: float) -> Post:
        """No answer will count any more. Stopping what the server asked is the server's part."""
        self._now = at
        self._watch.ended()
        self.forget()
        if self._search is not None:
            self._search.over = True
        if self.phase in (Phase.PONDERING, Phase.ADRIFT):
            self._abandon()
        return self._take()

    def line_lost(self, at: float) -> Post:
        """A search goes on: the server may ask the same again. Nothing else is worth keeping."""
        self._now, self._unsure = at, True
        self._waiting.clear()
        self._stale_readies, self._readies = self._stale_readies + self._readies, 0
        if self.phase is Phase.THINKING and self._search is not None:
            self.phase = Phase.STOPPING if self._search.stopped else Phase.ADRIFT
        elif self.phase is Phase.PONDERING:
            self._abandon()
        elif self.phase is Phase.DOWN:
            self._search = None
        return self._take()

    def engine_lost(self) -> None:
        """It died or was killed: what it owes will be asked again."""
        if self.phase is not Phase.THINKING:
            self._search = None
        elif self._search is not None and self._search.stopped:
            self._waiting.insert(0, Stop())
        self._waiting[:0] = [IsReady()] * self._readies
        self._readies = self._stale_readies = 0
        self._stop_due = self._ready_due = math.inf
        self._watch.ended()
        self._guess = self._answer = None
        self.phase = Phase.DOWN

    def engine_back(self, at: float) -> Post:
        """A fresh one is ready and knows `settings`; the clocks have run meanwhile."""
        self._now = at
        self.phase = Phase.IDLE
        if (search := self._search) is not None:
            go = after_waiting(search.go, round((at - search.at) * 1000), self.side)
            self._begin(Search(search.position, go, at, over=search.over))
        self._go_on()
        return self._take()

    # Server to engine

    def _hear(self, message: FromServer) -> None:
        row = _ROUTES.get(type(message))
        if row is None:
            return
        if self.phase is Phase.THINKING and self._waiting and not isinstance(message, Stop):
            self._waiting.append(message)  # in the order in which it was said
        else:
            row[self.phase](self, message)

    def _drop(self, _: FromServer) -> None:
        """Not meant for now: the standard's answer is to ignore it."""

    def _pass(self, message: FromServer) -> None:
        self._post.engine.append(message)

    def _hold(self, message: FromServer) -> None:
        self._waiting.append(message)

    def _stop_and_hold(self, message: FromServer) -> None:
        self._waiting.append(message)
        if self._search is None:
            self._abandon()
        elif not self._search.stopped:
            self._stop_search(Stop())

    def _keep(self, message: Position) -> None:
        # Held back until something is asked of it: some engines forget it at `isready`, others
        # refuse it while they search.
        self._position = message

    def _ask(self, message: FromServer) -> None:
        self._post.engine += [self._position, message]

    def _set(self, message: SetOption) -> None:
        self._settings[message.name.casefold()] = message
        self._post.engine.append(message)

    def _new_game(self, message: NewGame) -> None:
        self._settings.pop("", None)  # the last word before each game, whatever was set after it
        self._settings[""] = message
        self._post.engine.append(message)

    def _ask_ready(self, message: IsReady) -> None:
        self._readies += 1
        self._post.engine.append(message)
        if self.phase is Phase.IDLE:  # some engines read nothing while they think
            self._ready_due = min(self._ready_due, self._now + self._patience)

    def _ready_at_once(self, _: IsReady) -> None:
        """The line is back, and nothing that the engine does stands in the way of a game: one that
        reads nothing while it thinks would keep the server waiting until it is taken for gone."""
        self._post.server.append(ReadyOk())

    def _search_now(self, message: Go) -> None:
        given, self._given = self._given, None
        if given is not None and self._unsure and given[0] == self._position:
            # It got lost with the line, and costs no second search.
            self._search = Search(self._position, message, self._now)
            self._answered(given[1])
        else:
            self._begin(Search(self._position, message, self._now))

    def _search_next(self, message: Go) -> None:
        self._stop_and_hold(self._position)
        self._waiting.append(message)

    def _stop_search(self, message: Stop) -> None:
        assert self._search is not None
        if self._search.stopped:
            self._waiting.append(message)  # meant for a search that waits for its turn
            return
        self._search.stopped = True
        self._watch.ended()
        self._stop_due = self._now + self._patience
        self._post.engine.append(message)

    def _hit_or_miss(self, message: Go) -> None:
        if self._position == self._guess and is_only_clocks(message):
            self._search, self._guess = Search(self._position, message, self._now), None
            self.phase = Phase.THINKING
            self._watch_clock(message)
            self._post.engine.append(PonderHit())
        else:
            self._waiting += [self._position, message]
            self._abandon()

    def _same_or_other(self, message: Go) -> None:
        search, answer = self._search, self._answer
        if search is None or search.position != self._position:
            self._waiting += [self._position, message]
            self._abandon()
            return
        # What was said since the line came back repeats what this engine knows.
        self._waiting.clear()
        self._search, self._answer = Search(self._position, message, self._now), None
        self.phase = Phase.THINKING
        self._watch_clock(message)
        if answer is not None:
            self._answered(answer)

    # Engine to server

    def _unasked(self, _: BestMove) -> None:
        """Nobody asked, or nobody may see it."""

    def _answered(self, message: BestMove) -> None:
        search, self._search = self._search, None
        assert search is not None
        self._post.server.append(message)
        self._given, self._unsure = (search.position, message), False
        self._rest()
        if not self._waiting:
            self._ponder(search, message)
        self._go_on()

    def _keep_answer(self, message: BestMove) -> None:
        self._watch.ended()
        self._answer = message

    def _thrown_away(self, _: BestMove) -> None:
        self._search = self._guess = None
        self._rest()
        self._go_on()

    def _ready(self, message: ReadyOk) -> None:
        if self._stale_readies:
            self._stale_readies -= 1
        elif self._readies:
            self._readies -= 1
            self._post.server.append(message)
        if not self._readies:
            self._ready_due = math.inf

    # Steps

    def _begin(self, search: Search) -> None:
        self._search = search
        self.phase = Phase.THINKING
        self._watch_clock(search.go)
        self._post.engine += [search.position, search.go]

    def _watch_clock(self, go: Go) -> None:
        """What the engine does from now on costs it time."""
        left = left_of(go, self.side)
        if left is not None:
            self._watch.began(self._now, left / 1000)

    def _rest(self) -> None:
        self.phase = Phase.IDLE
        self._stop_due = math.inf
        self._watch.ended()

    def _ponder(self, search: Search, answer: BestMove) -> None:
        if not self.ponder or search.stopped or search.over:
            return
        spent = round((self._now - search.at) * 1000)
        if guess := expected(search.position, search.go, answer, spent, self.side):
            self._guess, go = guess
            self.phase = Phase.PONDERING
            self._post.engine += [self._guess, go]

    def _abandon(self) -> None:
        """Have done with a search that the server does not wait for."""
        answered = self._answer is not None
        self._search = self._guess = self._answer = None
        if answered:
            self._rest()
            self._go_on()
        else:
            self.phase = Phase.STOPPING
            self._watch.ended()
            self._stop_due = self._now + self._patience
            self._post.engine.append(Stop())

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


_DROP, _PASS, _HOLD, _STOP = Relay._drop, Relay._pass, Relay._hold, Relay._stop_and_hold

_ROUTES: dict[type, _Route] = {
    #                 idle               thinking            pondering          adrift
    Position: _route(Relay._keep, Relay._keep, Relay._keep, Relay._keep),
    Go: _route(Relay._search_now, Relay._search_next, Relay._hit_or_miss, Relay._same_or_other),
    Stop: _route(_DROP, Relay._stop_search, _DROP, _DROP),
    PonderHit: _route(_DROP, _PASS, _DROP, _DROP),
    IsReady: _route(Relay._ask_ready, Relay._ask_ready, Relay._ask_ready, Relay._ready_at_once),
    SetOption: _route(Relay._set, _HOLD, _STOP, _HOLD),
    NewGame: _route(Relay._new_game, _STOP, _STOP, _HOLD),
    Debug: _route(_PASS, _PASS, _PASS, _PASS),
    Register: _route(_PASS, _HOLD, _STOP, _HOLD),
    Eval: _route(Relay._ask, _HOLD, _STOP, _HOLD),
    Perft: _route(Relay._ask, _HOLD, _STOP, _HOLD),
    Bench: _route(_PASS, _HOLD, _STOP, _HOLD),
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
