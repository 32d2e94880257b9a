"""Invitations: a game for the first who knows a token, which the inviting client has drawn.

The lobby keeps the digest of a token, not the token. An invitation ends with the connection of the
player who made it; the client makes it again, with the same token, when it is back. So a link that
was sent to somebody holds while a phone sleeps, a page is loaded again or a server is replaced.
"""

from collections import OrderedDict
from hashlib import sha256

from .seeks import StandingSeek

MOST_OPEN = 5
"""Open invitations of a player: each is for one friend."""

OPEN_FOR = 24 * 60 * 60.0
"""The most seconds for which an invitation is open: long enough for an evening's guest, too short
for a person who finds the link in a year."""

MOST_ENDED = 1000
"""Ended invitations whose fate is remembered, so that a latecomer learns what became of it."""

TAKEN = "somebody else has taken this invitation already"
WITHDRAWN = "this invitation was withdrawn, or its maker plays another game now"
EXPIRED = f"this invitation has run out: it was open for {OPEN_FOR / 3600:g} hours"


def digest(token: str) -> str:
    """What is kept of a token."""
    return sha256(token.encode()).hexdigest()[:32]


class Invitations:
    """The open invitations, each as the seek of the player who made it, and how the last ones
    ended."""

    def __init__(self) -> None:
        self._open: dict[str, StandingSeek] = {}  # by digest
        self._of: dict[str, dict[int, StandingSeek]] = {}
        self._numbers: dict[int, StandingSeek] = {}
        self._ended: OrderedDict[str, str] = OrderedDict()  # why, by digest

    def add(self, seek: StandingSeek) -> None:
        self._ended.pop(seek.invitation, None)
        self._open[seek.invitation] = self._numbers[seek.id] = seek
        self._of.setdefault(seek.who.handle, {})[seek.id] = seek

    def remove(self, seek: StandingSeek, why: str) -> None:
        """`why` is remembered; empty: nothing is."""
        del self._open[seek.invitation], self._numbers[seek.id]
        theirs = self._of[seek.who.handle]
        del theirs[seek.id]
        if not theirs:
            del self._of[seek.who.handle]
        if why:
            self._ended[seek.invitation] = why
            if len(self._ended) > MOST_ENDED:
                self._ended.popitem(last=False)

    def get(self, number: int) -> StandingSeek | None:
        return self._numbers.get(number)

    def of(self, handle: str) -> list[StandingSeek]:
        """Those that the player made, the oldest first."""
        return [*self._of.get(handle, {}).values()]

    def holding(self, key: str) -> StandingSeek | None:
        """The open invitation with that digest."""
        return self._open.get(key)

    def ended(self, key: str) -> str:
        """How the invitation with that digest ended; empty: not known."""
        return self._ended.get(key, "")
