"""The one lobby of all servers, at the server that hosts it."""

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from weakref import WeakSet

import structlog
import trio

from ulci.protocol.messages import Accept, Blame, Challenge, Invite, Join, Rematch, Seek
from ulci.protocol.messages import Lobby as Line
from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.host_services import BeginGame
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Agreement, Keeper, lobby_lines
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

NO_DATABASE = "the database of the servers does not answer; try again in some seconds"
"""Why nothing begins now."""

TOLD = 5.0
"""Seconds in which the news that a game has begun or is over reaches its players and this
server."""

RETURNED = 0.5
"""Seconds in which a player who came back before this lobby knew of the game is seated."""

MAX_EARLY = 100_000
"""Maximum messages that wait until the stored lobby is read."""

ROLL_PART = 2000
"""Connections in one `Roll`: 12 kB."""


class MakeHost(Protocol):
    """Makes the lobby of all servers, in the hall of one. number: draws a number for a new game.
    begin: begins games. announce: sends a line to everybody. keeper: notes what has changed.
    first_number: of the first seek."""

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
    """number: draws a number for a game; 0: there is none until `LobbyGames.go_on`. owners: the
    servers that may be given games. stored: the lobby of an earlier host, which goes on here;
    messages wait until it is restored. store: as in `LobbyKeeper`. moved: called when another
    server hosts the lobby."""

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
        """Whether all members are known."""
        self._ended = False
        # Members whose servers may not know the result that they missed.
        self._untold: WeakSet[RemoteMember] = WeakSet()
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
        yield from self.host.reopen()  # players whose seeks agree, and who were not paired in time

    def _hear_early(self) -> Iterator[Callable[[], None]]:
        while self._early and not self._ended:
            yield partial(self._hear, *self._early.popleft())
        self.ready = True  # before other messages are handled

    def _opened(self, awaiting: Iterable[str]) -> None:
        """awaiting: the handles of players whose games may have begun."""
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
        """The games that the dead server was to begin fail."""
        self.games.dead(run)

    def end(self) -> None:
        """End this lobby: another server hosts it from now on."""
        self._ended = True
        self._early.clear()
        self._keeper.end()
        self._to_members.end()
        self.host.end()

    def call_roll(self, run: int) -> None:
        """Have that server report its connections: some may have come or gone without this server's
        knowledge."""
        here = (member for member in self.members.of(run) if not member.gone)
        known = [(member.link, self._told_of(member)) for member in here]
        after = 0
        while len(known) > ROLL_PART:
            part, known = known[:ROLL_PART], known[ROLL_PART:]
            until = part[-1][0]
            self._post.send(run, said.Roll((*part,), after, until))
            after = until
        seeks = (*self.host.lobby.kept.open_seeks,)
        self._post.send(run, said.Roll((*known,), after, None, seeks, self._keeper.last_seek))

    def _told_of(self, member: RemoteMember) -> int:
        """Its game as in `Roll`: negative if it is over and the member was told so."""
        return member.game or (member.owes if member in self._untold else -member.owes)

    def _roll_heard(self, run: int, message: said.RollHeard) -> None:
        self.games.ask_again(run)
        answer = partial(self._post.send, run, said.Performed(-message.commands))
        self._keeper.when_kept(answer)  # not before those of commands that this lobby has performed

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
        """Begin once it is stored that these two are paired: then no later host pairs them
        again."""

        def begin() -> None:
            white, black = (self.host.known(one.handle) for one in pair)  # they may have returned
            if white is None or black is None or white.gone or black.gone:
                failed("the opponent has left")
            else:
                self.games.begin(number, agreement, (white, black), failed)

        self._keeper.when_kept(begin)

    async def _give_up_later(self, handles: Iterable[str]) -> None:
        """After `TOLD` s fail the pairings whose games have not begun: the earlier host asked a
        server to begin them, and by then they have begun or never will."""
        await trio.sleep(TOLD)
        if not self._ended:
            self._hall.begin_gradually(partial(self._give_up, handle) for handle in handles)

    def _give_up(self, handle: str) -> None:
        member = self.host.known(handle)  # by a new connection, perhaps
        if isinstance(member, RemoteMember) and self.members.awaits_game(member):
            self.host.fail_game(member, "the lobby moved to another server")

    def _not_opened(self, _: int, message: said.NotOpened) -> None:
        self.games.not_opened(message)

    def _owned(self, run: int, message: said.Owned) -> None:
        """A server owns the game: it begins, or goes on there."""
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
                continue  # another player of that name has come since
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
        """Whether the seat is the member's by more than its name: by the account or the secret."""
        if seat.account is not None:
            return member.profile is not None and member.profile.account == seat.account
        return not seat.key or seat.key in self.host.registry.keys_of(member)

    def _over(self, game: int, over: Line | None) -> None:
        """over: None if it is not known how it ended."""
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
        """The game is over, and this server did not know of it. The member's server may have known:
        then it tells the member the result, and reports when the member is free. A `Roll` asks
        it."""
        if member.plays != game:
            return
        member.plays, member.missed = 0, over
        self._keeper.member(member.handle)
        if member.gone:
            self.host.free(member)
            return
        member.draining = True
        self._ask_whether_told(member)

    def _ask_whether_told(self, member: RemoteMember) -> None:
        """Have the server of a member whose game is over report if the member does not know it."""
        self._untold.add(member)
        self._ask_about(member.run, member.link, self._told_of(member))

    @property
    def unseen(self) -> set[int]:
        """Games that members play by the stored rows alone: no server has announced them here."""
        plays = {m.plays for m in self.host.present if isinstance(m, RemoteMember)}
        return plays - {0}

    def end_unseen(self, game: int, over: Line) -> None:
        """That game turned out to be over."""
        for member in [*self.host.present]:
            if isinstance(member, RemoteMember):
                self._end_unseen(member, game, over)

    # Members

    def _seat_or_free(self, member: RemoteMember) -> None:
        """The member is at no table: its game is over, or its `TakeSeat` was lost."""
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
        """Its server will know soon that the game has begun or is over. If it does not after
        `seconds`, have the member take its seat, or be told the result."""
        await trio.sleep(seconds)
        if not member.run or member.gone:
            return
        if member.table is table:
            member.take_seat(table, member.side)
        elif member.owes == table.id:
            self._ask_whether_told(member)

    def _make_free(self, member: RemoteMember) -> None:
        member.table, member.plays, member.missed = None, 0, None
        member.draining = member.takes_seat = False
        self._untold.discard(member)
        self._keeper.member(member.handle)
        self.host.free(member)

    def _command(self, run: int, message: said.Command) -> None:
        member = self.members.get(run, message.link)
        if member is None:
            self._ask_about(run, message.link)
            return
        before = self._keeper.count_of_notes
        if isinstance(message.command, _BEGINNING) and self._keeper.is_late:
            member.tell(lobby_lines.error("closed", NO_DATABASE))
        else:
            self.host.hear(member, message.command)
        performed = partial(self._post.send, run, said.Performed(message.number))
        if self._keeper.count_of_notes == before:
            performed()
        else:
            self._keeper.when_kept(performed)

    def _ask_about(self, run: int, link: int, game: int | None = None) -> None:
        """Ask that server about one connection. game: its game as in `Roll`; None: it is not known
        here."""
        known = () if game is None else ((link, game),)
        self._to_members.send(run, said.Roll(known, link - 1, link))

    def _free(self, run: int, message: said.Free) -> None:
        member = self.members.get(run, message.link)
        if member is None or message.game not in (0, member.owes):
            return
        if message.left and (member.game or member.owes) not in (0, message.left):
            # It has left an older game than the one known here, or a newer one. A `Roll` shows
            # whether it has its seat, and whether it was told the end.
            self._ask_about(run, member.link, member.game or -member.owes)
            return
        member.front = message.front
        self._make_free(member)

    def _list_players(self, run: int, _: said.ListPlayers) -> None:
        self._post.send(run, said.Players(self.host.roster()))

    def _seatless(self, run: int, message: said.Seatless) -> None:
        member = self.members.get(run, message.link)
        if member is None or member.plays:  # the game is being looked up, or its end is on the way
            return
        owes = member.draining and member.owes in (0, message.game)
        if member.game == message.game or owes:
            self._seat_or_free(member)

    def _alive(self, _: int, message: said.Alive) -> None:
        self._questions.hear(message.question, message.alive)

    def _announce(self, line: Line) -> None:
        self._to_members.send_all(self._post.living, said.Announce(line))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message to the lobby, or on one about games to all servers. Returns False if
        another part handles the message."""
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


_TO_LOBBY = frozenset(
    {said.LogIn, said.Unlisted, said.RollHeard, said.Command, said.Left, said.Seatless, said.Free}
)
"""Messages that servers send only to the lobby that they follow."""

OF_GAMES = (said.Owned, said.Ended, said.Owns)
"""Messages about games that servers send to all others."""

_BEGINNING = Seek, Challenge, Invite, Accept, Join, Rematch
"""Commands that begin something, which would wait for the database without an answer."""

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
