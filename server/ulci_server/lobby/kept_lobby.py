"""What is kept of a lobby, and how another one goes on with it."""

from collections.abc import Iterator, Mapping

from . import lobby_lines
from .effects import Freed, LobbyEffect, TellOne
from .inviting import Inviting
from .keeper import Keeper
from .kept import KeptMatch, KeptSeek, keep_match, keep_seek, match_again, seek_again
from .match_games import MatchGames
from .matches import Matches
from .on_call import OnCall
from .pools import Pool
from .roster import Member, Roster
from .seek_book import SeekBook
from .seeks import Challenges
from .terms import Refusal


class KeptLobby:
    """Of the lobby that consists of these. Methods return the effects to perform, in order."""

    def __init__(
        self,
        roster: Roster,
        book: SeekBook,
        challenges: Challenges,
        inviting: Inviting,
        matches: Matches,
        match_games: MatchGames,
        on_call: OnCall,
        keeper: Keeper,
        pools: Mapping[str, Pool],
        games: Mapping[str, Pool],
    ) -> None:
        self._roster = roster
        self._book = book
        self._challenges = challenges
        self._inviting = inviting
        self._matches = matches
        self._match_games = match_games
        self._on_call = on_call
        self._keeper = keeper
        self._pools = pools
        self._games = games

    # What is there

    def is_playing(self, handle: str) -> bool:
        """Whether the player has an opponent: its game or match is on, or about to begin."""
        member = self._of(handle)
        return member is not None and member.playing

    def awaits_game(self, handle: str) -> bool:
        """Whether the player's game should be on, or about to begin: it is paired, and does not
        wait for the next game of its match."""
        match = self._matches.of(handle)
        return self.is_playing(handle) and (match is None or handle not in match.free)

    def seek(self, number: int) -> tuple[str, str | None, KeptSeek] | None:
        """The handles of the player who made the seek and of the challenged player (None without a
        challenge), and the seek; None: no seek, challenge or invitation of that number is open."""
        if (seek := self._book.get(number)) is not None:
            return seek.who.handle, None, keep_seek(seek)
        if (challenge := self._challenges.get(number)) is not None:
            return challenge.by, challenge.to, keep_seek(challenge.seek)
        if (invitation := self._inviting.get(number)) is not None:
            return invitation.who.handle, None, keep_seek(invitation)
        return None

    def match(self, number: int) -> KeptMatch | None:
        """None: there is no match of that number."""
        match = self._matches.get(number)
        return None if match is None else keep_match(match)

    @property
    def open_seeks(self) -> list[int]:
        """The numbers of the open seeks."""
        return [seek.id for seek in self._book]

    # What was there

    def stand_again(
        self, number: int, handle: str, asked: str | None, kept: KeptSeek
    ) -> list[LobbyEffect]:
        """A seek of a lobby before, or a challenge, is open here again, if those whom it concerns
        are here and free."""
        member = self._of(handle)
        if member is None or member.playing:
            self._keeper.seek(number)
            if asked is None or self._of(asked) is None:
                return []
            return [TellOne(asked, lobby_lines.gone(number))]
        try:
            seek = seek_again(kept, number, member.who, self._pools, self._games)
        except Refusal as refusal:
            self._keeper.seek(number)
            return [TellOne(handle, refusal.line)]
        if seek.invitation:
            return [*self._inviting.stand_again(seek)]
        if asked is None:
            self._book.add(seek)
            self._book.nearness.take_any(number)
            return [*self._on_call.add(seek)]
        if self._of(asked) is None:
            self._keeper.seek(number)
            return [TellOne(handle, lobby_lines.gone(number))]
        self._challenges.add(seek, asked)
        return []

    def play_again(self, number: int, kept: KeptMatch, white: str = "") -> list[LobbyEffect]:
        """A match of a lobby before goes on. white: the handle of White in the game that the two
        play; empty: they play none."""
        self._keeper.match(number)  # it may be no more
        if any(self._of(handle) is None for handle in kept.handles):
            return [*self._lost(number, kept, white)]
        try:
            match = match_again(kept, number, self._roster, self._pools, self._games)
        except Refusal:
            return [*self._lost(number, kept, white)]
        return [*self._match_games.again(match, white)]

    def _lost(self, number: int, kept: KeptMatch, white: str) -> Iterator[LobbyEffect]:
        """The match is over. A player who is not in its game is free."""
        for handle in kept.handles:
            if (member := self._of(handle)) is not None:
                yield TellOne(handle, lobby_lines.match_over(number, kept.played, "closed"))
                if not white and handle in kept.free:
                    member.playing = False
                    self._keeper.member(handle)
                    yield Freed(handle)

    def _of(self, handle: str) -> Member | None:
        """The player with exactly this handle."""
        member = self._roster.get(handle)
        return None if member is None or member.who.handle != handle else member
