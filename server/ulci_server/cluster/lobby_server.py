"""The one lobby of all servers, at the server that hosts it."""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

import structlog
import trio

from ulci.protocol.messages import Blame
from ulci.protocol.messages import Lobby as Line
from ulci.rules import Side
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.gradual_work import released
from ulci_server.hall.host_services import BeginGame
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Agreement
from ulci_server.storage import secret_hash

from . import messages as said
from .lobby_games import LobbyGames
from .post import Post
from .questions import Questions
from .recent_results import RecentResults
from .remote_member import RemoteMember

LOG = structlog.get_logger("ulci_server.cluster")

TOLD = 5.0
"""Seconds in which a member, or this server, hears that its game has begun or is over."""

RETURNED = 0.5
"""Seconds in which a player who came back before this lobby knew of its game is seated."""

CLAIMED_WITHIN = 3.0
"""Seconds after the beginning of this lobby, and from one claim to the next, within which games
without an owner are claimed. A player who returns by an unknown secret waits for that, and counts
as somebody new only then."""

MOST_FOR_CLAIMS = 2 * CLAIMED_WITHIN
"""Maximum seconds for which such players wait while servers go on claiming."""

WITHOUT_DATABASE = 10.0
"""Seconds more for which they wait while the database does not answer, and this server can claim no
games."""

UNHEARD = 10.0
"""Seconds more for which they wait while a living server is not heard: it may have their games."""

AGAIN = 0.5
"""Seconds after which this server looks again whether it hears all."""

ELSEWHERE = "you reconnected elsewhere; retry-after 5"

MAX_EARLY = 100_000
"""Messages that wait until all members of the lobby before are known."""


class MakeHost(Protocol):
    """Makes the lobby of all servers, in the hall of one. number: draws a number for a new game.
    begin: begins games. announce: tells everybody."""

    def __call__(
        self,
        hall: Hall,
        *,
        number: Callable[[], int],
        begin: BeginGame,
        announce: Callable[[Line], None],
    ) -> LobbyHost: ...


class _Held(NamedTuple):
    """A game that may not begin yet, as one of its players may have another one."""

    pair: tuple[HostedMember, HostedMember]
    begin: Callable[[], None]
    failed: Callable[[str], object]


