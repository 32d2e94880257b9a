"""Challenges: a game begins, or the challenged player is asked."""

from collections.abc import Callable, Iterator

from . import lobby_lines
from .effects import LobbyEffect, TellWhenKept
from .keeper import Keeper
from .on_call import OnCall, is_on_call
from .pairing import answer
from .roster import Member
from .seek_book import SeekBook
from .seeks import Challenges, StandingSeek, disagreement
from .terms import Refusal

# Open seeks and challenges per player: people never need more, and a program must not flood.
MAX_SEEKS = 10

# Unanswered challenges to one player: nobody reads more, and all challengers are notified when that
# player leaves.
MAX_ASKED = 100


class Challenging:
    """Of the lobby that consists of these. number: makes the number of a seek. meet: starts the
    game or match of two who agree, the first of whom came first."""

    def __init__(
        self,
        on_call: OnCall,
        book: SeekBook,
        challenges: Challenges,
        keeper: Keeper,
        number: Callable[[], int],
        meet: Callable[[StandingSeek, StandingSeek], Iterator[LobbyEffect]],
    ) -> None:
        self._on_call = on_call
        self._book = book
        self._challenges = challenges
        self._keeper = keeper
        self._next = number
        self._meet = meet

    def address(self, seek: StandingSeek, other: Member) -> Iterator[LobbyEffect]:
        """Challenge a player: if a matching seek of theirs is open, or a matching challenge of
        theirs to the challenger, the game begins; otherwise a player who reads lobby lines is
        asked, and may answer after the current game. If the start is to be chosen later, a player
        with a matching seek is asked, too: the seek does not agree to that."""
        to = other.who
        if not to.hears(seek.who.handle):
            raise Refusal("ignored", f"{to.handle} ignores you")
        if is_on_call(other):
            theirs, why_not = self._on_call.challenged(seek, to)
            if theirs is None:
                busy = "busy", f"{to.handle} is playing"
                raise Refusal(*(("cannot-play", why_not) if why_not else busy))
            yield from self._meet(seek, theirs)
            return
        if other.playing and not to.lobby:
            raise Refusal("busy", f"{to.handle} is playing")
        if why := disagreement(seek, answer(self._next(), to, seek)):
            raise Refusal("cannot-play", why)
        crossed = self._challenges.between(to.handle, seek.who.handle)
        if crossed is not None and disagreement(crossed.seek, seek) is None:
            yield from self._meet(crossed.seek, seek)
            return
        waiting = self._book.of(to.handle)
        for theirs in waiting:
            asked_first = seek.color == "later" and not theirs.flexible
            if not asked_first and disagreement(theirs, seek) is None:
                yield from self._meet(theirs, seek)
                return
        if not to.lobby:
            why = disagreement(waiting[0], seek) if waiting else None
            raise Refusal("cannot-play", why or f"{to.handle} is not waiting for a game")
        if len(self._challenges.by(seek.who.handle)) >= MAX_SEEKS:
            raise Refusal("too-many-challenges", f"you have {MAX_SEEKS} open challenges")
        if self._challenges.asked(to.handle) >= MAX_ASKED:
            text = f"{to.handle} has {MAX_ASKED} challenges to answer; try again later"
            raise Refusal("too-many-challenges", text)
        self._challenges.add(seek, to.handle)
        self._keeper.seek(seek.id)
        yield TellWhenKept(to.handle, lobby_lines.challenge(seek))
        yield TellWhenKept(seek.who.handle, lobby_lines.challenging(seek.id, to))
