"""When to seek a game, and when to stop. Pure.

AWAY         not connected, or no `lobby welcome` yet
RETURNING    reconnected; asking whether the interrupted game is still on
WAITING      a bot's player is free for challenges; `house` says when it seeks
SEEKING      a seek is open, or will be sent at `due`
PLAYING      a game is on
WITHDRAWING  asked to leave while seeking: the seek is withdrawn, unless a game started first
DONE         `quit` was sent
"""

import enum
import math

from msgspec.structs import replace

from ulci.protocol.lobby.lines import OpenSeek
from ulci.protocol.messages import (
    Accept,
    Against,
    Enter,
    FromClient,
    Quit,
    Seek,
    Seeks,
    Terms,
    Unseek,
)
from ulci_client.reconnect import retry_after

# Least pause (s) before a seek that was refused temporarily is sent again.
RETRY = 5.0

# `lobby error` codes of temporary refusals; any other is permanent.
PASSING = frozenset({"busy", "closed", "moving", "too-fast", "too-many-seeks"})

NOT_YET = "no-such-tournament"
"""The tournament may still be made, and a server that has just begun reads it in a second."""

ON = Accept(0)
"""Is the interrupted game still on? No seek has the number 0; the answer is `busy` if it is."""

# Seconds a server has to answer `unseek` and `seeks`; an older one may not know them.
LAST_WORDS = 5.0


class SeekRefused(Exception):
    """The server will never give us the game that we seek."""


class GameBudget:
    """How many games may still be started by all players together; None: no limit."""

    def __init__(self, games: int | None = None) -> None:
        self.left = math.inf if games is None else games

    def take(self) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        return True

    def give_back(self) -> None:
        self.left += 1


class CycleStage(enum.Enum):
    AWAY = "away"
    RETURNING = "returning"
    WAITING = "waiting"
    SEEKING = "seeking"
    PLAYING = "playing"
    WITHDRAWING = "withdrawing"
    DONE = "done"


