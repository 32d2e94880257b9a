"""What becomes of an invitation: it is made, taken by the first who joins, or runs out."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from . import lobby_lines
from .effects import Hold, LobbyEffect, TellWhenKept
from .invitations import EXPIRED, MOST_OPEN, OPEN_FOR, TAKEN, WITHDRAWN, digest
from .keeper import Keeper
from .offers import Offers
from .pairing import answer
from .roster import Member, Roster
from .seeks import StandingSeek, disagreement
from .terms import Refusal

TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Inviting:
    """Of the lobby that consists of these. number: makes the number of a seek. meet: starts the
    game or match of two who agree, the first of whom came first."""

    def __init__(
        self,
        roster: Roster,
        offers: Offers,
        keeper: Keeper,
        number: Callable[[], int],
        meet: Callable[[StandingSeek, StandingSeek], Iterator[LobbyEffect]],
    ) -> None:
        self._roster = roster
        self._invitations = offers.invitations
        self._offers = offers
        self._keeper = keeper
        self._next = number
        self._meet = meet

    def invite(self, seek: StandingSeek, token: str) -> Iterator[LobbyEffect]:
        """Hold a seek open for a player who has the token, in place of the inviter's own invitation
        with that token, if there is one. Raises `Refusal`."""
        if seek.level is not None:
            raise Refusal("cannot-play", "an invitation is for a person, who has no levels")
        if not TOKEN.fullmatch(token):
            text = "a token has 16 to 64 letters, digits, - or _, drawn at random"
            raise Refusal("bad-invitation", text)
        key, handle = digest(token), seek.who.handle
        before = self._invitations.holding(key)
        if before is not None and before.who.handle != handle:
            text = "this token is of another invitation; draw one at random"
            raise Refusal("bad-invitation", text)
        if before is not None:
            yield from self._offers.uninvite([before], "")
        elif len(self._invitations.of(handle)) >= MOST_OPEN:
            text = f"you have {MOST_OPEN} open invitations; unseek one first"
            raise Refusal("too-many-invitations", text)
        seek = replace(seek, invitation=key, self_play=True)
        self._invitations.add(seek)
        self._keeper.seek(seek.id)
        yield Hold(seek.id, OPEN_FOR)
        yield TellWhenKept(handle, lobby_lines.inviting(seek.id, token, OPEN_FOR))

    def join(self, member: Member, token: str) -> Iterator[LobbyEffect]:
        """Begin the game of an invitation. Raises `Refusal`."""
        key, who = digest(token), member.who
        seek = self._invitations.holding(key)
        if seek is None:
            if ended := self._invitations.ended(key):
                raise Refusal("invitation-over", ended)
            text = "the maker of this invitation is not here now, or it is open no more"
            raise Refusal("no-such-invitation", text)
        if seek.who.handle == who.handle:
            text = "this is your own invitation: send it to somebody else"
            raise Refusal("own-invitation", text)
        if not self._roster[seek.who.handle].who.hears(who.handle):
            raise Refusal("ignored", f"{seek.who.handle} ignores you")
        theirs = answer(self._next(), who, seek)
        if why := disagreement(seek, theirs):
            raise Refusal("cannot-play", why)
        yield from self._offers.uninvite([seek], TAKEN)
        yield from self._meet(seek, theirs)

    def overdue(self, number: int) -> Iterator[LobbyEffect]:
        """The invitation of that number, if it is one, has been open for as long as it may."""
        seek = self._invitations.get(number)
        if seek is not None:
            yield from self._offers.uninvite([seek], EXPIRED)

    def get(self, number: int) -> StandingSeek | None:
        """The open invitation of that number."""
        return self._invitations.get(number)

    def of(self, handle: str, number: int | None) -> Sequence[StandingSeek]:
        """The player's own invitation of that number, or all."""
        return [one for one in self._invitations.of(handle) if number in (None, one.id)]

    def end(self, seeks: Sequence[StandingSeek]) -> Iterator[LobbyEffect]:
        """The player does not want these any more."""
        yield from self._offers.uninvite(seeks, WITHDRAWN)

    def stand_again(self, seek: StandingSeek) -> Iterator[LobbyEffect]:
        """An invitation of a lobby before is open again."""
        if self._invitations.holding(seek.invitation) is None:
            self._invitations.add(seek)
            yield Hold(seek.id, OPEN_FOR)
        else:
            self._keeper.seek(seek.id)
