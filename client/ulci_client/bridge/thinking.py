"""What an engine searches and for whom: the server, us who let it ponder, or nobody any more. Pure.

What a method returns is to be said to the engine now, in order.
"""

import enum
from dataclasses import dataclass

from ulci.protocol import BestMove, FromServer, Go, Position, Stop
from ulci.rules import Side

from .guess import after_waiting, expected, is_only_clocks, left_of
from .owed import Owed


class Phase(enum.StrEnum):  # whose hash is a string's: each message is looked up by it
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


class Thinking:
    """`side` is ours in this game, once anybody said so. owed: told of what begins and ends."""

    def __init__(self, owed: Owed) -> None:
        self.phase = Phase.DOWN
        self.side: Side | None = None
        self._owed = owed
        self._search: Search | None = None
        self._guess: Position | None = None
        self._answer: BestMove | None = None  # found while the line was broken
        self._given: tuple[Position, BestMove] | None = None  # the last answer, until the next go
        self._unsure = False  # whether the line broke after it: it may not have arrived

    # What is asked

    def begin(self, search: Search) -> list[FromServer]:
        self._await(search)
        return [search.position, search.go]

    def hit(self, search: Search) -> bool:
        """Whether it ponders on just this. If so the server awaits the answer from now on."""
        if search.position != self._guess or not is_only_clocks(search.go):
            return False
        self._guess = None
        self._await(search)
        return True

    def resume(self, search: Search) -> bool:
        """Whether the server asked just this on the line that broke. If so it awaits the answer
        again."""
        if self._search is None or search.position != self._search.position:
            return False
        self._await(search)
        return True

    def ponder(self, search: Search, answer: BestMove, at: float) -> list[FromServer]:
        """Go on with what is expected after the answer, if anything is."""
        if search.stopped or search.over:
            return []
        spent = round((at - search.at) * 1000)
        guess = expected(search.position, search.go, answer, spent, self.side)
        if guess is None:
            return []
        self._guess, go = guess
        self.phase = Phase.PONDERING
        return [self._guess, go]

    def stop(self, at: float) -> list[FromServer]:
        """The server wants its answer now; nothing if the engine has been told so."""
        assert self._search is not None
        if self._search.stopped:
            return []
        self._search.stopped = True
        self._owed.stop_said(at)
        return [Stop()]

    def abandon(self, at: float) -> list[FromServer]:
        """Have done with a search that the server does not wait for."""
        answered = self._answer is not None
        self._search = self._guess = self._answer = None
        if answered:
            self._rest()
            return []
        self.phase = Phase.STOPPING
        self._owed.stop_said(at)
        return [Stop()]

    # What is found

    def answered(self, answer: BestMove) -> Search:
        """What the server asked, and is given this for."""
        search, self._search = self._search, None
        assert search is not None
        self._given, self._unsure = (search.position, answer), False
        self._rest()
        return search

    def thrown_away(self) -> None:
        """An answer came for which nobody waits."""
        self._search = self._guess = None
        self._rest()

    def keep(self, answer: BestMove) -> None:
        """An answer came, and there is no line."""
        self._owed.search_ended()
        self._answer = answer

    def kept(self) -> BestMove | None:
        """Such an answer, once."""
        answer, self._answer = self._answer, None
        return answer

    def lost(self, search: Search) -> BestMove | None:
        """The answer to just this, if it was given and may have got lost with the line."""
        given, self._given = self._given, None
        if given is None or not self._unsure or given[0] != search.position:
            return None
        self._given, self._unsure = given, False
        return given[1]

    def forget(self) -> None:
        """Another game: no answer of the last one counts."""
        self._given = None

    # What happens otherwise

    def game_over(self, at: float) -> list[FromServer]:
        """No answer will count. Stopping what the server asked is the server's part."""
        self._owed.clock_ended()
        self.forget()
        if self._search is not None:
            self._search.over = True
        return self.abandon(at) if self.phase in (Phase.PONDERING, Phase.ADRIFT) else []

    def line_lost(self, at: float) -> list[FromServer]:
        """A search goes on: the server may ask the same again."""
        self._unsure = True
        if self.phase is Phase.THINKING and self._search is not None:
            self.phase = Phase.STOPPING if self._search.stopped else Phase.ADRIFT
        elif self.phase is Phase.PONDERING:
            return self.abandon(at)
        elif self.phase is Phase.DOWN:
            self._search = None
        return []

    def engine_lost(self) -> bool:
        """What it owed the server stays; whether it had been told to stop that."""
        if self.phase is not Phase.THINKING:
            self._search = None
        self._guess = self._answer = None
        self.phase = Phase.DOWN
        return self._search is not None and self._search.stopped

    def engine_back(self, at: float) -> list[FromServer]:
        """A fresh one is asked what the old one owed, with the time that is left."""
        self.phase = Phase.IDLE
        if (search := self._search) is None:
            return []
        go = after_waiting(search.go, round((at - search.at) * 1000), self.side)
        return self.begin(Search(search.position, go, at, over=search.over))

    # Steps

    def _await(self, search: Search) -> None:
        self._search = search
        self.phase = Phase.THINKING
        left = left_of(search.go, self.side)
        if left is not None:
            self._owed.clock_began(search.at, left / 1000)

    def _rest(self) -> None:
        self.phase = Phase.IDLE
        self._owed.search_ended()
