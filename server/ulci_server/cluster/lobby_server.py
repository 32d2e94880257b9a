"""The one lobby of all servers, at the server that hosts it."""

import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

import structlog
import trio

from ulci.protocol.messages import Lobby as Line
from ulci.rules.outcome import Side
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.gradual_work import released
from ulci_server.hall.lobby_host import BeginGame
from ulci_server.hall.member import Member
from ulci_server.hall.table.board import Board
from ulci_server.lobby import Offer

from . import messages as said
from .post import Post
from .remote_member import Questions, RemoteMember

LOG = structlog.get_logger("ulci_server.cluster")

RETRY = 0.5
"""Seconds until those whose game could not begin are free for another one: what was in the way is
often over by then, or known here."""

REOPENED = 5.0
"""Seconds in which a game that a dead server was asked to begin is found by another server, if it
has begun."""

HANDICAP = 1.1
"""White's server gets the game, unless it plays so many times as many games as Black's."""

CLAIMED_WITHIN = 3.0
"""Seconds after the beginning of this lobby, and from one claim to the next, within which games
without an owner are claimed: who returns by a secret that is unknown waits so long before it counts
as somebody new."""

ELSEWHERE = "you reconnected elsewhere; retry-after 5"

MOST_FOR_CLAIMS = 2 * CLAIMED_WITHIN
"""The same, however long servers go on claiming."""

TOLD = 5.0
"""Seconds in which a member, or this server, hears that its game has begun or is over."""

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


class _Opening(NamedTuple):
    owner: int
    asked: said.Open
    failed: Callable[[str], object]


class _Game(NamedTuple):
    owner: int
    epoch: int
    handles: tuple[str, str]


