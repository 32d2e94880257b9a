"""What players offer: open seeks, challenges, invitations, and the waiting of programs on call."""

from collections.abc import Iterator, Sequence

from . import lobby_lines
from .effects import LobbyEffect, Release, TellAll, TellWhenKept
from .invitations import WITHDRAWN, Invitations
from .keeper import Keeper
from .on_call import OnCall
from .seek_book import SeekBook
from .seeks import Challenges, StandingChallenge, StandingSeek


class Offers:
    """Withdraws them. Methods yield the effects to perform, in order."""

    def __init__(
        self, book: SeekBook, challenges: Challenges, on_call: OnCall, keeper: Keeper
    ) -> None:
        self._book = book
        self._challenges = challenges
        self.invitations = Invitations()
        self._on_call = on_call
        self._keeper = keeper

    def withdraw_all(self, handle: str, why: str = WITHDRAWN) -> Iterator[LobbyEffect]:
        """Withdraw all seeks, challenges and invitations of a player, and the challenges to that
        player. why: the answer to players who take an invitation later."""
        self._on_call.take(handle)
        yield from self.withdraw(self._book.of(handle), self._challenges.concerning(handle))
        yield from self.uninvite(self.invitations.of(handle), why)

    def withdraw(
        self, seeks: Sequence[StandingSeek], challenges: Sequence[StandingChallenge]
    ) -> Iterator[LobbyEffect]:
        """These are open no more."""
        for seek in seeks:
            if self._book.nearness.due(seek.id) is not None:
                yield Release(-seek.id)
            self._book.remove(seek)
            self._keeper.seek(seek.id)
            yield from self._on_call.remove(seek)
            yield TellAll(lobby_lines.gone(seek.id))
        for challenge in challenges:
            self._challenges.remove(challenge)
            self._keeper.seek(challenge.seek.id)
            for concerned in (challenge.to, challenge.by):
                yield TellWhenKept(concerned, lobby_lines.gone(challenge.seek.id))

    def uninvite(self, invitations: Sequence[StandingSeek], why: str) -> Iterator[LobbyEffect]:
        """Close these invitations. why: the answer to players who take them later; empty: the
        player who made them may come back."""
        for seek in invitations:
            self.invitations.remove(seek, why)
            self._keeper.seek(seek.id)
            yield Release(seek.id)
            yield TellWhenKept(seek.who.handle, lobby_lines.gone(seek.id))
