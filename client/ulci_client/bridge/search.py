"""The engine's current search: the server's, a ponder search, or an abandoned one. Pure.

Methods return the messages for the engine now, in order.
"""

import enum
from dataclasses import dataclass

from ulci.protocol.messages import BestMove, FromServer, Go, Position, Stop
from ulci.rules import Side

from .ponder import go_after, has_only_clocks, ponder_search, time_left
from .watchdog import Deadlines


class SearchPhase(enum.StrEnum):  # whose hash is a string's: each message is looked up by it
    """What the engine is doing, as seen by the server."""

    IDLE = "idle"  # waiting for a search
    THINKING = "thinking"  # searching; the server awaits the answer
    PONDERING = "pondering"  # searching the expected position; nobody awaits the answer
    STOPPING = "stopping"  # told to stop; the answer will be discarded
    ADRIFT = "adrift"  # searching, or has answered, while disconnected from the server
    DOWN = "down"  # no engine is running


@dataclass(slots=True)
class ServerSearch:
    """A `go` of the server, and when it came (s). stopped: `stop` was sent to the engine. over: the
    game has ended meanwhile."""

    position: Position
    go: Go
    at: float
    stopped: bool = False
    over: bool = False


class SearchState:
    """`side` is ours in this game, if known. deadlines: told when searches begin and end."""

    def __init__(self, deadlines: Deadlines) -> None:
        self.phase = SearchPhase.DOWN
        self.side: Side | None = None
        self._deadlines = deadlines
        self._search: ServerSearch | None = None
        self._pondered: Position | None = None
        self._answer: BestMove | None = None  # found while disconnected
        self._given: tuple[Position, BestMove] | None = None  # the last answer, until the next go
        self._may_be_lost = False  # whether we were disconnected after it: it may not have arrived

    # Requests

    def begin(self, search: ServerSearch) -> list[FromServer]:
        self._await(search)
        return [search.position, search.go]

    def hit(self, search: ServerSearch) -> bool:
        """Whether this is the ponder search. If so the server awaits the answer from now on."""
        if search.position != self._pondered or not has_only_clocks(search.go):
            return False
        self._pondered = None
        self._await(search)
        return True

    def resume(self, search: ServerSearch) -> bool:
        """Whether this is the search that was running when we were disconnected. If so the server
        awaits its answer again."""
        if self._search is None or search.position != self._search.position:
            return False
        self._await(search)
        return True

    def ponder(self, search: ServerSearch, answer: BestMove, at: float) -> list[FromServer]:
        """Start the ponder search after the answer, if there is one."""
        if search.stopped or search.over:
            return []
        spent = round((at - search.at) * 1000)
        guess = ponder_search(search.position, search.go, answer, spent, self.side)
        if guess is None:
            return []
        self._pondered, go = guess
        self.phase = SearchPhase.PONDERING
        return [self._pondered, go]

    def stop(self, at: float) -> list[FromServer]:
        """The server wants its answer now; empty if the engine has it already."""
        assert self._search is not None
        if self._search.stopped:
            return []
        self._search.stopped = True
        self._deadlines.stop_said(at)
        return [Stop()]

    def abandon(self, at: float) -> list[FromServer]:
        """Stop a search whose answer the server does not await."""
        answered = self._answer is not None
        self._search = self._pondered = self._answer = None
        if answered:
            self._rest()
            return []
        self.phase = SearchPhase.STOPPING
        self._deadlines.stop_said(at)
        return [Stop()]

    # Answers

    def answered(self, answer: BestMove) -> ServerSearch:
        """The search that this answers for the server."""
        search, self._search = self._search, None
        assert search is not None
        self._given, self._may_be_lost = (search.position, answer), False
        self._rest()
        return search

    def thrown_away(self) -> None:
        """Drop an answer that nobody awaits."""
        self._search = self._pondered = None
        self._rest()

    def keep(self, answer: BestMove) -> None:
        """Keep an answer that came while we were disconnected."""
        self._deadlines.search_ended()
        self._answer = answer

    def kept(self) -> BestMove | None:
        """Take the kept answer, once."""
        answer, self._answer = self._answer, None
        return answer

    def lost(self, search: ServerSearch) -> BestMove | None:
        """The answer to this search, if it was sent and may have been lost with the connection."""
        given, self._given = self._given, None
        if given is None or not self._may_be_lost or given[0] != search.position:
            return None
        self._given, self._may_be_lost = given, False
        return given[1]

    def forget(self) -> None:
        """A new game: forget the last one's answer."""
        self._given = None

    # Other events

    def game_over(self, at: float) -> list[FromServer]:
        """No answer counts any more. It is the server's part to stop its own search."""
        self._deadlines.clock_ended()
        self.forget()
        if self._search is not None:
            self._search.over = True
        return self.abandon(at) if self.phase in (SearchPhase.PONDERING, SearchPhase.ADRIFT) else []

    def line_lost(self, at: float) -> list[FromServer]:
        """The server's search goes on: it may be asked for again."""
        self._may_be_lost = True
        if self.phase is SearchPhase.THINKING and self._search is not None:
            self.phase = SearchPhase.STOPPING if self._search.stopped else SearchPhase.ADRIFT
        elif self.phase is SearchPhase.PONDERING:
            return self.abandon(at)
        elif self.phase is SearchPhase.DOWN:
            self._search = None
        return []

    def engine_lost(self) -> bool:
        """Keep the server's search for the next engine; whether it had got `stop`."""
        if self.phase is not SearchPhase.THINKING:
            self._search = None
        self._pondered = self._answer = None
        self.phase = SearchPhase.DOWN
        return self._search is not None and self._search.stopped

    def engine_back(self, at: float) -> list[FromServer]:
        """A fresh engine gets the search that the old one did not finish, with the time left."""
        self.phase = SearchPhase.IDLE
        if (search := self._search) is None:
            return []
        go = go_after(search.go, round((at - search.at) * 1000), self.side)
        return self.begin(ServerSearch(search.position, go, at, over=search.over))

    # Steps

    def _await(self, search: ServerSearch) -> None:
        self._search = search
        self.phase = SearchPhase.THINKING
        left = time_left(search.go, self.side)
        if left is not None:
            self._deadlines.clock_began(search.at, left / 1000)

    def _rest(self) -> None:
        self.phase = SearchPhase.IDLE
        self._deadlines.search_ended()