class LobbyServer:
    """number: draws a number for a game; 0: there is none now, `go_on` when there is. owners: the
    servers that may be given games. It begins when the servers in `awaited` have sent their
    members; until then what others ask for waits."""

    def __init__(
        self,
        hall: Hall,
        post: Post,
        make_host: MakeHost,
        number: Callable[[], int],
        owners: Callable[[], Collection[int]],
        awaited: Collection[int],
    ) -> None:
        self.host = make_host(hall, number=number, begin=self._begin, announce=self._announce)
        self._hall = hall
        self._post = post
        self._owners = owners
        self._awaited = {*awaited}
        self._only_connect: set[int] = set()  # servers that play no games
        self._early: deque[tuple[int, said.AnyMessage]] = deque()
        self._members: dict[tuple[int, int], RemoteMember] = {}
        self._questions = Questions()
        self._opening: dict[int, _Opening] = {}
        self._games: dict[int, _Game] = {}
        self._load: Counter[int] = Counter()
        self._unnumbered: deque[Callable[[int], None]] = deque()
        self._returning: deque[tuple[int, said.LogIn]] = deque()
        self._claimed = hall.alarms.new(partial(self._seat_returning, at_last=True))
        self._all_claimed_by = trio.current_time() + MOST_FOR_CLAIMS
        self._wait_for_claims()
        self._doubted: dict[int, set[int]] = {}  # links of members who may have left, by server

    @property
    def ready(self) -> bool:
        """All members are known."""
        return not self._awaited

    # Servers

    def lose(self, run: int) -> Iterator[Callable[[], None]]:
        """The server has died, and with it the connections of its members."""
        self._doubted.pop(run, None)
        lost = [self._members.pop((run, link)) for link in self._links(run)]
        for member in lost:
            member.run = 0
            if not member.gone:
                member.gone, member.why = True, "its server died"
        yield from (partial(self.host.left, member) for member in released(lost))

    def dead(self, run: int) -> None:
        """The members of that server are not waited for any more, nor the games that it was to
        begin."""
        self.give_up_on(run, "its server died")
        self._only_connect.discard(run)
        self._all_known(run)

    def cannot_hear(self, run: int) -> None:
        """That server is cut off: its members are not waited for."""
        self._all_known(run)

    def give_up_on(self, run: int, why: str) -> None:
        """Games that the server was to begin, and of which nobody hears soon, do not begin."""
        for number, opening in self._opening.items():
            if opening.owner == run:
                self._hall.start(partial(self._fail_later, number, REOPENED, why))

    def end(self) -> None:
        """Another server hosts the lobby from now on."""
        self._claimed.cancel()

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
            self._only_connect.add(run)
        self._all_known(run)
        self._ask_again(run)
        self._post.send(run, said.Performed(0))

    def _all_known(self, run: int) -> None:
        for link in self._doubted.pop(run, ()):
            if (run, link) in self._members:
                self._lose(run, link, "it left")
        if run in self._awaited:
            self._awaited.discard(run)
            if self.ready:
                LOG.info("the lobby is open", members=len(self.host.present))
                early, self._early = self._early, deque()
                for source, message in early:
                    self.hear(source, message)

    # Games

    def _begin(
        self,
        number: int,
        offer: Offer,
        pair: tuple[Member, Member],
        failed: Callable[[str], object],
    ) -> None:
        white, black = pair
        assert isinstance(white, RemoteMember)
        assert isinstance(black, RemoteMember)
        if not number:
            self._unnumbered.append(partial(self._begin, offer=offer, pair=pair, failed=failed))
            return
        owner = self._place(white.run, black.run)
        if not owner:
            self._hall.start(partial(_later, failed, "no server can take it now; try again"))
            return
        white.front = black.front = False
        asked = said.Open(
            number,
            offer.game.name,
            offer.start,
            str(offer.control),
            offer.rated,
            offer.pool,
            white.as_link,
            black.as_link,
        )
        self._opening[number] = _Opening(owner, asked, failed)
        self._post.send(owner, asked)

    def _ask_again(self, run: int) -> None:
        """What that server was asked to begin, or its answer, may be lost."""
        for opening in self._opening.values():
            if opening.owner == run:
                self._post.send(run, opening.asked)

    def go_on(self, number: Callable[[], int]) -> None:
        """There are numbers again: begin the games that waited for one."""
        while self._unnumbered and (drawn := number()):
            self._unnumbered.popleft()(drawn)

    def _place(self, white: int, black: int) -> int:
        """The server for a game of players of these two; 0: none can take it."""
        owners = [run for run in self._owners() if run not in self._only_connect]
        if white in owners and black in owners:
            return black if self._load[white] > HANDICAP * self._load[black] + 1 else white
        here = [run for run in (white, black) if run in owners]
        return next(iter(here or owners), 0)

    def _not_opened(self, _: int, message: said.NotOpened) -> None:
        self._hall.start(partial(self._fail_later, message.game, RETRY, message.why))

    async def _fail_later(self, number: int, seconds: float, why: str) -> None:
        await trio.sleep(seconds)
        if (opening := self._opening.pop(number, None)) is not None:
            opening.failed(why)

    def _owned(self, run: int, message: said.Owned) -> None:
        """A game begins, or goes on elsewhere."""
        started = message.started
        number, seats = started.game, started.seats
        opening = self._opening.pop(number, None)
        before = self._games.get(number)
        known = 1 if before is None else before.epoch
        if message.epoch > known and self._claimed.due < math.inf:
            self._wait_for_claims()  # games are still being claimed
        if before is not None:
            self._load[before.owner] -= 1
        self._games[number] = _Game(run, message.epoch, (seats[0].handle, seats[1].handle))
        self._load[run] += 1
        table = self._hall.board(number)
        for side, seat in zip(Side, seats, strict=True):
            member = self.host.known(seat.handle)
            if not isinstance(member, RemoteMember) or table is None:
                continue
            if opening is not None and not member.gone and not _seated(opening, run, member, side):
                member.take_seat(table, side)
                continue
            there = 0 if member.table is None else member.table.id
            # Nobody has its older game, which it was given back or may take back.
            over = there not in self._games and (member.gone or member.takes_seat)
            if there in (0, number) or over:
                returned = opening is None and there != number and not member.gone
                member.table, member.side = table, side
                if returned:  # before this lobby knew of the game
                    self.host.goes_on(member)
                    self._hall.start(partial(self._seat_later, member, table, RETRY))

    def _ended(self, run: int, message: said.Ended) -> None:
        game = self._games.pop(message.game, None)
        if game is None:
            if (opening := self._opening.pop(message.game, None)) is not None:
                opening.failed("it is over")
            if run != self._post.run:
                return
            members = [*self.host.present]  # it was lost before this lobby heard of it
        else:
            self._load[game.owner] -= 1
            members = [one for one in map(self.host.known, game.handles) if one is not None]
        for member in members:
            if not isinstance(member, RemoteMember) or member.table is None:
                continue
            if member.table.id == message.game:
                member.table, member.missed, member.draining = None, message.over, True
                if member.gone:
                    self.host.free(member)

    # Members

    def _wait_for_claims(self) -> None:
        """Games may be without an owner now, and their players unknown."""
        self._claimed.set(min(trio.current_time() + CLAIMED_WITHIN, self._all_claimed_by))

    def _seat_returning(self, *, at_last: bool = False) -> None:
        """Log in who returns to a game that has been claimed; `at_last`: all others, too."""
        waiting, self._returning = self._returning, deque()
        for run, message in waiting:
            if at_last or self.host.knows(message.profile.resume):
                self._let_in(run, message)
            else:
                self._returning.append((run, message))

    def _log_in(self, run: int, message: said.LogIn) -> None:
        secret = message.profile.resume
        if secret and self._claimed.due < math.inf and not self.host.knows(secret):
            self._returning.append((run, message))
        else:
            self._let_in(run, message)

    def _let_in(self, run: int, message: said.LogIn) -> None:
        if (known := self._members.get((run, message.link))) is not None:
            self._doubted.get(run, set()).discard(message.link)
            known.tell_login()
            return
        member = self._new(run, message.link, message.host, message.label)
        self._hall.start(partial(self._introduce, member, message))

    async def _introduce(self, member: RemoteMember, message: said.LogIn) -> None:
        known = self.host.of_secret(message.profile.resume)
        here = isinstance(known, RemoteMember) and known.run == member.run and not known.gone
        if here and isinstance(known, RemoteMember) and known.link > member.link:
            member.disconnect(ELSEWHERE)  # logins that waited go on in any order
            self._post.send(member.run, said.LoggedIn(member.link))
            return
        await self.host.introduce(member, message.profile)
        if member.run:
            self._post.send(member.run, said.LoggedIn(member.link))

    def _new(self, run: int, link: int, host: str, label: str) -> RemoteMember:
        member = RemoteMember(self._post, self._questions, run, link, host, label)
        self._members[run, link] = member
        return member

    def _member(self, run: int, message: said.Member) -> None:
        """A member of the lobby before; or the player of a resumed game, if nobody knows better."""
        if (same := self._members.get((run, message.link))) is not None:
            self._doubted.get(run, set()).discard(message.link)
            self._correct(same, message)
            return
        known = self.host.known(message.profile.handle)
        if known is not None and not known.gone:
            return
        seat = None if known is None else self._seat_of(known, message)
        if seat is not None and message.gone:
            return
        if seat is not None and message.draining:  # it may call again, and take its seat back
            self._post.send(run, said.Disconnect(message.link, ELSEWHERE, "clienterror"))
            return
        member = self._new(run, message.link, message.host, message.label)
        member.gone, member.key, member.missed = message.gone, message.key, message.missed
        member.side, member.draining = message.side, message.draining
        if message.game is not None:
            member.table = self._hall.board(message.game)
        if known is not None:
            member.profile = message.profile
            self.host.replace(known, member)
            if seat is not None:
                member.take_seat(*seat)
        elif message.profile.administers:
            member.profile = message.profile
        else:
            busy = message.game is not None or message.draining
            self.host.restore(member, message.profile, playing=busy)
        self._seat_returning()

    def _seat_of(self, absent: Member, message: said.Member) -> tuple[Board, Side] | None:
        """The seat of an absent member that the other server does not know of: what it names is an
        older connection, or it has not heard of the game yet."""
        table = None if absent.table is None else self._hall.board(absent.table.id)
        if table is None or table.id == message.game or message.game in self._games:
            return None
        owned = table.id in self._games
        return (table, absent.side) if owned or message.game is None else None

    def _correct(self, member: RemoteMember, message: said.Member) -> None:
        """What its server said of the member may have been lost."""
        if message.gone:
            if not member.gone:
                member.gone, member.missed = True, message.missed
                self.host.left(member)
        elif message.game is not None:
            member.table, member.side = self._hall.board(message.game), message.side
        elif not message.draining and (member.table is not None or member.draining):
            self._seat_or_free(member)

    def _seat_or_free(self, member: RemoteMember) -> None:
        """The member is at no table: its game is over, or it was not told to take its seat."""
        table = None if member.table is None else self._hall.board(member.table.id)
        if table is None:
            over = member.missed if member.table is None else member.table.over
            self._make_free(member)
            member.tell_missed(over)
        elif member.takes_seat:
            member.take_seat(table, member.side)
        else:
            self._hall.start(partial(self._seat_later, member, table, TOLD))

    async def _seat_later(self, member: RemoteMember, table: Board, seconds: float) -> None:
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
        here = run, message.link
        self._returning = deque(one for one in self._returning if (one[0], one[1].link) != here)
        member = self._members.pop((run, message.link), None)
        if member is not None:
            member.gone, member.why = True, message.why
            if message.missed is not None:
                member.missed = message.missed
            self.host.left(member)

    def _free(self, run: int, message: said.Free) -> None:
        member = self._members.get((run, message.link))
        if member is not None:
            self._make_free(member)

    def _list_players(self, run: int, _: said.ListPlayers) -> None:
        self._post.send(run, said.Players(self.host.presence()))

    def _seatless(self, run: int, message: said.Seatless) -> None:
        member = self._members.get((run, message.link))
        if member is not None and (member.table is None or member.table.id == message.game):
            self._seat_or_free(member)

    def _alive(self, _: int, message: said.Alive) -> None:
        self._questions.hear(message)

    def _announce(self, line: Line) -> None:
        self._post.send_all(said.Announce(line))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message to the lobby; False if it is for somebody else."""
        handler = _HANDLERS.get(type(message))
        if handler is None:
            return False
        if not self.ready and type(message) in _WAITING:
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
            self._ended(run, message)
        else:
            self._owns(run, message)

    def _owns(self, run: int, message: said.Owns) -> None:
        owned = {*message.games}
        for number in [n for n, game in self._games.items() if game.owner == run]:
            if number not in owned:
                self._ended(run, said.Ended(number, 0, None))


def _seated(opening: _Opening, run: int, member: RemoteMember, side: Side) -> bool:
    """Whether the member was told of the game that began at that server: its server was asked to
    begin it, and with this connection."""
    asked = (opening.asked.white, opening.asked.black)[side]
    return run == opening.owner and (asked.run, asked.link) == (member.run, member.link)


async def _later(failed: Callable[[str], object], why: str) -> None:
    await trio.sleep(RETRY)
    failed(why)


_WAITING = frozenset({said.LogIn, said.Command, said.ListPlayers})

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
}
