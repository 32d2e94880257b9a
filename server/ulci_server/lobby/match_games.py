"""The games of matches: each begins when both players are free, and its colours are known."""

from collections.abc import Iterator

from ulci.protocol.messages import ChooseColor
from ulci.protocol.messages import Lobby as Line

from . import lobby_lines
from .effects import Freed, Hold, LobbyEffect, Release, TellOne
from .keeper import Keeper
from .matches import Choice, EndReason, Match, Matches
from .pairing import Pairing
from .roster import Member, Roster
from .seeks import disagreement
from .terms import BoardLimits, Refusal, start_untrusted


class MatchGames:
    """Begins the games of matches, and ends matches. `pairing` makes the games; `limits`: the
    largest board that a player may name; `keeper`: gets the changes. Methods yield the effects to
    perform, in order."""

    def __init__(
        self,
        matches: Matches,
        roster: Roster,
        pairing: Pairing,
        limits: BoardLimits,
        keeper: Keeper,
    ) -> None:
        self._matches = matches
        self._roster = roster
        self._pairing = pairing
        self._limits = limits
        self._keeper = keeper

    def line_of(self, handle: str, *, in_game: bool) -> Line | None:
        """The line of the player's match after a reconnection; None if there is no match, or no
        further game of it."""
        match = self._matches.of(handle)
        if match is None:
            return None
        number = match.played if in_game else match.played + 1
        if number > match.games:
            return None
        chooser = match.chooser if match.waits else ""
        return lobby_lines.match_game(
            match.id, number, match.games, match.other(handle), chooser=chooser
        )

    def free(self, handle: str) -> Iterator[LobbyEffect]:
        """The player's game is over, and nothing is owed for it."""
        match = self._matches.of(handle)
        if match is None:
            self._release(handle)
            yield Freed(handle)
            return
        match.free.add(handle)
        self._keeper.match(match.id)
        if match.played == match.games:
            yield from self.end(match, "complete")
        elif match.both_free:
            yield from self.next_game(match)

    def next_game(self, match: Match) -> Iterator[LobbyEffect]:
        """Both are free: begin the next game, or wait for its colours."""
        if self._pairing.closed:
            yield from self.end(match, "closed")
        elif match.waits:
            chooser, number = match.chooser, match.played + 1
            for handle in match.handles:
                line = lobby_lines.match_game(
                    *(match.id, number, match.games, match.other(handle)),
                    chooser=chooser,
                    seconds=match.choice_time(),
                )
                yield TellOne(handle, line)
            yield Hold(match.id, match.choice_time())
        else:
            yield from self._begin_game_of(match)

    def _begin_game_of(self, match: Match) -> Iterator[LobbyEffect]:
        first, second = match.next_seeks(self._roster)
        if disagreement(first, second):  # one is back with a program that can play less
            yield from self.end(match, "closed")
            return
        number = match.played + 1
        if not match.chooser:
            for handle in match.handles:
                other = match.other(handle)
                yield TellOne(handle, lobby_lines.match_game(match.id, number, match.games, other))
        pair = self._pairing.pair(first, second)
        match.begun(pair.white)
        self._keeper.match(match.id)
        yield pair

    def choose_color(self, member: Member, word: ChooseColor) -> Iterator[LobbyEffect]:
        """The command ``color``. Raises `Refusal`."""
        handle = member.who.handle
        match = self._matches.of(handle)
        if match is None or match.chooser != handle:
            raise Refusal("no-match", "no game waits for your color")
        if self._pairing.closed:
            raise Refusal("closed", self._pairing.closed)
        if handle not in match.free:
            raise Refusal("busy", "your game is not over yet")
        match.choice = self._choice(match, member, word)
        self._keeper.match(match.id)
        if match.both_free:
            yield Release(match.id)
            yield from self._begin_game_of(match)

    def _choice(self, match: Match, member: Member, word: ChooseColor) -> Choice:
        """Raises Refusal: the start is not what was agreed on, or cannot be played."""
        seek, theirs = match.seeks
        if word.start is None:
            return Choice(word.color)
        start = start_untrusted(seek.game, word.start, member.who, self._limits)
        if seek.own_start and start not in seek.starts:
            raise Refusal("bad-start", "another start position was agreed on")
        if seek.rated and start not in seek.starts:
            raise Refusal(
                "bad-start",
                "a rated game begins from a start that both know: name it with the seek or the"
                " challenge",
            )
        if not theirs.flexible and start not in theirs.starts:
            text = f"{theirs.who.handle} did not agree to any start, but to those of its own seek"
            raise Refusal("bad-start", text)
        other = self._roster[match.other(member.who.handle)].who
        if lacking := other.lacks(seek.game.needs(start)):
            raise Refusal("cannot-play", lacking)
        return Choice(word.color, start, own=True)

    def overdue(self, number: int) -> Iterator[LobbyEffect]:
        """A match has waited for ``color`` for as long as it was held (`Hold`)."""
        match = self._matches.get(number)
        if match is not None and match.waits:
            yield from self.end(match, "late")

    def end_waiting(self, match: Match) -> Iterator[LobbyEffect]:
        """End the match, if it still waits: no games begin."""
        if self._matches.get(match.id) is match and match.waits:
            yield from self.end(match, "closed")

    def end_of(self, handle: str, reason: EndReason) -> Iterator[LobbyEffect]:
        """End the player's match, if there is one."""
        if (match := self._matches.of(handle)) is not None:
            yield from self.end(match, reason)

    def end(self, match: Match, reason: EndReason) -> Iterator[LobbyEffect]:
        """No further game of the match begins. A player still in one is freed after it."""
        self._matches.remove(match)
        self._keeper.match(match.id)
        yield Release(match.id)
        if match.waits and reason != "closed":
            for handle in match.handles:
                self._roster[handle].vain_waits += 1
        for handle in match.handles:
            yield TellOne(handle, lobby_lines.match_over(match.id, match.played, reason))
        for handle in match.handles:
            if handle in match.free:
                self._release(handle)
                yield Freed(handle)

    def again(self, match: Match, white: str) -> Iterator[LobbyEffect]:
        """A match of a lobby before goes on; `white`: as in `KeptLobby.play_again`. A game may have
        begun that was not kept."""
        self._matches.add_again(match)
        for handle in match.handles:
            self._roster[handle].playing = True
            self._keeper.member(handle)
        if white and match.free:
            match.begun(white)
        elif match.both_free:
            yield from self.next_game(match)

    def _release(self, handle: str) -> None:
        """The player has no opponent any more."""
        self._roster[handle].playing = False
        self._keeper.member(handle)
