"""When a bridge asks for a game, and when it has had enough. Pure.

AWAY         no line, or a server that has not said `lobby welcome`
RETURNING    back on a new line; asking whether the game of the old one is still on
SEEKING      a seek is said, or will be at `due`
PLAYING      a game is on
WITHDRAWING  asked to leave while seeking: the seek is taken back, unless a game came first
DONE         `quit` is said
"""

import enum
import math

from ulci.protocol import Accept, FromClient, Quit, Seek, Seeks, Terms, Unseek
from ulci_client.closing import retry_after

# Seconds until a seek is said again that was refused for a reason that may pass, at least.
RETRY = 5.0

# `lobby error` codes of a seek that may be heard another time; any other will not change by itself.
PASSING = frozenset({"busy", "closed", "too-fast", "too-many-seeks"})

# Seconds in which a server answers the words of `WITHDRAWING`; an older one may not know them.
LAST_WORDS = 5.0


class Refusal(Exception):
    """The server will not give us the game that we ask for."""


class Budget:
    """How many games may still be started, shared by all who play from it; None: no end."""

    def __init__(self, games: int | None = None) -> None:
        self._left = math.inf if games is None else games

    def take(self) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        self._left += 1


class Stage(enum.Enum):
    AWAY = "away"
    RETURNING = "returning"
    SEEKING = "seeking"
    PLAYING = "playing"
    WITHDRAWING = "withdrawing"
    DONE = "done"


class Seeking:
    """One player's way from game to game. Every method returns what is to be said now."""

    def __init__(self, terms: Terms, budget: Budget) -> None:
        self.stage = Stage.AWAY
        self.due = math.inf
        self.in_game = False
        self.asked = False  # on the line that was lost last, in vain: a game may have begun since
        self._terms = terms
        self._budget = budget
        self._holds = False  # a game of the budget, taken before it is asked for
        self._lobby = False
        self._leaving = False

    def welcomed(self) -> list[FromClient]:
        """The server has a lobby, and we are in it."""
        self._lobby = True
        if self.in_game:
            self.stage = Stage.RETURNING
            # Nobody's seek has the number 0; whoever is playing is told so before it is looked up.
            return [Accept(0)]
        return self._next()

    def game_on(self) -> bool:
        """A game has begun, or goes on after a break of the line. Whether it is a new one."""
        if self.stage is Stage.DONE:
            return False
        new, self.in_game = not self.in_game, True
        self._holds = self._holds or self._budget.take()
        self.stage, self.due = Stage.PLAYING, math.inf
        return new

    def game_over(self) -> list[FromClient]:
        if self.stage is Stage.RETURNING:
            return []  # the answer to what we asked there is still to come, and means the same
        return self._next() if self.in_game else []

    def refused(self, code: str, text: str, at: float) -> list[FromClient]:
        """``lobby error``.

        Raises:
            Refusal: it will never be otherwise.
        """
        if self.stage is Stage.RETURNING:
            if code == "busy":
                self.stage = Stage.PLAYING
                return []
            return self._next()
        if self.stage is Stage.SEEKING:
            if code not in PASSING:
                raise Refusal(f"the server refuses such a game: {text} ({code})")
            self.due = at + max(RETRY, retry_after(text))
        return []

    def seeks_listed(self) -> list[FromClient]:
        """What was said before `seeks` has been heard: no game came before the seek was gone."""
        return self._quit() if self.stage is Stage.WITHDRAWING else []

    def leave(self, at: float) -> list[FromClient]:
        """No new games: finish the one that is on, if any, and go."""
        self._leaving = True
        if self.stage is Stage.SEEKING:
            self.stage, self.due = Stage.WITHDRAWING, at + LAST_WORDS
            return [Unseek(), Seeks()]
        if self.stage is Stage.AWAY and not self.in_game:
            return self._quit()
        return []

    def depart(self) -> list[FromClient]:
        """Go now, whatever is on."""
        return [] if self.stage is Stage.DONE else self._quit()

    def line_lost(self) -> None:
        self.asked = self.stage is Stage.SEEKING and self.due == math.inf
        if self.stage is not Stage.DONE:
            self.stage, self.due = Stage.AWAY, math.inf
        if self._leaving and not self.in_game:
            self.stage = Stage.DONE

    def alarm(self) -> list[FromClient]:
        """`due` has come."""
        self.due = math.inf
        if self.stage is Stage.WITHDRAWING:
            return self._quit()
        return [Seek(self._terms)] if self.stage is Stage.SEEKING else []

    def release(self) -> None:
        """This player is gone: what it took and did not begin is for others."""
        if self._holds and not self.in_game:
            self._budget.give_back()
        self._holds = False

    def _next(self) -> list[FromClient]:
        """From the lobby to the next game, if there is to be one."""
        if self.in_game:
            self._holds = self.in_game = False
        self._holds = not self._leaving and (self._holds or self._budget.take())
        if not self._holds:
            return self._quit()
        if not self._lobby:  # a server that pairs by itself
            self.stage = Stage.AWAY
            return []
        self.stage = Stage.SEEKING
        return [Seek(self._terms)]

    def _quit(self) -> list[FromClient]:
        self.stage, self.due = Stage.DONE, math.inf
        self.release()
        return [Quit()]
