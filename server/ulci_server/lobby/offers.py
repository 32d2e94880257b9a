"""What players offer: open seeks, challenges, and the waiting of programs on call."""

from collections.abc import Iterator, Sequence

from . import lobby_lines
from .effects import LobbyEffect, Release, TellAll, TellOne
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
        self._on_call = on_call
        self._keeper = keeper

    def withdraw_all(self, handle: str) -> Iterator[LobbyEffect]:
        """All seeks and challenges of a player, and the challenges to that player."""
        self._on_call.take(handle)
        yield from self.withdraw(self._book.of(handle), self._challenges.concerning(handle))

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
                yield TellOne(concerned, lobby_lines.gone(challenge.seek.id))
