"""The lobby: who is online, what they seek, and who plays whom."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from ulci.protocol.messages import (
    Accept,
    Challenge,
    ChooseColor,
    Decline,
    Ignore,
    Ignored,
    Invite,
    Join,
    PlayerCommand,
    Rematch,
    Seek,
    Seeks,
    Terms,
    Unignore,
    Unseek,
    Who,
)
from ulci.protocol.messages import Lobby as Line
from ulci.rules import GAMES, Rules

from . import lobby_lines
from .challenging import MAX_SEEKS, Challenging
from .effects import (
    Freed,
    Hold,
    List,
    LobbyEffect,
    Pair,
    Refused,
    Release,
    TellAll,
    TellList,
    TellOne,
    Unmatched,
)
from .ignoring import ignore, ignored, unignore
from .inviting import Inviting
from .keeper import Keeper
from .kept_lobby import KeptLobby
from .match_games import MatchGames
from .matches import MOST_VAIN_WAITS, Matches
from .offers import Offers
from .on_call import OnCall
from .pairing import Pairing, answer, rematch_seek
from .pools import DEFAULT_RULES, Pool, PoolRules
from .profile import Profile
from .programs import ServerProgram
from .ratings import LobbyRatings
from .roster import Member, Roster
from .seek_book import SeekBook
from .seeks import (
    Agreement,
    Challenges,
    StandingSeek,
    disagreement,
    impossible,
)
from .starts import Library
from .terms import BoardLimits, Refusal, seek_for_pool, seek_from_terms

# Players reported as willing but unable to play a newcomer.
MOST_UNMATCHED = 5

State = Literal["idle", "waiting", "playing"]


class Lobby:
    """Pure: `choose(n)` is the shell's random number, 0 <= choose(n) < n; it breaks ties of colour
    and draws start positions; `games` are all that can be sought, `limits` the largest board that a
    player may request. Every method returns the effects to perform, in order. `keeper` gets the
    changes; `first_number`: the number of its first seek."""

    def __init__(
        self,
        pools: Sequence[Pool],
        choose: Callable[[int], int],
        games: Mapping[str, Rules] = GAMES,
        limits: BoardLimits | None = None,
        keeper: Keeper | None = None,
        first_number: int = 1,
    ) -> None:
        library = Library(pools, games)
        self._pools = {pool.name: pool for pool in library.pools}
        self._games = library.usual
        self._limits = limits or BoardLimits()
        self._roster = Roster()
        self._pairing = Pairing(self._roster, choose, self._pools)
        self._book = SeekBook(self._pairing.history, library.lists)
        self.ratings = LobbyRatings(self._roster, self._book)
        """Of those who are online."""
        self._challenges = Challenges()
        self._matches = Matches()
        self._keeper = keeper or Keeper()
        self._match_games = MatchGames(
            self._matches, self._roster, self._pairing, self._limits, self._keeper
        )
        self._number = first_number - 1
        self._on_call = OnCall(self._roster, self._next)
        self._offers = Offers(self._book, self._challenges, self._on_call, self._keeper)
        self._inviting = Inviting(self._roster, self._offers, self._keeper, self._next, self._meet)
        self._challenging = Challenging(
            self._on_call, self._book, self._challenges, self._keeper, self._next, self._meet
        )
        self.kept = KeptLobby(
            *(self._roster, self._book, self._challenges, self._inviting, self._matches),
            *(self._match_games, self._on_call, self._keeper, self._pools, self._games),
        )
        """What another lobby needs to go on with this one."""

    # Coming and going

    def enter(self, profile: Profile) -> Profile:
        """Add a player. Returns the profile with a handle that is unique here."""
        return self._roster.enter(profile).who

    def seat(self, profile: Profile) -> Profile:
        """Add a player of a game resumed after a restart, who is not connected yet. Returns the
        profile, with its own handle unless that is taken."""
        member = self._roster.enter(profile)
        member.playing = True
        return member.who

    def goes_on(self, handle: str) -> list[LobbyEffect]:
        """The player, who is online, is in a game that this lobby did not know of: it gets no other
        one, and all that it offered is withdrawn."""
        self._roster[handle].playing = True
        self._keeper.member(handle)
        return [*self._offers.withdraw_all(handle)]

    def pool_rules_of(self, pool: str) -> PoolRules:
        """The rules of that pool; the default rules if there is none of that name."""
        return self._pools[pool].pool_rules if pool in self._pools else DEFAULT_RULES

    def renew(self, profile: Profile) -> None:
        """Replace the profile of a player who reconnected with a new handshake."""
        self._roster[profile.handle].who = profile

    def match_of(self, handle: str, *, in_game: bool) -> Line | None:
        """The line of the player's match after a reconnection; None if there is no match, or no
        further game of it."""
        return self._match_games.line_of(handle, in_game=in_game)

    def leave(self, handle: str) -> list[LobbyEffect]:
        # The maker of an invitation may come back, and repeat it.
        ended = self._match_games.end_of(handle, "left")
        effects = [*ended, *self._offers.withdraw_all(handle, "")]
        self._roster.remove(handle)
        self._on_call.leave(handle)
        return [e for e in effects if not isinstance(e, TellOne | Freed) or e.handle != handle]

    def wait(self, handle: str, pool: str, *, front: bool = False) -> list[LobbyEffect]:
        """Make a player wait in a pool until an opponent comes; `front`: ahead of all others. A
        program of the server waits in its own pools, or to be asked. A pool that is unknown here,
        as servers of one cluster may be configured differently, is the first."""
        member = self._roster[handle]
        who = member.who
        if who.program is not None and who.program.meets:
            return [*self._stand_by(member, who.program)]
        patient = member.vain_waits < MOST_VAIN_WAITS
        offered = self._pools.get(pool) or next(iter(self._pools.values()))
        seek = seek_for_pool(self._next(), who, offered, waits_for_color=patient)
        if (why := impossible(seek)) is not None:
            return [Refused(handle, why)]
        return [*self._offer(seek, front=front)]

    def _stand_by(self, member: Member, program: ServerProgram) -> Iterator[LobbyEffect]:
        """The program waits for those whom it meets."""
        handle = member.who.handle
        if program.is_on_call:
            yield from self._on_call.join(handle)
            if not self._pairing.closed and (both := self._on_call.asked_by(handle)) is not None:
                yield from self._meet(*both)
                return
        pools = [pool for pool in self._pools.values() if program.plays(pool.name, pool.game.name)]
        if "engine" in program.meets:
            for pool in pools[:MAX_SEEKS]:
                seek = seek_for_pool(self._next(), member.who, pool)
                if not (member.playing or impossible(seek)):
                    yield from self._offer(seek)

    def free(self, handle: str) -> list[LobbyEffect]:
        """The player's game is over, and nothing is owed for it: the next one of the match begins,
        if there is one and the opponent is free, too."""
        return [*self._match_games.free(handle)]

    def overdue(self, number: int) -> list[LobbyEffect]:
        """A match or a seek has waited for as long as it was held (`Hold`)."""
        if number < 0:
            return [*self._widen(-number)]
        return [
            *self._match_games.overdue(number),
            *self._inviting.overdue(number),
            *self._alone(number),
        ]

    def _alone(self, number: int) -> Iterator[LobbyEffect]:
        """The player of that seek has met nobody: a program of the server comes, if one is free."""
        seek = self._on_call.overdue(number)
        if seek is None:
            return
        yield Release(number)
        if not self._pairing.closed and (theirs := self._on_call.answer(seek)) is not None:
            yield from self._meet(seek, theirs)

    @property
    def closed(self) -> str:
        """Why no game begins now, for players; empty if games begin."""
        return self._pairing.closed

    def may_begin(self, handle: str) -> bool:
        """Whether a game of that player may begin now that nobody has sought."""
        return not self._roster[handle].playing

    def play(self, white: str, black: str, agreement: Agreement) -> Iterator[LobbyEffect]:
        """Begin a game of these two that was decided elsewhere. Both may begin one; all that they
        offer is withdrawn."""
        pair = Pair(white, black, agreement)
        for handle in (white, black):
            yield from self._offers.withdraw_all(handle)
            member = self._roster[handle]
            member.playing, member.last = True, pair
            self._keeper.member(handle)
        yield pair

    def _widen(self, number: int) -> Iterator[LobbyEffect]:
        """The player of that seek takes opponents who are farther away in rating from now on."""
        seek = self._book.get(number)
        if seek is None:
            return
        self._book.nearness.widen(number)
        yield from self._rematch_waiting(seek)
        yield from self._hold(number)

    def _hold(self, number: int) -> Iterator[Hold]:
        """Widen the seek later, if it is open then."""
        if (seconds := self._book.nearness.due(number)) is not None:
            yield Hold(-number, seconds)

    def call_off(self, handle: str) -> list[LobbyEffect]:
        """End the player's match, if there is one: its next game cannot begin."""
        return [*self._match_games.end_of(handle, "closed")]

    def close(self, why: str) -> Iterator[list[LobbyEffect]]:
        """Start no new games from now on; `why` is the answer to every seek. Ends the matches that
        wait for a color, one a step. Other calls may come between two steps."""
        self._pairing.closed = why
        return ([*self._match_games.end_waiting(match)] for match in self._matches.waiting())

    def reopen(self) -> Iterator[list[LobbyEffect]]:
        """Start new games again: match the waiting players, one a step, the longest waiting first.
        Other calls may come between two steps."""
        self._pairing.closed = ""
        return ([*self._rematch_waiting(seek)] for seek in [*self._book])

    def find(self, name: str) -> str | None:
        """The handle of the player online under that name, or under one that looks like it."""
        member = self._roster.get(name)
        return None if member is None else member.who.handle

    def state(self, handle: str) -> State:
        if self._roster[handle].playing:
            return "playing"
        return "waiting" if self._waits(handle) else "idle"

    def _waits(self, handle: str) -> bool:
        return self._book.waits(handle) or handle in self._on_call

    def listed(self, what: List) -> tuple[int, Iterator[Line]]:
        """The number of lines of a list, and the lines, made on demand from the players or seeks of
        this moment."""
        if what == "seeks":
            seeks = [*self._book]
            return len(seeks), map(lobby_lines.seek, seeks)
        members = [*self._roster]
        return len(members), map(self._player, members)

    def _player(self, member: Member) -> Line:
        handle = member.who.handle
        waits = "waiting" if self._waits(handle) else "idle"
        return lobby_lines.player(member.who, "playing" if member.playing else waits)

    # Players' commands

    def hear(self, handle: str, word: PlayerCommand) -> list[LobbyEffect]:
        """Perform a player's command, or answer an error."""
        try:
            return [*LOBBY_COMMANDS[type(word)](self, self._roster[handle], word)]
        except Refusal as refusal:
            return [TellOne(handle, refusal.line)]

    def _seek(self, member: Member, word: Seek) -> Iterator[LobbyEffect]:
        self._may_play(member)
        seek = self._wanted(member, word.terms)
        if why := self._on_call.no_level(seek):
            raise Refusal("cannot-play", why)
        yield from self._offer(seek)

    def _seeks(self, member: Member, _: Seeks) -> Iterator[LobbyEffect]:
        yield TellList(member.who.handle, "seeks")

    def _who(self, member: Member, _: Who) -> Iterator[LobbyEffect]:
        yield TellList(member.who.handle, "who")

    def _unseek(self, member: Member, word: Unseek) -> Iterator[LobbyEffect]:
        handle, number = member.who.handle, word.id
        seeks = [seek for seek in self._book.of(handle) if number in (None, seek.id)]
        challenges = [c for c in self._challenges.by(handle) if number in (None, c.seek.id)]
        invitations = self._inviting.of(handle, number)
        match = self._matches.of(handle)
        if match is not None and number in (None, match.id):
            yield from self._match_games.end(match, "ended")
        elif not (seeks or challenges or invitations):
            which = "no seek" if number is None else f"no seek {number}"
            raise Refusal("no-such-seek", f"you have {which}")
        yield from self._offers.withdraw(seeks, challenges)
        yield from self._inviting.end(invitations)

    def _accept(self, member: Member, word: Accept) -> Iterator[LobbyEffect]:
        self._may_play(member)
        if (challenge := self._challenges.to(member.who.handle, word.id)) is not None:
            seek = challenge.seek
        elif (found := self._book.get(word.id)) is not None:
            seek = found
        else:
            raise Refusal("no-such-seek", f"there is no seek {word.id}")
        seek = replace(seek, self_play=True)  # a namesake chosen by number is intended
        yield from self._meet(seek, answer(self._next(), member.who, seek))

    def _challenge(self, member: Member, word: Challenge) -> Iterator[LobbyEffect]:
        self._may_play(member)
        seek = self._wanted(member, word.terms)
        yield from self._challenging.address(replace(seek, self_play=True), self._member(word.name))

    def _invite(self, member: Member, word: Invite) -> Iterator[LobbyEffect]:
        self._may_play(member)
        yield from self._inviting.invite(self._wanted(member, word.terms), word.token)

    def _join(self, member: Member, word: Join) -> Iterator[LobbyEffect]:
        self._may_play(member)
        yield from self._inviting.join(member, word.token)

    def _decline(self, member: Member, word: Decline) -> Iterator[LobbyEffect]:
        challenge = self._challenges.to(member.who.handle, word.id)
        match = self._matches.of(member.who.handle)
        if challenge is None and match is not None and match.id == word.id:
            yield from self._match_games.end(match, "ended")
            return
        if challenge is None:
            raise Refusal("no-such-challenge", f"nobody challenged you with {word.id}")
        self._challenges.remove(challenge)
        self._keeper.seek(challenge.seek.id)
        heard = self._roster[challenge.by].who.hears(member.who.handle)
        text = word.text if heard else ""
        yield TellOne(challenge.by, lobby_lines.declined(word.id, member.who, text))

    def _rematch(self, member: Member, _: Rematch) -> Iterator[LobbyEffect]:
        self._may_play(member)
        me, last = member.who, member.last
        if last is None:
            raise Refusal("no-game", "there is no finished game to play again")
        if not last.agreement.pool_rules.conduct.rematch:
            raise Refusal("forbidden", "there is no rematch of this game")
        other = self._member(last.black if last.white == me.handle else last.white)
        if (asked := self._challenges.between(other.who.handle, me.handle)) is not None:
            yield from self._meet(asked.seek, answer(self._next(), me, asked.seek))
            return
        agreement = last.agreement
        of_book = self._pairing.openings.gave(agreement, me.name, other.who.name)
        pool = self._pools.get(agreement.pool)
        seek = rematch_seek(self._next(), me, last, pool, of_book=of_book)
        yield from self._challenging.address(seek, other)

    def _color(self, member: Member, word: ChooseColor) -> Iterator[LobbyEffect]:
        yield from self._match_games.choose_color(member, word)

    # Who is not heard

    def _ignore(self, member: Member, word: Ignore) -> Iterator[LobbyEffect]:
        yield from ignore(member, word, self._roster)
        self._keeper.member(member.who.handle)
        unheard = self._challenges.concerning(member.who.handle)
        yield from self._offers.withdraw(
            [], [one for one in unheard if not member.who.hears(one.by)]
        )

    def _unignore(self, member: Member, word: Unignore) -> Iterator[LobbyEffect]:
        yield from unignore(member, word)
        self._keeper.member(member.who.handle)

    def _ignored(self, member: Member, _: Ignored) -> Iterator[LobbyEffect]:
        yield from ignored(member)

    # Pairing

    def _offer(self, seek: StandingSeek, *, front: bool = False) -> Iterator[LobbyEffect]:
        """Pair with a waiting player who agrees; otherwise wait, and announce the seek."""
        if not self._pairing.closed and (other := self._partner(seek)) is not None:
            yield from self._meet(other, seek)
            return
        if len(self._book.of(seek.who.handle)) >= MAX_SEEKS:
            raise Refusal("too-many-seeks", f"you have {MAX_SEEKS} open seeks; unseek one first")
        self._book.add(seek, front=front)
        self._keeper.seek(seek.id)
        yield TellAll(lobby_lines.seek(seek))
        yield from self._on_call.add(seek)
        yield from self._hold(seek.id)
        if (namesake := self._book.namesake(seek)) is not None:
            yield TellOne(seek.who.handle, lobby_lines.namesake(namesake))
        for other, why in self._book.unmatched(seek, MOST_UNMATCHED):
            yield Unmatched((other.who.handle, seek.who.handle), why)
        if why := self.ratings.nobody_in(seek):
            yield TellOne(seek.who.handle, lobby_lines.note("nobody-in-range", why))

    def _rematch_waiting(self, seek: StandingSeek) -> Iterator[LobbyEffect]:
        if self._pairing.closed or self._book.get(seek.id) is None:
            return  # closed, or paired with a player further ahead
        if (other := self._partner(seek)) is not None:
            yield from self._meet(seek, other)

    def _partner(self, seek: StandingSeek) -> StandingSeek | None:
        """The partner for a seek now: another player's seek, or else a program that it asks for."""
        return self._book.match(seek) or self._on_call.answer(seek)

    def _meet(self, first: StandingSeek, second: StandingSeek) -> Iterator[LobbyEffect]:
        """Start their game or match. Both are known to be free; `first` came first."""
        if why := disagreement(first, second):
            raise Refusal("cannot-play", why)
        match = self._matches.add(first, second)
        if match is not None:
            self._keeper.match(match.id)
        pair = self._pairing.pair(first, second) if match is None else None
        for seek in (first, second):
            yield from self._offers.withdraw_all(seek.who.handle)
            self._roster[seek.who.handle].playing = True
            self._keeper.member(seek.who.handle)
        if pair is not None:
            yield pair
        elif match is not None:
            yield from self._match_games.next_game(match)

    # Helpers

    def _wanted(self, member: Member, terms: Terms) -> StandingSeek:
        """The seek of these terms. Raises `Refusal` as `seek_from_terms` does."""
        pools = tuple(self._pools.values())
        return seek_from_terms(self._next(), member.who, terms, pools, self._games, self._limits)

    def _next(self) -> int:
        self._number += 1
        self._keeper.number(self._number)
        return self._number

    def _member(self, handle: str) -> Member:
        member = self._roster.get(handle)
        if member is None:
            raise Refusal("no-such-player", f"{handle} is not online")
        return member

    def _may_play(self, member: Member) -> None:
        if self._pairing.closed:
            raise Refusal("closed", self._pairing.closed)
        if member.playing:
            raise Refusal("busy", "you are playing a game; finish it first")


LOBBY_COMMANDS: Mapping[
    type[PlayerCommand], Callable[[Lobby, Member, Any], Iterator[LobbyEffect]]
] = {
    Seek: Lobby._seek,
    Seeks: Lobby._seeks,
    Unseek: Lobby._unseek,
    Accept: Lobby._accept,
    Challenge: Lobby._challenge,
    Invite: Lobby._invite,
    Join: Lobby._join,
    Decline: Lobby._decline,
    ChooseColor: Lobby._color,
    Rematch: Lobby._rematch,
    Who: Lobby._who,
    Ignore: Lobby._ignore,
    Unignore: Lobby._unignore,
    Ignored: Lobby._ignored,
}
"""The commands that this room answers."""
