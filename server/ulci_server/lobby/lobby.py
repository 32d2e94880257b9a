"""Who is here, what they want, and who plays whom."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ulci.protocol.messages import (
    Accept,
    Challenge,
    Decline,
    Rematch,
    Seek,
    Seeks,
    Unseek,
    Who,
)
from ulci.protocol.messages import Lobby as Line
from ulci.rules import GAMES, Rules

from . import lines
from .book import Book
from .challenges import Challenges, Directed
from .effects import List, LobbyEffect, Pair, Refused, TellAll, TellList, TellOne, Unmatched
from .history import History
from .members import Member, Members
from .pairing import again, answer, seated
from .player import Profile
from .pools import USUAL, HouseRules, Pool
from .starts import Library
from .terms import BoardLimits, Refusal, wait_in, wish_for
from .wish import Wish, agreement, disagreement, impossible, pick_start

# Open seeks and challenges a player: a person never needs more, and a program must not flood.
MAX_WISHES = 10

# Challenges that one player has not answered: who is asked by more people reads none of them, and
# all are told when that player leaves.
MAX_ASKED = 100

# Of whom it is said that they would play a newcomer, and cannot.
MOST_UNMATCHED = 5

LobbyWord = Seek | Seeks | Unseek | Accept | Challenge | Decline | Rematch | Who
State = Literal["idle", "waiting", "playing"]


class Lobby:
    """Pure: `choose(n)` is the shell's chance, 0 <= choose(n) < n; it breaks ties of colour and
    draws start positions; `games` are all that can be sought, `limits` how large a board a player
    may ask for. Every method returns what is to be done, in order."""

    def __init__(
        self,
        pools: Sequence[Pool],
        choose: Callable[[int], int],
        games: Mapping[str, Rules] = GAMES,
        limits: BoardLimits | None = None,
    ) -> None:
        library = Library(pools, games)
        self._pools = {pool.name: pool for pool in library.pools}
        self._games = library.usual
        self._limits = limits or BoardLimits()
        self._choose = choose
        self._members = Members()
        self._history = History()
        self._book = Book(self._history, library.lists)
        self._challenges = Challenges()
        self._number = 0
        self._closed = ""

    # Coming and going

    def enter(self, profile: Profile) -> Profile:
        """The same profile with a handle that nobody else here has."""
        return self._members.enter(profile).who

    def seat(self, profile: Profile) -> Profile:
        """Somebody plays who is not here yet: a game went on after the server's end. The same
        profile, with its own handle unless somebody else has it."""
        member = self._members.enter(profile)
        member.playing = True
        return member.who

    def house_of(self, pool: str) -> HouseRules:
        """What holds in games of that pool, if there is one of that name."""
        return self._pools[pool].house if pool in self._pools else USUAL

    def renew(self, profile: Profile) -> None:
        """The player of that handle is back, with a program that introduced itself anew."""
        self._members[profile.handle].who = profile

    def leave(self, handle: str) -> list[LobbyEffect]:
        effects = [*self._withdraw(handle)]
        self._members.remove(handle)
        return [e for e in effects if not isinstance(e, TellOne) or e.handle != handle]

    def wait(self, handle: str, pool: str, *, front: bool = False) -> list[LobbyEffect]:
        """A player who says nothing waits in a pool until somebody can be met."""
        who = self._members[handle].who
        wish = wait_in(self._next(), who, self._pools[pool])
        if (why := impossible(wish)) is not None:
            return [Refused(handle, why)]
        return [*self._offer(wish, front=front)]

    def free(self, handle: str) -> None:
        """The game of this player is over."""
        self._members[handle].playing = False

    def close(self, why: str) -> None:
        """No new games from now on: `why` is told to whoever asks for one."""
        self._closed = why

    def reopen(self) -> Iterator[list[LobbyEffect]]:
        """New games again; those who waited meanwhile are matched, the longest waiting first, one
        at each step. Other things may happen between two of them."""
        self._closed = ""
        return ([*self._rematch_waiting(wish)] for wish in [*self._book])

    def find(self, name: str) -> str | None:
        """The handle of whoever is here under that name, in whatever case."""
        member = self._members.get(name)
        return None if member is None else member.who.handle

    def state(self, handle: str) -> State:
        if self._members[handle].playing:
            return "playing"
        return "waiting" if self._book.waits(handle) else "idle"

    def listed(self, what: List) -> tuple[int, Iterator[Line]]:
        """How many lines a list has, and these: made as they are asked for, of who is here and
        what is sought now."""
        if what == "seeks":
            wishes = [*self._book]
            return len(wishes), map(lines.seek, wishes)
        members = [*self._members]
        return len(members), map(self._player, members)

    def _player(self, member: Member) -> Line:
        handle = member.who.handle
        waits = "waiting" if self._book.waits(handle) else "idle"
        return lines.player(member.who, "playing" if member.playing else waits)

    # What players say

    def hear(self, handle: str, word: LobbyWord) -> list[LobbyEffect]:
        """Follow a player's word, or say why not."""
        try:
            return [*_WORDS[type(word)](self, self._members[handle], word)]
        except Refusal as refusal:
            return [TellOne(handle, refusal.line)]

    def _seek(self, member: Member, word: Seek) -> Iterator[LobbyEffect]:
        self._may_play(member)
        pools = tuple(self._pools.values())
        yield from self._offer(
            wish_for(self._next(), member.who, word.terms, pools, self._games, self._limits)
        )

    def _seeks(self, member: Member, _: Seeks) -> Iterator[LobbyEffect]:
        yield TellList(member.who.handle, "seeks")

    def _who(self, member: Member, _: Who) -> Iterator[LobbyEffect]:
        yield TellList(member.who.handle, "who")

    def _unseek(self, member: Member, word: Unseek) -> Iterator[LobbyEffect]:
        handle, number = member.who.handle, word.id
        wishes = [wish for wish in self._book.of(handle) if number in (None, wish.id)]
        challenges = [c for c in self._challenges.by(handle) if number in (None, c.wish.id)]
        if not wishes and not challenges:
            which = "no seek" if number is None else f"no seek {number}"
            raise Refusal("no-such-seek", f"you have {which}")
        yield from self._remove(wishes, challenges)

    def _accept(self, member: Member, word: Accept) -> Iterator[LobbyEffect]:
        self._may_play(member)
        if (directed := self._challenges.to(member.who.handle, word.id)) is not None:
            wish = directed.wish
        elif (found := self._book.get(word.id)) is not None:
            wish = found
        else:
            raise Refusal("no-such-seek", f"there is no seek {word.id}")
        wish = replace(wish, self_play=True)  # who asks for a namesake by number means it
        yield from self._meet(wish, answer(self._next(), member.who, wish))

    def _challenge(self, member: Member, word: Challenge) -> Iterator[LobbyEffect]:
        self._may_play(member)
        pools = tuple(self._pools.values())
        wish = wish_for(self._next(), member.who, word.terms, pools, self._games, self._limits)
        yield from self._address(replace(wish, self_play=True), self._member(word.name))

    def _decline(self, member: Member, word: Decline) -> Iterator[LobbyEffect]:
        directed = self._challenges.to(member.who.handle, word.id)
        if directed is None:
            raise Refusal("no-such-challenge", f"nobody challenged you with {word.id}")
        self._challenges.remove(directed)
        yield TellOne(directed.by, lines.declined(word.id, member.who))

    def _rematch(self, member: Member, _: Rematch) -> Iterator[LobbyEffect]:
        self._may_play(member)
        me, last = member.who, member.last
        if last is None:
            raise Refusal("no-game", "there is no finished game to play again")
        other = self._member(last.black if last.white == me.handle else last.white)
        if (asked := self._challenges.between(other.who.handle, me.handle)) is not None:
            yield from self._meet(asked.wish, answer(self._next(), me, asked.wish))
            return
        wish = again(self._next(), me, last, self._pools.get(last.offer.pool))
        yield from self._address(wish, other)

    # Pairing

    def _offer(self, wish: Wish, *, front: bool = False) -> Iterator[LobbyEffect]:
        """Meet whoever waits and agrees; else wait, and let everybody know."""
        if not self._closed and (other := self._book.match(wish)) is not None:
            yield from self._meet(other, wish)
            return
        if len(self._book.of(wish.who.handle)) >= MAX_WISHES:
            raise Refusal("too-many-seeks", f"you have {MAX_WISHES} open seeks; unseek one first")
        self._book.add(wish, front=front)
        yield TellAll(lines.seek(wish))
        if (namesake := self._book.namesake(wish)) is not None:
            yield TellOne(wish.who.handle, lines.namesake(namesake))
        for other, why in self._book.unmatched(wish, MOST_UNMATCHED):
            yield Unmatched((other.who.handle, wish.who.handle), why)

    def _rematch_waiting(self, wish: Wish) -> Iterator[LobbyEffect]:
        if self._closed or self._book.get(wish.id) is None:
            return  # or met by somebody further ahead
        if (other := self._book.match(wish)) is not None:
            yield from self._meet(wish, other)

    def _address(self, wish: Wish, other: Member) -> Iterator[LobbyEffect]:
        """A challenge: who waits for just such a game has it; else whoever reads lobby lines is
        asked, and may answer after the game that is being played."""
        to = other.who
        if other.playing and not to.lobby:
            raise Refusal("busy", f"{to.handle} is playing")
        if why := disagreement(wish, answer(self._next(), to, wish)):
            raise Refusal("cannot-play", why)
        waiting = self._book.of(to.handle)
        for theirs in waiting:
            if disagreement(theirs, wish) is None:
                yield from self._meet(theirs, wish)
                return
        if not to.lobby:
            why = disagreement(waiting[0], wish) if waiting else None
            raise Refusal("cannot-play", why or f"{to.handle} is not waiting for a game")
        if len(self._challenges.by(wish.who.handle)) >= MAX_WISHES:
            raise Refusal("too-many-challenges", f"you have {MAX_WISHES} open challenges")
        if self._challenges.asked(to.handle) >= MAX_ASKED:
            text = f"{to.handle} has {MAX_ASKED} challenges to answer; try again later"
            raise Refusal("too-many-challenges", text)
        self._challenges.add(wish, to.handle)
        yield TellOne(to.handle, lines.challenge(wish))
        yield TellOne(wish.who.handle, lines.challenging(wish.id, to))

    def _meet(self, first: Wish, second: Wish) -> Iterator[LobbyEffect]:
        """Both are known to be free; `first` came first."""
        if why := disagreement(first, second):
            raise Refusal("cannot-play", why)
        offer = agreement(first, second, pick_start(first, second, self._choose))
        white, black = seated(first, second, self._history, self._choose)
        self._history.met(white.name, black.name)
        pair = Pair(white.handle, black.handle, offer)
        for wish in (first, second):
            yield from self._withdraw(wish.who.handle)
            member = self._members[wish.who.handle]
            member.playing, member.last = True, pair
        yield pair

    # Helpers

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _member(self, handle: str) -> Member:
        member = self._members.get(handle)
        if member is None:
            raise Refusal("no-such-player", f"there is no {handle} here")
        return member

    def _may_play(self, member: Member) -> None:
        if self._closed:
            raise Refusal("closed", self._closed)
        if member.playing:
            raise Refusal("busy", "you are playing a game; finish it first")

    def _withdraw(self, handle: str) -> Iterator[LobbyEffect]:
        """Take back all wishes of a player, and the challenges to that player."""
        yield from self._remove(self._book.of(handle), self._challenges.concerning(handle))

    def _remove(
        self, wishes: Sequence[Wish], challenges: Sequence[Directed]
    ) -> Iterator[LobbyEffect]:
        for wish in wishes:
            self._book.remove(wish)
            yield TellAll(lines.gone(wish.id))
        for directed in challenges:
            self._challenges.remove(directed)
            for concerned in (directed.to, directed.by):
                yield TellOne(concerned, lines.gone(directed.wish.id))


_WORDS: dict[type[LobbyWord], Callable[..., Iterator[LobbyEffect]]] = {
    Seek: Lobby._seek,
    Seeks: Lobby._seeks,
    Unseek: Lobby._unseek,
    Accept: Lobby._accept,
    Challenge: Lobby._challenge,
    Decline: Lobby._decline,
    Rematch: Lobby._rematch,
    Who: Lobby._who,
}
