"""Matches: several games of the same two players, accepted once, and games whose colours one of
the two says later. Pure.

A match has no table: it lives in the lobby between the games, each of which is an ordinary one. A
restart of a lone server ends it, and the game that is on is played to its end; in a cluster, the
next lobby goes on with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ulci.protocol.messages import Color

from .pairing import OTHER_COLOR
from .roster import Roster
from .seeks import StandingSeek

CHOICE_TIME = 180.0
"""Seconds that a player has to say ``color`` before each game of a match: enough for a person who
thinks about the first move at a board that the server does not see. No clock runs meanwhile, so
somebody who never says it must not keep the other for long."""

CHOICE_TIME_OF_PROGRAM = 60.0
"""The same where the other is a program without words of the lobby, which cannot end the match."""

MOST_VAIN_WAITS = 3
"""How often such a program waits in vain between two of its games. After that it meets only players
who choose their color at once: otherwise a few strangers could keep it from playing for ever."""

EndReason = Literal["complete", "ended", "left", "late", "closed"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What ``color`` said. start: None leaves it to the pool; `own`: the player named one, which
    may be the usual one."""

    color: Color
    start: str | None = None
    own: bool = False


@dataclass(slots=True)
class Match:
    """`seeks`: what the two agreed on, the leading one first; its number is the match's. `free`:
    handles of those whose last game is over. `white`: the handle of the last White."""

    seeks: tuple[StandingSeek, StandingSeek]
    played: int = 0
    free: set[str] = field(default_factory=set)
    choice: Choice | None = None
    white: str = ""

    @property
    def id(self) -> int:
        return self.seeks[0].id

    @property
    def games(self) -> int:
        return self.seeks[0].games

    @property
    def handles(self) -> tuple[str, str]:
        return self.seeks[0].who.handle, self.seeks[1].who.handle

    @property
    def chooser(self) -> str:
        """The handle of the player who says the colours; empty if nobody does."""
        return self.seeks[0].who.handle if self.seeks[0].color == "later" else ""

    @property
    def both_free(self) -> bool:
        return len(self.free) == len(self.seeks)

    @property
    def waits(self) -> bool:
        """Whether both wait for ``color``."""
        return self.both_free and bool(self.chooser) and self.choice is None

    def choice_time(self) -> float:
        """Seconds to say ``color``."""
        words = all(seek.who.lobby for seek in self.seeks)
        return CHOICE_TIME if words else CHOICE_TIME_OF_PROGRAM

    def other(self, handle: str) -> str:
        """The handle of that player's opponent."""
        first, second = self.handles
        return second if handle == first else first

    def next_seeks(self, roster: Roster) -> tuple[StandingSeek, StandingSeek]:
        """The seeks by which the next game begins: by the choice, otherwise with the colours of the
        last game swapped. Their players are as they are now: they may have reconnected."""
        first, second = (replace(s, who=roster[s.who.handle].who) for s in self.seeks)
        color = first.color
        if self.choice is not None:
            color = self.choice.color
        elif self.played:
            color = "black" if self.white == first.who.handle else "white"
        starts: Sequence[str | None] = first.starts
        if self.choice is not None and self.choice.own:
            starts = (self.choice.start,)
        first = replace(first, color=color, starts=starts)
        second = replace(second, color=OTHER_COLOR[color], starts=starts, flexible=True)
        return first, second

    def begun(self, white: str) -> None:
        """The next game begins."""
        self.played += 1
        self.white, self.choice = white, None
        self.free.clear()


class Matches:
    """The matches, by number and by the handles of their players."""

    def __init__(self) -> None:
        self._all: dict[int, Match] = {}
        self._of: dict[str, Match] = {}

    def waiting(self) -> list[Match]:
        """The matches of which no game is on."""
        return [match for match in self._all.values() if match.waits]

    def get(self, number: int) -> Match | None:
        return self._all.get(number)

    def of(self, handle: str) -> Match | None:
        return self._of.get(handle)

    def add(self, first: StandingSeek, second: StandingSeek) -> Match | None:
        """The match of these two, who agree and are free; None if it is a single game."""
        first, second = sorted((first, second), key=_leads, reverse=True)
        if first.games == 1 and first.color != "later":
            return None
        match = Match((first, second))
        match.free.update(match.handles)
        self.add_again(match)
        return match

    def add_again(self, match: Match) -> None:
        """Add a match that has begun."""
        self._all[match.id] = match
        self._of.update(dict.fromkeys(match.handles, match))

    def remove(self, match: Match) -> None:
        del self._all[match.id]
        for handle in match.handles:
            del self._of[handle]


def _leads(seek: StandingSeek) -> tuple[bool, bool]:
    """The rank of a seek as the one whose terms the match has: first a seek whose player chooses
    the colours, then one that does not merely adopt the other's terms."""
    return seek.color == "later", not seek.flexible