class LobbyServer:
    """number: draws a number for a game; 0: there is none now, `go_on` when there is. owners: the
    servers that may be given games. It begins when the servers in `awaited` have sent their
    members; until then what others ask for waits. claim_failed: whether this server could not take
    over games when it tried last. hears_all: whether this server hears all that live. results: of
    games that end, as this server hears of them."""

    def __init__(
        self,
        hall: Hall,
        post: Post,
        make_host: MakeHost,
        number: Callable[[], int],
        owners: Callable[[], Collection[int]],
        awaited: Collection[int],
        claim_failed: Callable[[], bool],
        hears_all: Callable[[], bool],
        results: RecentResults,
    ) -> None:
        self.games = LobbyGames(hall, post, owners)
        self.host = make_host(hall, number=number, begin=self._begin, announce=self._announce)
        self._hall = hall
        self._post = post
        self._awaited = {*awaited}
        self._early: deque[tuple[int, said.AnyMessage]] = deque()
        self._members: dict[tuple[int, int], RemoteMember] = {}
        self._questions = Questions[bool]()
        self._returning: dict[tuple[int, int], said.LogIn] = {}  # by server and link, in order
        self._called_at: dict[tuple[int, int], float] = {}  # of all whose login waits
        self._by_key: dict[str, set[tuple[int, int]]] = {}  # of those, by the hash of their secret
        # Since this lobby began, while games are claimed.
        self._came_back: set[HostedMember] = set()
        self._held: list[_Held] = []
        self._claimed = hall.alarms.new(self._claims_end)
        self._all_heard = hall.alarms.new(self._end_waiting)
        self._claim_failed = claim_failed
        self._hears_all = hears_all
        self._all_claimed_by = trio.current_time() + MOST_FOR_CLAIMS
        self._wait_for_claims()
        self._results = results  # of players who are no members
        self._doubted: dict[int, set[int]] = {}  # links of members who may have left, by server

    @property
    def ready(self) -> bool:
        """All members are known."""
        return not self._awaited

    # Servers

    def lose(self, run: int) -> Iterator[Callable[[], None]]:
        """The server has died, and with it the connections of its members, and of those who wait
        to be logged in."""
        self._doubted.pop(run, None)
        self._early = deque(one for one in self._early if one[0] != run)
        for of, link in [key for key in self._called_at if key[0] == run]:
            self._returns_no_more(of, link)
            del self._called_at[of, link]
        lost = [self._members.pop((run, link)) for link in self._links(run)]
        for member in lost:
            member.run = 0
            if not member.gone:
                member.gone, member.why = True, "its server died"
        yield from (partial(self.host.left, member) for member in released(lost))

    def dead(self, run: int) -> None:
        """The members of that server are not waited for any more, nor the games that it was to
        begin; if it was not heard, others claim games now that are unknown here."""
        self.games.dead(run)
        self._all_known(run)
        now = trio.current_time()
        if self._all_heard.due < math.inf and now < self._all_claimed_by + UNHEARD:
            self._all_heard.set(now + CLAIMED_WITHIN)

    def cannot_hear(self, run: int) -> None:
        """That server is cut off: its members are not waited for."""
        self._all_known(run)

    def end(self) -> None:
        """Another server hosts the lobby from now on."""
        self._early.clear()
        self._claimed.cancel()
        self._all_heard.cancel()

    def doubt(self, run: int) -> None:
        """Messages of the server were lost: whom it does not name now, its members, have left."""
        self._doubted[run] = self._links(run)

    def _links(self, run: int) -> set[int]:
        return {link for of, link in self._members if of == run}

    def _lose(self, run: int, link: int, why: str) -> None:
        member = self._members.pop((run, link))
        member.run = 0
        if not member.gone:
            member.gone, member.why = True, why
            self.host.left(member)

    def _registered(self, run: int, message: said.Registered) -> None:
        if not message.owns:
            self.games.only_connects(run)
        self._all_known(run)
        self.games.ask_again(run)
        self._post.send(run, said.Performed(0))

    def _all_known(self, run: int) -> None:
        for link in self._doubted.pop(run, ()):
            if (run, link) in self._members:
                self._lose(run, link, "it left")
        if run in self._awaited:
            self._awaited.discard(run)
            if self.ready:
                LOG.info("the lobby is open", members=len(self.host.present))
                self._hall.begin_gradually(self._hear_early())

    def _hear_early(self) -> Iterator[Callable[[], None]]:
        while self._early:
            run, message = self._early.popleft()
            yield partial(_HANDLERS[type(message)], self, run, message)

    def disconnect(self, run: int, link: int, why: str) -> None:
        """End the connection of a member at that server."""
        if (member := self._members.get((run, link))) is not None:
            member.disconnect(why, Blame.SERVER)

    # Games

    def _begin(
        self,
        number: int,
        agreement: Agreement,
        pair: tuple[HostedMember, HostedMember],
        failed: Callable[[str], object],
    ) -> None:
        begin = partial(self.games.begin, number, agreement, pair, failed)
        if self._claimed.due < math.inf and not self._came_back.isdisjoint(pair):
            self._held.append(_Held(pair, begin, failed))
        else:
            begin()

    def _hold_no_more(self, member: HostedMember) -> None:
        """The member has another game: one that was held for it does not begin."""
        for held in self._held:
            if member.handle in [one.handle for one in held.pair]:
                self._held.remove(held)
                held.failed("one of you plays another game")
                return

    def _not_opened(self, _: int, message: said.NotOpened) -> None:
        self.games.not_opened(message)

    def _owned(self, run: int, message: said.Owned) -> None:
        """A game begins, or goes on elsewhere."""
        if self.games.was_claimed(message) and self._claimed.due < math.inf:
            self._wait_for_claims()  # games are still being claimed
        opening = self.games.begun(run, message)
        number = message.started.game
        table = self._hall.find_table(number)
        for side, seat in zip(Side, message.started.seats, strict=True):
            member = self.host.known(seat.handle)
            if not isinstance(member, RemoteMember) or table is None:
                continue
            if opening is not None and not member.gone and not opening.seats(run, member, side):
                member.take_seat(table, side)
                continue
            there = 0 if member.table is None else member.table.id
            # Nobody has its older game, which it was given back or may take back.
            over = there not in self.games and (member.gone or member.takes_seat)
            if there in (0, number) or over:
                returned = opening is None and there != number and not member.gone
                member.table, member.side, member.plays = table, side, 0
                self._hold_no_more(member)
                if returned:  # before this lobby knew of the game
                    self.host.goes_on(member)
                    self._hall.start(partial(self._seat_later, member, table, RETURNED))

    def _ended(self, game: int, over: Line | None) -> None:
        """over: None if nobody has said how it ended."""
        for member in map(self.host.known, self.games.over(game)):
            if isinstance(member, RemoteMember):
                self._end_for(member, game, over)

    def _end_for(self, member: RemoteMember, game: int, over: Line | None) -> None:
        if member.table is not None and member.table.id == game:
            member.table, member.missed, member.draining = None, over, True
            if member.gone:
                self.host.free(member)
            if member.link < 0:  # no server will say that it left
                self._members.pop((member.run, member.link), None)

    def _lost(self, _: int, message: said.Lost) -> None:
        """A game died with its server. Tell also players who have come back, and whom no server
        could seat. Each server says so, and its members in that game may be known only now."""
        game = message.started.game
        self.games.over(game)
        for seat in message.started.seats:
            member = self.host.known(seat.handle)
            if member is None:
                self._results.add(game, [seat.key], message.over)
            elif isinstance(member, RemoteMember):
                self._end_unseen(member, game, message.over)
                self._end_for(member, game, message.over)

    def _end_unseen(self, member: RemoteMember, game: int, over: Line) -> None:
        """No server has told of the game, and it is over."""
        if member.plays != game:
            return
        member.plays = 0
        if member.gone:
            member.missed = over
        else:
            self._make_free(member)
            member.tell_missed(over)

    @property
    def unseen(self) -> set[int]:
        """Games that members play by the word of servers that have ended alone: no server that
        lives has told of them."""
        plays = {member.plays for member in self._members.values()}
        return {game for game in plays if game and game not in self.games}

    def end_unseen(self, game: int, over: Line) -> None:
        """That game turned out to be over."""
        for member in [*self._members.values()]:
            self._end_unseen(member, game, over)

    # Members

    def _wait_for_claims(self) -> None:
        """Games may be without an owner now, and their players unknown."""
        self._claimed.set(min(trio.current_time() + CLAIMED_WITHIN, self._all_claimed_by))

    def _claims_end(self) -> None:
        if self._claim_failed() and trio.current_time() < self._all_claimed_by + WITHOUT_DATABASE:
            self._claimed.set(trio.current_time() + CLAIMED_WITHIN)
            return
        self._end_waiting()
        self._results = self._results.copy()  # this lobby knows by now who misses the next ones
        self._came_back.clear()
        held, self._held = self._held, []
        self._hall.begin_gradually(partial(_begin_held, game) for game in held)

    def _end_waiting(self) -> None:
        """Log in all who return, unless a server that is not heard may know their games."""
        if not self._hears_all() and trio.current_time() < self._all_claimed_by + UNHEARD:
            self._all_heard.set(trio.current_time() + AGAIN)
            return
        self._hall.begin_gradually(partial(self._waits_no_more, *one) for one in [*self._returning])

    def _waits_no_more(self, run: int, link: int) -> None:
        """Log in who returns to a game that has been claimed, or was never there."""
        message = self._returns_no_more(run, link)
        if message is not None:
            self._let_in(run, message)

    def _returns_no_more(self, run: int, link: int) -> said.LogIn | None:
        """Its login does not wait any more, if it did."""
        message = self._returning.pop((run, link), None)
        if message is not None:
            key = secret_hash(message.profile.resume)
            self._by_key[key].discard((run, link))
            if not self._by_key[key]:
                del self._by_key[key]
        return message

    def _log_in(self, run: int, message: said.LogIn) -> None:
        secret = message.profile.resume
        unknown = bool(secret) and not self.host.knows(secret)
        waits = min(self._claimed.due, self._all_heard.due) < math.inf
        if unknown and not waits and not self._hears_all():
            self._all_heard.set(trio.current_time() + CLAIMED_WITHIN)
            waits = True
        if unknown and waits:
            self._returning[run, message.link] = message
            self._by_key.setdefault(secret_hash(secret), set()).add((run, message.link))
        else:
            self._let_in(run, message)

    def _let_in(self, run: int, message: said.LogIn) -> None:
        called_at = self._called_at.pop((run, message.link), trio.current_time())
        if (known := self._members.get((run, message.link))) is not None:
            self._doubted.get(run, set()).discard(message.link)
            known.tell_login()
            return
        member = self._new(run, message.link, message.host, message.label)
        member.called_at = called_at
        self._hall.start(partial(self._introduce, member, message))

    async def _introduce(self, member: RemoteMember, message: said.LogIn) -> None:
        known = self.host.of_secret(message.profile.resume)
        if isinstance(known, RemoteMember) and not known.gone and known.called_after(member):
            member.disconnect(ELSEWHERE)  # logins that waited go on in any order
            return
        if message.profile.resume and self._claimed.due < math.inf:
            self._came_back.add(member)
        missed = self._results.take(secret_hash(message.profile.resume))
        if known is None and missed is not None:
            self.host.add_missed(message.profile.resume, missed)
        await self.host.introduce(member, message.profile)
        replaces = self.host.of_secret(message.profile.resume) is member
        if replaces and isinstance(known, RemoteMember):
            member.plays = known.plays
        if member.run:
            self._post.send(member.run, said.LoggedIn(member.link, member.plays))

    def _new(self, run: int, link: int, host: str, label: str) -> RemoteMember:
        gradually = self._hall.begin_gradually
        member = RemoteMember(self._post, self._questions, gradually, run, link, host, label)
        self._members[run, link] = member
        return member

    def _member(self, run: int, message: said.Member) -> None:
        """A member of the lobby before; or the player of a resumed game, if nobody knows better."""
        if (same := self._members.get((run, message.link))) is not None:
            self._doubted.get(run, set()).discard(message.link)
            self._correct(same, message)
            return
        known = self.host.known(message.profile.handle)
        if known is not None and not known.gone and not self._keeps_name(known, run, message):
            return
        seat = None if known is None else self._seat_of(known, message)
        if seat is not None and message.gone:
            return
        if seat is not None and message.draining:  # it may call again, and take its seat back
            self._post.send(run, said.Disconnect(message.link, ELSEWHERE, "clienterror"))
            return
        member = self._new(run, message.link, message.host, message.label)
        member.called_at = trio.current_time() - message.age
        member.gone, member.key, member.missed = message.gone, message.key, message.missed
        member.side, member.draining = message.side, message.draining
        if message.game is not None:
            member.table = self._hall.find_table(message.game)
            member.plays = 0 if member.table is not None else message.game
        elif message.plays:
            self._await_game(member, message)
        self._results.take(member.key)
        if known is not None:
            member.profile = message.profile
            self.host.replace(known, member)
            if seat is not None:
                member.take_seat(*seat)
        elif message.profile.administers:
            member.profile = message.profile
        else:
            busy = message.game is not None or message.draining or message.plays > 0
            self.host.restore(member, message.profile, playing=busy)
        for waiting in [*self._by_key.get(member.key, ())]:
            self._waits_no_more(*waiting)

    def _await_game(self, member: RemoteMember, message: said.Member) -> None:
        """The member waits for its seat in a game."""
        table, who = self._hall.find_table(message.plays), message.profile.handle
        sides = () if table is None else [side for side in Side if table.seat(side).handle == who]
        if table is None or not sides:
            member.plays = message.plays
            return
        member.table, member.side = table, sides[0]
        if not member.gone:
            self._hall.start(partial(self._seat_later, member, table, RETURNED))

    def _keeps_name(self, known: HostedMember, run: int, message: said.Member) -> bool:
        """Settle whose name it is if a live member, `known`, has it already, as its server began a
        new run, or two lobbies have let somebody in: who plays keeps it, and the other one is
        disconnected. Returns whether that is the one in the message."""
        if isinstance(known, RemoteMember):
            there = known.link, known.host, known.label
            if there == (message.link, message.host, message.label):
                self._members.pop((known.run, known.link), None)
                known.run, known.gone = 0, True
                return True
        if message.gone:
            return False
        if message.game is None or known.table is not None:
            self._post.send(run, said.Disconnect(message.link, ELSEWHERE, "clienterror"))
            return False
        known.disconnect(ELSEWHERE)
        return True

    def _seat_of(self, absent: HostedMember, message: said.Member) -> tuple[AnyTable, Side] | None:
        """The seat of an absent member that the other server does not know of: what it names is an
        older connection, or it has not heard of the game yet."""
        table = None if absent.table is None else self._hall.find_table(absent.table.id)
        if table is None or table.id == message.game or message.game in self.games:
            return None
        owned = table.id in self.games
        return (table, absent.side) if owned or message.game is None else None

    def _correct(self, member: RemoteMember, message: said.Member) -> None:
        """What its server said of the member may have been lost."""
        if message.gone:
            if not member.gone:
                member.gone, member.missed = True, message.missed
                self.host.left(member)
        elif member.gone:
            member.close_again()
        elif message.game is not None:
            member.table, member.side = self._hall.find_table(message.game), message.side
        elif not message.draining and (member.table is not None or member.draining):
            self._seat_or_free(member)

    def _seat_or_free(self, member: RemoteMember) -> None:
        """The member is at no table: its game is over, or it was not told to take its seat."""
        table = None if member.table is None else self._hall.find_table(member.table.id)
        if table is None:
            over = member.missed if member.table is None else member.table.over
            self._make_free(member)
            member.tell_missed(over)
        elif member.takes_seat:
            member.take_seat(table, member.side)
        else:
            self._hall.start(partial(self._seat_later, member, table, TOLD))

    async def _seat_later(self, member: RemoteMember, table: AnyTable, seconds: float) -> None:
        """Its game has just begun, or is over, unless nobody has told of that after `seconds`."""
        await trio.sleep(seconds)
        if member.run and member.table is table:
            member.take_seat(table, member.side)

    def _make_free(self, member: RemoteMember) -> None:
        member.table, member.missed, member.draining = None, None, False
        member.takes_seat = False
        self.host.free(member)

    def _command(self, run: int, message: said.Command) -> None:
        member = self._members.get((run, message.link))
        if member is not None:
            self.host.hear(member, message.command)
            self._post.send(run, said.Performed(message.number))

    def _left(self, run: int, message: said.Left) -> None:
        self._returns_no_more(run, message.link)
        self._called_at.pop((run, message.link), None)
        member = self._members.pop((run, message.link), None)
        if member is not None:
            member.gone, member.why = True, message.why
            if message.missed is not None:
                member.missed = message.missed
            self.host.left(member)

    def _free(self, run: int, message: said.Free) -> None:
        member = self._members.get((run, message.link))
        if member is not None:
            member.front = message.front
            self._make_free(member)

    def _list_players(self, run: int, _: said.ListPlayers) -> None:
        self._post.send(run, said.Players(self.host.roster()))

    def _seatless(self, run: int, message: said.Seatless) -> None:
        member = self._members.get((run, message.link))
        if member is None or member.plays:  # that game is looked for, or told to be over
            return
        if member.table is None or member.table.id == message.game:
            self._seat_or_free(member)

    def _alive(self, _: int, message: said.Alive) -> None:
        self._questions.hear(message.question, message.alive)

    def _announce(self, line: Line) -> None:
        self._post.send_all(said.Announce(line))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message to the lobby; False if it is for somebody else."""
        handler = _HANDLERS.get(type(message))
        if handler is None:
            return False
        if isinstance(message, said.LogIn):
            called_at = trio.current_time() - message.age
            self._called_at.setdefault((run, message.link), called_at)
        if type(message) in _WAITING and (self._early or not self.ready):
            if len(self._early) < MAX_EARLY:
                self._early.append((run, message))
        else:
            handler(self, run, message)
        return True

    def hear_of_game(self, run: int, message: said.Owned | said.Ended | said.Owns) -> None:
        """A game begins, goes on elsewhere, or is over."""
        if isinstance(message, said.Owned):
            self._owned(run, message)
        elif isinstance(message, said.Ended):
            self._ended(message.game, message.over)
        else:
            self._owns(run, message)

    def _owns(self, run: int, message: said.Owns) -> None:
        owned = {*message.games}
        for number in self.games.of(run):
            if number not in owned:
                self._ended(number, None)


def _begin_held(held: _Held) -> None:
    if any(member.gone for member in held.pair):
        held.failed("the opponent has left")
    else:
        held.begin()


_WAITING = frozenset({said.LogIn, said.Left, said.Command, said.ListPlayers})
"""What connections say is heard in its order, when all members are known."""

_HANDLERS: Mapping[type, Callable[[LobbyServer, int, Any], None]] = {
    said.LogIn: LobbyServer._log_in,
    said.Member: LobbyServer._member,
    said.Registered: LobbyServer._registered,
    said.Command: LobbyServer._command,
    said.Left: LobbyServer._left,
    said.Free: LobbyServer._free,
    said.Seatless: LobbyServer._seatless,
    said.Alive: LobbyServer._alive,
    said.ListPlayers: LobbyServer._list_players,
    said.NotOpened: LobbyServer._not_opened,
    said.Lost: LobbyServer._lost,
}

HEARD = frozenset(_HANDLERS)
"""The messages that `LobbyServer.hear` acts on."""
