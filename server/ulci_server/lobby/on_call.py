"""Programs of our servers that people ask for.

They have no open seek, or a seek that leaves the opponent open would never meet a person. A player
who seeks an engine, or challenges one of these programs, gets a game at once. A person whose
program has no lobby cannot ask: such a person gets one of them after `ALONE` seconds without an
opponent.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from .effects import Hold, Release
from .pairing import answer
from .profile import Profile
from .roster import Member, Roster
from .seeks import StandingSeek, disagreement

ALONE = 10.0
"""Seconds for which a person without a lobby waits for somebody else: two who begin together shall
meet each other."""


class OnCall:
    """The programs that are free, and the open seeks that ask for one. number: makes the number of
    a seek."""

    def __init__(self, roster: Roster, number: Callable[[], int]) -> None:
        self._roster = roster
        self._number = number
        self._known: set[str] = set()
        self._free: dict[str, None] = {}  # the longest free first
        self._asking: dict[int, StandingSeek] = {}
        self._silent: dict[int, StandingSeek] = {}  # of those who cannot ask

    def __contains__(self, handle: str) -> bool:
        """Whether that program is free."""
        return handle in self._free

    # Programs

    def join(self, handle: str) -> Iterator[Hold]:
        """The program is free from now on."""
        if not self._known:
            yield from (Hold(number, ALONE) for number in self._silent)
        self._known.add(handle)
        self._free[handle] = None

    def take(self, handle: str) -> None:
        """The program is not free, if it was."""
        self._free.pop(handle, None)

    def leave(self, handle: str) -> None:
        """The program has left."""
        self.take(handle)
        self._known.discard(handle)

    def asked_by(self, handle: str) -> tuple[StandingSeek, StandingSeek] | None:
        """The oldest open seek that the program plays, and its answer."""
        who = self._roster[handle].who
        for seek in self._asking.values():
            if not self._fault(theirs := self._answer(who, seek), seek):
                return seek, theirs
        return None

    # Seeks

    def add(self, seek: StandingSeek) -> Iterator[Hold]:
        """The seek is open, as no program plays it now."""
        if self._asks(seek):
            self._asking[seek.id] = seek
        elif seek.auto and seek.who.kind == "human":
            self._silent[seek.id] = seek
            if self._known:
                yield Hold(seek.id, ALONE)

    def remove(self, seek: StandingSeek) -> Iterator[Release]:
        """The seek is open no more."""
        self._asking.pop(seek.id, None)
        if self._silent.pop(seek.id, None) is not None and self._known:
            yield Release(seek.id)

    def overdue(self, number: int) -> StandingSeek | None:
        """A person without a lobby has waited for `ALONE` seconds: the seek, which asks from now
        on. None: there is no such seek."""
        seek = self._silent.pop(number, None)
        if seek is not None:
            self._roster[seek.who.handle].alone = True
            self._asking[number] = seek
        return seek

    def answer(self, seek: StandingSeek) -> StandingSeek | None:
        """The answer of a program to a seek, if it asks for one that is free."""
        if not self._asks(seek):
            return None
        answers = (self._answer(self._roster[handle].who, seek) for handle in self._free)
        return next((theirs for theirs in answers if not self._fault(theirs, seek)), None)

    def challenged(self, seek: StandingSeek, to: Profile) -> tuple[StandingSeek | None, str]:
        """The answer of that program, or of another of its name. None: it does not play; and why
        not, if it is free."""
        why = ""
        for handle in (to.handle, *self._free):
            who = self._roster[handle].who
            if handle not in self._free or who.name != to.name:
                continue
            theirs = self._answer(who, seek)
            if not (why := self._fault(theirs, seek)):
                return theirs, ""
        return None, why

    def no_level(self, seek: StandingSeek) -> str:
        """Why no program that is here ever plays at the level that is sought; empty if one does, or
        none is sought."""
        why = "no engine of this server plays at levels"
        if seek.level is None:
            return ""
        for member in self._roster:
            if member.who.levels:
                if not (fault := self._fault(self._answer(member.who, seek), seek)):
                    return ""
                why = fault
        return why

    def _asks(self, seek: StandingSeek) -> bool:
        asks = seek.against == "engine" and not seek.auto
        return asks or self._roster[seek.who.handle].alone

    def _answer(self, who: Profile, seek: StandingSeek) -> StandingSeek:
        assert who.program is not None
        return replace(answer(self._number(), who, seek), against=who.program.against)

    def _fault(self, theirs: StandingSeek, seek: StandingSeek) -> str:
        """Why the program does not play it; empty if it does."""
        program, game = theirs.who.program, seek.game.name
        assert program is not None
        if not program.plays(seek.pool, game):
            return f"{theirs.who.name} does not play {game} in the pool {seek.pool}"
        return disagreement(seek, theirs) or ""


def is_on_call(member: Member) -> bool:
    """Whether it is a program that people ask for."""
    return member.who.program is not None and member.who.program.is_on_call
