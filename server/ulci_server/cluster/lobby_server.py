"""The one lobby of all servers, at the server that hosts it."""

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Protocol

import structlog
import trio

from ulci.protocol.messages import Blame
from ulci.protocol.messages import Lobby as Line
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.host_services import BeginGame
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Agreement, Keeper
from ulci_server.storage import LobbyChanges, StoredLobby

from . import messages as said
from .lobby_games import LobbyGames
from .lobby_keeper import LobbyKeeper
from .lobby_members import LobbyMembers
from .lobby_post import LobbyPost
from .lobby_rows import LobbyRows
from .post import Post
from .questions import Questions
from .remote_member import RemoteMember
from .restored_lobby import RestoredLobby

LOG = structlog.get_logger("ulci_server.cluster")

TOLD = 5.0
"""Seconds in which a member, or this server, hears that its game has begun or is over."""

RETURNED = 0.5
"""Seconds in which a player who came back before this lobby knew of its game is seated."""

MAX_EARLY = 100_000
"""Messages that wait until what is stored of the lobby is read."""

ROLL_PART = 2000
"""Connections in one message that calls the roll: 12 kB."""


class MakeHost(Protocol):
    """Makes the lobby of all servers, in the hall of one. number: draws a number for a new game.
    begin: begins games. announce: tells everybody. keeper: is told what has changed. first_number:
    of the first seek."""

    def __call__(
        self,
        hall: Hall,
        *,
        number: Callable[[], int],
        begin: BeginGame,
        announce: Callable[[Line], None],
        keeper: Keeper,
        first_number: int,
    ) -> LobbyHost: ...


