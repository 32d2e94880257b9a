"""The order of messages.

Rule 1: whether a message is allowed now is decided in this file only. Rule 2: the table does not
know our role, so it cannot be stricter to the peer than to ourselves.
"""

import enum
from collections.abc import Iterable, Mapping

from .messages import (
    PLAYER_COMMANDS,
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
    """The state of a conversation; the value is its text for people."""

    # States are looked up twice a move, and Python would hash them by their names.
    __hash__ = object.__hash__

    SILENT = "nobody has said hello yet"
    INTRODUCING = "the client is introducing itself"
    IDLE = "no search is going on"
    THINKING = "a search is going on"
    STOPPING = "a search was told to stop and its bestmove is owed"
    CLOSED = "goodbye was said"


SILENT, INTRODUCING, IDLE, THINKING, STOPPING, CLOSED = State


def _stay(state: State, *kinds: Iterable[type]) -> dict[type, State]:
    return {kind: state for group in kinds for kind in group}


# Allowed from the first byte on, no effect: engines print texts at startup.
_CHATTER = (Info, Report, Unknown)
# "This command can be sent any time" (debug), "can be used to ping" (isready), ULCI and UCI.
_SERVICE = (Debug, IsReady, ReadyOk, CopyProtection, Registration, Register)
# Lobby commands come at any time, clocks during a search; "various queries can be made to the
# engine" (UGI), at an unspecified time.
_AROUND: Iterable[type] = (Lobby, *PLAYER_COMMANDS, Clock, Query, Response)
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
        Hello: INTRODUCING,  # GUIs ask a known engine again
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
        # Many servers go on without waiting for the answer, which is matched by counting. A
        # person at a GUI never answers a stop.
        **_stay(STOPPING, _CHATTER, _SERVICE, _AROUND, _WAITING, (Stop, PonderHit)),
        Go: THINKING,
        BestMove: IDLE,
        Quit: CLOSED,
    },
    CLOSED: {},
}


# Questions and answers.
_COUNTED = frozenset({Go, BestMove, IsReady, ReadyOk, Query, Response})


class Conversation:
    """The state of both ends in the table, and the unanswered questions.

    One rule beyond the table: an answer needs a question, and a bestmove ends the search only if it
    answers the last ``go``.
    """

    __slots__ = ("_row", "answered", "asked", "pings", "queries", "state")

    def __init__(self) -> None:
        self.state = SILENT
        self._row = TRANSITIONS[SILENT]
        self.asked = 0
        self.answered = 0
        self.pings = 0  # unanswered isready
        self.queries = 0  # unanswered queries

    def take(self, kind: type) -> bool:
        """Apply a message of this kind. False: it is not allowed now, and changes nothing."""
        state = self._row.get(kind)
        if state is None:
            return False
        if kind in _COUNTED:
            if kind is BestMove:
                if self.asked - self.answered > 1:
                    state = self.state
                self.answered += 1
            elif kind is Go:
                self.asked += 1
            elif kind is IsReady:
                self.pings += 1
            elif kind is Query:
                self.queries += 1
            elif kind is ReadyOk:
                if not self.pings:
                    return False
                self.pings -= 1
            elif not self.queries:
                return False
            else:
                self.queries -= 1
        if state is not self.state:
            self.state = state
            self._row = TRANSITIONS[state]
        return True

    def enter(self, state: State) -> None:
        self.state = state
        self._row = TRANSITIONS[state]

    def forgive(self) -> None:
        """Expect no more answers: no search is running."""
        self.answered = self.asked
        if self.state in (THINKING, STOPPING):
            self.enter(IDLE)

    def disown(self) -> None:
        """The last bestmove repeated an older one; the current search goes on."""
        self.answered -= 1
        if self.state is IDLE:
            self.enter(THINKING)


# The rule and a correction, for the faults of real programs.
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
    """The rule that this kind of message breaks in this state, for people."""
    now = "nobody asked for it" if kind in (BestMove, ReadyOk, Response) else state.value
    return f"{now}; {_ADVICE.get(kind, _OTHERWISE)}"
