"""Who may say what when.

Rule 1: whether a message may be said now is decided in this file only.
Rule 2: the table does not know which of the two we are, so it cannot be stricter to the other side
than to ourselves.
"""

import enum
from collections.abc import Iterable, Mapping

from .dialect import LOBBY_WORDS
from .messages import (
    Bench,
    BestMove,
    Clock,
    CopyProtection,
    Debug,
    Eval,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Lobby,
    NewGame,
    Option,
    Perft,
    PonderHit,
    Position,
    Query,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Report,
    Response,
    SetOption,
    Stop,
    Unknown,
)


class State(enum.Enum):
    """What is going on between server and client; the value says it to people."""

    SILENT = "nobody has said hello yet"
    INTRODUCING = "the client is introducing itself"
    IDLE = "no search is going on"
    THINKING = "a search is going on"
    STOPPING = "a search was told to stop and its bestmove is owed"
    CLOSED = "goodbye was said"


SILENT, INTRODUCING, IDLE, THINKING, STOPPING, CLOSED = State


def _stay(state: State, *kinds: Iterable[type]) -> dict[type, State]:
    return {kind: state for group in kinds for kind in group}


# What changes nothing and is in place from the first byte on: engines print texts at startup.
_CHATTER = (Info, Report, Unknown)
# "This command can be sent any time" (debug), "can be used to ping" (isready), ULCI and UCI.
_SERVICE = (Debug, IsReady, ReadyOk, CopyProtection, Registration, Register)
# The lobby's words come at any time; a clock runs while somebody thinks; "various queries can be
# made to the engine" (UGI), which does not say when.
_AROUND = (Lobby, *LOBBY_WORDS, Clock, Query, Response)
# "Only be sent when the client is waiting" (setoption); the others would disturb a search.
_WAITING = (SetOption, NewGame, Position, Eval, Bench, Perft)

TRANSITIONS: Mapping[State, Mapping[type, State]] = {
    SILENT: {
        **_stay(SILENT, _CHATTER),
        Hello: INTRODUCING,
        Quit: CLOSED,
    },
    INTRODUCING: {
        **_stay(INTRODUCING, _CHATTER, _SERVICE, (Id, Option)),
        HelloOk: IDLE,
        Quit: CLOSED,
    },
    IDLE: {
        # A stop or ponderhit may cross the bestmove on the wire.
        **_stay(IDLE, _CHATTER, _SERVICE, _AROUND, _WAITING, (Stop, PonderHit)),
        Hello: INTRODUCING,  # GUIs ask an engine that they know a second time
        Go: THINKING,
        Quit: CLOSED,
    },
    THINKING: {
        **_stay(THINKING, _CHATTER, _SERVICE, _AROUND, (PonderHit,)),
        Stop: STOPPING,
        BestMove: IDLE,
        Quit: CLOSED,
    },
    STOPPING: {
        # Many servers go on without waiting for the answer: it is matched by counting. And a
        # person at a GUI never answers a stop.
        **_stay(STOPPING, _CHATTER, _SERVICE, _AROUND, _WAITING, (Stop, PonderHit)),
        Go: THINKING,
        BestMove: IDLE,
        Quit: CLOSED,
    },
    CLOSED: {},
}


class Conversation:
    """Where the two are in the table, and which questions are not answered yet.

    One rule beside the table: an answer must have been asked for, and a bestmove ends the search
    only if it answers the last ``go``.
    """

    __slots__ = ("_row", "answered", "asked", "pings", "queries", "state")

    def __init__(self) -> None:
        self.state = SILENT
        self._row = TRANSITIONS[SILENT]
        self.asked = 0
        self.answered = 0
        self.pings = 0  # isreadys that no readyok has answered
        self.queries = 0  # and queries without a response

    def after(self, kind: type) -> State | None:
        """The state that a message of this kind leads to; None if it may not be said now."""
        state = self._row.get(kind)
        if kind is BestMove and self.asked - self.answered > 1 and state is not None:
            return self.state
        if (kind is ReadyOk and not self.pings) or (kind is Response and not self.queries):
            return None
        return state

    def take(self, kind: type, state: State) -> None:
        """It was said, and led to `state`."""
        if state is not self.state:
            self.enter(state)
        if kind is BestMove:
            self.answered += 1
        elif kind is Go:
            self.asked += 1
        elif kind is IsReady:
            self.pings += 1
        elif kind is ReadyOk:
            self.pings -= 1
        elif kind is Query:
            self.queries += 1
        elif kind is Response:
            self.queries -= 1

    def enter(self, state: State) -> None:
        """Go on in `state`."""
        self.state = state
        self._row = TRANSITIONS[state]

    def forgive(self) -> None:
        """No answer that is still owed will come: nobody is searching any more."""
        self.answered = self.asked
        if self.state in (THINKING, STOPPING):
            self.enter(IDLE)

    def disown(self) -> None:
        """The bestmove that was read last answered nothing: it repeated an older one, and the
        search that was asked for goes on."""
        self.answered -= 1
        if self.state is IDLE:
            self.enter(THINKING)


# Why not, and what to do instead, for the faults that programs really make.
_ADVICE: Mapping[type, str] = {
    BestMove: "each go is answered by one bestmove: wait for the next go",
    ReadyOk: "each isready is answered by one readyok: wait for the next isready",
    Response: "each query is answered by one response: wait for the next query",
    Id: "a client introduces itself between uci and uciok: say it there, or connect again",
    Option: "a client introduces itself between uci and uciok: say it there, or connect again",
    HelloOk: "uciok ends the introduction once: say nothing more",
    Hello: "a client introduces itself once, and not during a search: go on from here",
    Go: "one search at a time: say stop first, or wait for bestmove",
    Position: "the position changes between searches only: say stop first, or wait for bestmove",
}
_OTHERWISE = "introduce yourself and say uciok first, and end a search before anything else"


def advice(kind: type, state: State) -> str:
    """The rule that a message of this kind breaks in this state, for people."""
    now = "nobody asked for it" if kind in (BestMove, ReadyOk, Response) else state.value
    return f"{now}; {_ADVICE.get(kind, _OTHERWISE)}"