class LobbyServer:
    """number: draws a number for a game; 0: there is none now, `go_on` when there is. owners: the
    servers that may be given games. stored: the lobby before this one, which goes on here; what
    others ask for waits until it is restored. store: as of `LobbyKeeper`. moved: called when
    another server turns out to host the lobby."""

    def __init__(
        self,
        hall: Hall,
        post: Post,
        make_host: MakeHost,
        number: Callable[[], int],
        owners: Callable[[], Collection[int]],
        stored: StoredLobby,
        store: Callable[[LobbyChanges], Awaitable[None]],
        now: Callable[[], datetime],
        moved: Callable[[], None],
    ) -> None:
        self.games = LobbyGames(hall, post, owners)
        self._keeper = LobbyKeeper(store, stored.last_seek)
        self.host = make_host(
            hall,
            number=number,
            begin=self._begin,
            announce=self._announce,
            keeper=self._keeper,
            first_number=stored.last_seek + 1,
        )
        self._hall = hall
        self._post = post
        self._to_members = LobbyPost(post)
        self._early: deque[tuple[int, said.AnyMessage]] = deque()
        self._questions = Questions[bool]()
        self.members = LobbyMembers(
            hall, self.host, self._keeper, self._to_members, self._questions
        )
        self.ready = False
        """All members are known."""
        self._ended = False
        restored = RestoredLobby(
            *(stored, hall, post, self.host, self.games, self._keeper),
            *(self.members.new, self.members.connect_again, now),
        )
        self._hall.begin_gradually(self._open(restored))
        rows = LobbyRows(self.host, now)
        self._hall.start(partial(self._keeper.run, rows, moved))

    def _open(self, restored: RestoredLobby) -> Iterator[Callable[[], None]]:
        for piece in restored.pieces():
            if self._ended:
                return
            yield piece
        if self._ended:
            return
        yield partial(self._opened, restored.awaiting)
        yield from (partial(self.call_roll, run) for run in self._post.living)
        yield from self._hear_early()
        yield from self.host.reopen()  # those who agree, and were not paired in time

    def _hear_early(self) -> Iterator[Callable[[], None]]:
        while self._early and not self._ended:
            yield partial(self._hear, *self._early.popleft())
        self.ready = True  # before anything else is heard

    def _opened(self, awaiting: Iterable[str]) -> None:
        """awaiting: the handles of those whose games may have begun."""
        LOG.info("the lobby is open", members=len(self.host.present))
        self._hall.start(partial(self._give_up_later, awaiting))
        if self.host.tournaments is not None:
            self._hall.start(self.host.tournaments.run)

    # Servers

    def lose(self, run: int) -> Iterator[Callable[[], None]]:
        """The server has died, and with it the connections of its members."""
        self._to_members.lose(run)
        self._early = deque(one for one in self._early if one[0] != run)
        yield from self.members.lose(run)

    def dead(self, run: int) -> None:
        """Games that the dead server was to begin do not begin."""
        self.games.dead(run)

    def end(self) -> None:
        """Another server hosts the lobby from now on."""
        self._ended = True
        self._early.clear()
        self._keeper.end()
        self._to_members.end()
        self.host.end()

    def call_roll(self, run: int) -> None:
        """Have that server answer for its connections, which may have come and gone unheard."""
        here = (member for member in self.members.of(run) if not member.gone)
        known = [(member.link, _told_of(member)) for member in here]
        after = 0
        while len(known) > ROLL_PART:
            part, known = known[:ROLL_PART], known[ROLL_PART:]
            until = part[-1][0]
            self._post.send(run, said.Roll((*part,), after, until))
            after = until
        seeks = (*self.host.lobby.kept.open_seeks,)
        self._post.send(run, said.Roll((*known,), after, None, seeks, self._keeper.last_seek))

    def _roll_heard(self, run: int, message: said.RollHeard) -> None:
        self.games.ask_again(run)
        self._post.send(run, said.Performed(-message.commands))

    def disconnect(self, run: int, link: int, why: str) -> None:
        """End the connection of a member at that server."""
        if (member := self.members.get(run, link)) is not None:
            member.disconnect(why, Blame.SERVER)

    # Games

    def _begin(
        self,
        number: int,
        agreement: Agreement,
        pair: tuple[HostedMember, HostedMember],
        failed: Callable[[str], object],
    ) -> None:
        """Not before it is kept that these two are paired: no lobby pairs them again."""

        def begin() -> None:
            white, black = (self.host.known(one.handle) for one in pair)  # they may have come anew
            if white is None or black is None or white.gone or black.gone:
                failed("the opponent has left")
            else:
                self.games.begin(number, agreement, (white, black), failed)

        self._keeper.when_kept(begin)

    async def _give_up_later(self, handles: Iterable[str]) -> None:
        """Games that the lobby before asked a server to begin have begun by then, or never will."""
        await trio.sleep(TOLD)
        if not self._ended:
            self._hall.begin_gradually(partial(self._give_up, handle) for handle in handles)

    def _give_up(self, handle: str) -> None:
        member = self.host.known(handle)  # it may be on a new connection
        if isinstance(member, RemoteMember) and self.members.awaits_game(member):
            self.host.fail_game(member, "the lobby moved to another server")

    def _not_opened(self, _: int, message: said.NotOpened) -> None:
        self.games.not_opened(message)

    def _owned(self, run: int, message: said.Owned) -> None:
        """A game begins, or goes on elsewhere."""
        opening = self.games.begun(run, message)
        number = message.started.game
        table = self._hall.find_table(number)
        for side, seat in zip(Side, message.started.seats, strict=True):
            member = self.host.known(seat.handle)
            if member is None and table is not None:
                self.members.seat_absent(seat, number, side)
            if not isinstance(member, RemoteMember) or table is None:
                continue
            if opening is None and not self._is_player(member, seat):
                continue  # somebody of that name has come since
            if opening is not None and not member.gone and not opening.seats(run, member, side):
                member.take_seat(table, side)
                self._keeper.member(member.handle)
            elif member.table is None and member.plays in (0, number):
                returned = opening is None and not member.gone
                member.table, member.side, member.plays = table, side, 0
                self._keeper.member(member.handle)
                if returned:  # before this lobby knew of the game
                    self.host.goes_on(member)
                    self._hall.start(partial(self._seat_later, member, table, RETURNED))

    def _is_player(self, member: RemoteMember, seat: Seat) -> bool:
        """Whether the member has that seat by more than its name: by the account, or the secret."""
        if seat.account is not None:
            return member.profile is not None and member.profile.account == seat.account
        return not seat.key or seat.key in self.host.registry.keys_of(member)

    def _over(self, game: int, over: Line | None) -> None:
        """over: None if nobody has said how it ended."""
        for member in map(self.host.known, self.games.over(game)):
            if isinstance(member, RemoteMember):
                self._end_for(member, game, over)

    def _end_for(self, member: RemoteMember, game: int, over: Line | None) -> None:
        if member.table is not None and member.table.id == game:
            member.table, member.missed, member.draining = None, over, True
            self._keeper.member(member.handle)
            if member.gone:
                self.host.free(member)
        elif over is not None:
            self._end_unseen(member, game, over)

    def _end_unseen(self, member: RemoteMember, game: int, over: Line) -> None:
        """No server has told of the game, and it is over."""
        if member.plays != game:
            return
        member.plays = 0
        self._keeper.member(member.handle)
        if member.gone:
            member.missed = over
            self.host.free(member)
        else:
            self._make_free(member)
            member.tell_missed(over)

    @property
    def unseen(self) -> set[int]:
        """Games that members play by what is stored alone: this server has not heard of them."""
        plays = {m.plays for m in self.host.present if isinstance(m, RemoteMember)}
        return plays - {0}

    def end_unseen(self, game: int, over: Line) -> None:
        """That game turned out to be over."""
        for member in [*self.host.present]:
            if isinstance(member, RemoteMember):
                self._end_unseen(member, game, over)

    def end_lost(self, game: int, over: Line) -> None:
        """That game ended with its owner, or before its owner could tell."""
        self._over(game, over)

    # Members

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
        self._keeper.member(member.handle)
        self.host.free(member)

    def _command(self, run: int, message: said.Command) -> None:
        member = self.members.get(run, message.link)
        if member is None:
            self._ask_about(run, message.link)
            return
        self.host.hear(member, message.command)
        self._post.send(run, said.Performed(message.number))

    def _ask_about(self, run: int, link: int) -> None:
        """Nothing is known of that connection."""
        self._post.send(run, said.Roll((), link - 1, link))

    def _free(self, run: int, message: said.Free) -> None:
        member = self.members.get(run, message.link)
        if member is not None and message.game in (0, member.owes):
            member.front = message.front
            self._make_free(member)

    def _list_players(self, run: int, _: said.ListPlayers) -> None:
        self._post.send(run, said.Players(self.host.roster()))

    def _seatless(self, run: int, message: said.Seatless) -> None:
        member = self.members.get(run, message.link)
        if member is None or member.plays:  # that game is looked for, or told to be over
            return
        owes = member.draining and member.owes in (0, message.game)
        if member.game == message.game or owes:
            self._seat_or_free(member)

    def _alive(self, _: int, message: said.Alive) -> None:
        self._questions.hear(message.question, message.alive)

    def _announce(self, line: Line) -> None:
        self._to_members.send_all(self._post.living, said.Announce(line))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message to the lobby, or on one that all servers hear of games; False if it is
        for somebody else."""
        if type(message) not in _HANDLERS:
            return False
        if isinstance(message, said.LogIn):
            self.members.note_login(run, message)
        if type(message) in _TO_LOBBY:
            self._to_members.follows(run)
        if self.ready:
            self._hear(run, message)
        elif len(self._early) < MAX_EARLY:
            self._early.append((run, message))
        return True

    def _hear(self, run: int, message: said.AnyMessage) -> None:
        _HANDLERS[type(message)](self, run, message)

    def _ended_game(self, _: int, message: said.Ended) -> None:
        self._over(message.game, message.over)

    def _owns(self, run: int, message: said.Owns) -> None:
        owned = {*message.games}
        for number in self.games.of(run):
            if number not in owned:
                self._over(number, None)


def _told_of(member: RemoteMember) -> int:
    """Its game as the roll names it."""
    return member.game or -member.owes


_TO_LOBBY = frozenset(
    {said.LogIn, said.Unlisted, said.RollHeard, said.Command, said.Left, said.Seatless, said.Free}
)
"""Said by servers to the lobby that they follow, and to no other."""

_HANDLERS: Mapping[type, Callable[[LobbyServer, int, Any], None]] = {
    said.LogIn: lambda lobby, run, message: lobby.members.log_in(run, message),
    said.Unlisted: lambda lobby, run, message: lobby.members.unlisted(run, message),
    said.RollHeard: LobbyServer._roll_heard,
    said.Command: LobbyServer._command,
    said.Left: lambda lobby, run, message: lobby.members.left(run, message),
    said.Free: LobbyServer._free,
    said.Seatless: LobbyServer._seatless,
    said.Alive: LobbyServer._alive,
    said.ListPlayers: LobbyServer._list_players,
    said.NotOpened: LobbyServer._not_opened,
    said.Owned: LobbyServer._owned,
    said.Ended: LobbyServer._ended_game,
    said.Owns: LobbyServer._owns,
}

HEARD = frozenset(_HANDLERS)
"""The messages that `LobbyServer.hear` acts on."""