class SeekCycle:
    """One player's cycle of seeks and games. Methods return the messages to send now. waits:
    whether the player seeks only when `seek` is called. tournament: the player enters it and does
    not seek; empty: it plays in none."""

    def __init__(
        self, terms: Terms, budget: GameBudget, *, waits: bool = False, tournament: str = ""
    ) -> None:
        self.stage = CycleStage.AWAY
        self.due = math.inf
        self.in_game = False
        self.asked = False  # a seek was open when we were disconnected: its game may have begun
        self.agreed = False  # a challenge was accepted or made: its game may begin at any moment
        self.open_seek: OpenSeek | None = None  # ours, as the server announced it
        self.sought = terms  # by the last seek, or the next
        self._waits = waits
        self.tournament = tournament
        self._entered = False  # on this connection
        self._budget = budget
        self._holds = False  # a game of the budget is reserved for our seek
        self._lobby = False
        self.leaving = False
        self._to_come = 0  # games of the match that begin without a seek
        self._missed = False  # whether the interrupted game ended before we were back
        self._accepting = False  # the next error is the answer to our `accept`

    @property
    def left(self) -> float:
        """Games that may still begin, with the one that is reserved for our seek."""
        return 0 if self.leaving else self._budget.left + self._holds

    def accept(self, number: int) -> list[FromClient]:
        """Accept a challenge; our seek stays open if that is refused."""
        self._accepting = True
        return [Accept(number)]

    def match_goes_on(self, to_come: int) -> None:
        """``lobby match … game``: a game begins, or is still on after a reconnection; `to_come` of
        the match begin after it."""
        self._to_come, self._accepting = to_come + (not self.in_game), False
        if self.stage is CycleStage.SEEKING:
            self.due = math.inf

    def match_over(self) -> list[FromClient]:
        """``lobby match … over``: seek again, unless its last game is still on."""
        waited, self._to_come = self._to_come > 0, 0
        if self.stage is CycleStage.WITHDRAWING:
            return self._quit()
        return self._next() if waited and self.stage is CycleStage.SEEKING else []

    def seek(self, against: Against) -> list[FromClient]:
        """Seek now, if the player waits."""
        self.sought = replace(self.sought, against=against)
        self.stage = CycleStage.SEEKING
        return [Seek(self.sought)]

    def rest(self) -> list[FromClient]:
        """Withdraw the seek, if one is open, and wait."""
        if self.stage is not CycleStage.SEEKING:
            return []
        self.stage, self.due = CycleStage.WAITING, math.inf
        return [Unseek()]

    def welcomed(self) -> list[FromClient]:
        """``lobby welcome``."""
        self._lobby = True
        if self.in_game:
            self.stage, self._missed = CycleStage.RETURNING, False
            return [ON]
        return self._next()

    def game_on(self) -> bool:
        """A game has begun, or goes on after a reconnection. Whether it is a new one."""
        if self.stage is CycleStage.DONE:
            return False
        new, self.in_game = not self.in_game, True
        self._to_come = max(0, self._to_come - new)
        self._holds = self._holds or self._budget.take()
        self.stage, self.due = CycleStage.PLAYING, math.inf
        return new

    def do_not_count(self) -> None:
        """Do not count the running game against the budget."""
        if self._holds:
            self._budget.give_back()

    def game_over(self) -> list[FromClient]:
        if self.stage is CycleStage.RETURNING:
            self._missed = True
            return []  # the answer to `accept 0` is still to come
        return self._next() if self.in_game else []

    def refused(self, code: str, text: str, at: float) -> list[FromClient]:
        """``lobby error``.

        Raises:
            SeekRefused: the refusal is permanent.
        """
        if self.stage is CycleStage.RETURNING:
            if code == "moving":  # perhaps nobody heard it
                self.due = at + RETRY
                return []
            # Between two games of a match a player is busy, too.
            if code == "busy" and not self._missed:
                self.stage = CycleStage.PLAYING
                return []
            return self._next()
        if self._accepting:
            self._accepting = False
        elif self.stage is CycleStage.SEEKING:
            if code not in PASSING and not (self.tournament and code == NOT_YET):
                raise SeekRefused(f"the server refuses such a game: {text} ({code})")
            self.due = at + max(RETRY, retry_after(text))
        return []

    def seeks_listed(self) -> list[FromClient]:
        """The answer to `seeks`: the seek is withdrawn, and no game came first."""
        return self._quit() if self.stage is CycleStage.WITHDRAWING else []

    def leave(self, at: float) -> list[FromClient]:
        """No new games: finish the one that is on, if any, then quit."""
        self.leaving = True
        if self.stage in (CycleStage.SEEKING, CycleStage.WAITING):
            self.stage, self.due = CycleStage.WITHDRAWING, at + LAST_WORDS
            return [Unseek(), Seeks()]
        if self.stage is CycleStage.AWAY and not self.in_game:
            return self._quit()
        return []

    def depart(self) -> list[FromClient]:
        """Quit now, even during a game."""
        return [] if self.stage is CycleStage.DONE else self._quit()

    def line_lost(self) -> None:
        self.asked = self.agreed or (self.stage is CycleStage.SEEKING and self.due == math.inf)
        self.open_seek, self._to_come, self._accepting = None, 0, False
        self._entered = False
        if self.stage is not CycleStage.DONE:
            self.stage, self.due = CycleStage.AWAY, math.inf
        if self.leaving and not self.in_game:
            self.stage = CycleStage.DONE

    def alarm(self) -> list[FromClient]:
        """`due` has come."""
        self.due = math.inf
        if self.stage is CycleStage.WITHDRAWING:
            return self._quit()
        if self.stage is CycleStage.RETURNING:
            return [ON]
        return [self._wish()] if self.stage is CycleStage.SEEKING else []

    def entered(self) -> None:
        """``lobby entered``: games of the tournament come by themselves from now on."""
        self._entered = True

    def _wish(self) -> FromClient:
        return Enter(self.tournament) if self.tournament else Seek(self.sought)

    def release(self) -> None:
        """This player has ended: return a reserved game to the budget."""
        if self._holds and not self.in_game:
            self._budget.give_back()
        self._holds = False

    def _next(self) -> list[FromClient]:
        """Seek the next game, or quit."""
        if self.in_game:
            self._holds = self.in_game = False
        self._holds = not self.leaving and (self._holds or self._budget.take())
        if not self._holds:
            return self._quit()
        if not self._lobby:  # without a lobby the server pairs by itself
            self.stage = CycleStage.AWAY
            return []
        if self._waits:
            self.stage = CycleStage.WAITING
            return []
        self.stage = CycleStage.SEEKING
        return [] if self._to_come or self._entered else [self._wish()]

    def _quit(self) -> list[FromClient]:
        self.stage, self.due = CycleStage.DONE, math.inf
        self.release()
        return [Quit()]
