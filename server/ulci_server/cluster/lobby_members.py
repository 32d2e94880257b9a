"""The members of the lobby of all servers, by their connections: how they log in, return and
leave."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from weakref import WeakSet

import trio

from ulci.rules import Side
from ulci_server.game import Seat
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.absent_player import profile_of
from ulci_server.hall.gradual_work import released
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Keeper

from . import messages as said
from .lobby_post import LobbyPost
from .questions import Questions
from .remote_member import RemoteMember

ELSEWHERE = "you reconnected elsewhere; retry-after 5"


class LobbyMembers:
    """Finds a member by the server of its connection and its number there; one without a connection
    is known to the host alone. to_members: sends to members. questions: asks whether a client
    answers."""

    def __init__(
        self,
        hall: Hall,
        host: LobbyHost,
        keeper: Keeper,
        to_members: LobbyPost,
        questions: Questions[bool],
    ) -> None:
        self.restored: WeakSet[RemoteMember] = WeakSet()
        """Members who logged in at an earlier host."""
        self._hall = hall
        self._host = host
        self._keeper = keeper
        self._to_members = to_members
        self._questions = questions
        self._all: dict[tuple[int, int], RemoteMember] = {}
        self._called_at: dict[tuple[int, int], float] = {}  # of waiting logins
        self._logging_in: WeakSet[RemoteMember] = WeakSet()

    def get(self, run: int, link: int) -> RemoteMember | None:
        """The member with that connection."""
        return self._all.get((run, link))

    def of(self, run: int) -> list[RemoteMember]:
        """The members of that server, sorted by the numbers of their connections."""
        here = (member for (of, _), member in self._all.items() if of == run)
        return sorted(here, key=lambda member: member.link)

    def new(self, run: int, link: int, host: str, label: str) -> RemoteMember:
        """Make a member with the connection `link` at server `run`; run 0: it has none. host,
        label: its address, without and with the port."""
        gradually = self._hall.begin_gradually
        member = RemoteMember(self._to_members, self._questions, gradually, run, link, host, label)
        self._connect(member, run, link)
        return member

    def connect_again(self, member: RemoteMember, run: int, link: int) -> None:
        """The member logged in at an earlier host, by that connection."""
        self.restored.add(member)
        member.logged_in()
        self._connect(member, run, link)

    def _connect(self, member: RemoteMember, run: int, link: int) -> None:
        member.run, member.link = run, link
        if run:
            self._all[run, link] = member

    # Leaving

    def lose(self, run: int) -> Iterator[Callable[[], None]]:
        """The server has died, and with it the connections of its members and of waiting logins."""
        for key in [key for key in self._called_at if key[0] == run]:
            del self._called_at[key]
        lost = self.of(run)
        for member in lost:
            del self._all[run, member.link]
            member.run = 0
            if not member.gone:
                member.gone, member.why = True, "its server died"
                self._keeper.member(member.handle)
        yield from (partial(self._leave, member) for member in released(lost))

    def left(self, run: int, message: said.Left) -> None:
        """A connection has ended."""
        self._called_at.pop((run, message.link), None)
        member = self._all.pop((run, message.link), None)
        if member is not None:
            member.gone, member.why = True, message.why
            if message.missed is not None:
                member.missed = message.missed
            self._keeper.member(member.handle)
            self._leave(member)

    def _leave(self, member: RemoteMember) -> None:
        """The member's connection has ended. A player in a game may come back, whether the game is
        known here or not. So may one who is paired, as the game may have begun without this
        server's knowledge."""
        if not (member.plays or self.awaits_game(member)):
            self._host.left(member)

    def awaits_game(self, member: RemoteMember) -> bool:
        """Whether the member is paired, and its game is not known here to have begun."""
        if member.game or member.draining or member not in self._host:
            return False
        return self._host.lobby.kept.awaits_game(member.handle)

    # Logging in

    def note_login(self, run: int, message: said.LogIn) -> None:
        """A login has arrived. It may wait before it is handled, and be repeated meanwhile."""
        called_at = trio.current_time() - message.age
        self._called_at.setdefault((run, message.link), called_at)

    def log_in(self, run: int, message: said.LogIn) -> None:
        """Log the client in; if it is, send it the answer again."""
        called_at = self._called_at.pop((run, message.link), trio.current_time())
        known = self._all.get((run, message.link))
        if known is not None and not known.gone and known in self._logging_in:
            return  # its answer is still to come
        if known is not None and known not in self.restored:
            known.tell_login()
            return
        member = self.new(run, message.link, message.host, message.label)
        member.called_at = called_at
        self._logging_in.add(member)
        if known is None or message.profile.administers:
            self._hall.start(partial(self._introduce, member, message))
        else:  # the answer of an earlier host is lost
            known.run, known.gone = 0, True
            self._host.go_on(member, known, message.profile)
            member.logged_in()
            self._end_login(member)

    async def _introduce(self, member: RemoteMember, message: said.LogIn) -> None:
        known = self._host.of_secret(message.profile.resume)
        if isinstance(known, RemoteMember) and not known.gone and known.called_after(member):
            self._logging_in.discard(member)
            member.disconnect(ELSEWHERE)
            return
        await self._host.introduce(member, message.profile)
        member.logged_in()
        self._end_login(member)

    def _end_login(self, member: RemoteMember) -> None:
        """Report the end of the login, before which its server reads nothing more of the client:
        once the login is stored, but at once for a player in a game, whose clock runs."""
        if member.game:
            self._logged_in(member)
        else:
            self._keeper.when_kept(partial(self._logged_in, member))

    def _logged_in(self, member: RemoteMember) -> None:
        self._logging_in.discard(member)
        if member.run:
            self._to_members.send(member.run, said.LoggedIn(member.link, member.plays))

    def unlisted(self, run: int, message: said.Unlisted) -> None:
        """A client is logged in that the `Roll` did not name: an earlier host logged it in and did
        not store that, or the message that closes its connection was lost."""
        if (known := self._all.get((run, message.link))) is not None:
            known.close_again()
            return
        if message.gone:
            self._note_key(message)
            return
        member = self.new(run, message.link, message.host, message.label)
        member.logged_in()
        member.called_at = trio.current_time() - message.age
        member.key, member.missed, member.draining = message.key, message.missed, message.draining
        if message.profile.administers:
            member.profile = message.profile
            return
        before, side = self._known_before(message), message.side
        if before is None:
            keys = [message.key] if message.key else []
            busy = bool(message.game) or message.draining
            self._host.restore(member, message.profile, keys, playing=busy)
        elif isinstance(before, RemoteMember) and self._is_older(before, member, message):
            if before.game == message.game:
                side = before.side
            self._replace(before, member, message)
        else:
            member.disconnect(ELSEWHERE)
            return
        if message.game:
            self._seat(member, message.game, side)
            self._host.goes_on(member)
            if message.awaits and member.table is not None:
                member.take_seat(member.table, _side_of(member, member.table))
        else:
            self._host.wait_again(member)

    def _note_key(self, message: said.Unlisted) -> None:
        """Note the secret of a player in a game who is gone: the player got it on coming back by
        the account, and it may not be stored."""
        before = self._known_before(message)
        if not isinstance(before, RemoteMember) or not before.gone or not message.key:
            return
        if message.profile.account is not None and before.is_same_account(message.profile):
            before.key = message.key
            self._host.registry.add_key(before)

    def _known_before(self, message: said.Unlisted) -> HostedMember | None:
        registry = self._host.registry
        return registry.of_key(message.key) or self._host.known(message.profile.handle)

    def _is_older(self, before: RemoteMember, member: RemoteMember, message: said.Unlisted) -> bool:
        """Whether `before` is the same player by an older connection: then the connection in the
        message has the seat."""
        same = (before.host, before.label) == (message.host, message.label)  # of an earlier run
        known = bool(message.key) and self._host.registry.of_key(message.key) is before
        # A player who came back by its account has a new secret, which may not be stored.
        known |= message.profile.account is not None and before.is_same_account(message.profile)
        # Without a secret nobody comes back: this connection has had the seat from the start.
        neither_has_secret = not (before.key or message.key)
        known |= bool(message.game) and before.game == message.game and neither_has_secret
        return same or (known and (before.gone or member.called_after(before)))

    def _replace(self, before: RemoteMember, member: RemoteMember, message: said.Unlisted) -> None:
        table, side = before.table, before.side
        self._all.pop((before.run, before.link), None)
        if not before.gone and (before.host, before.label) != (message.host, message.label):
            before.disconnect(ELSEWHERE)
        before.run, before.gone = 0, True
        member.profile = replace(message.profile, handle=before.handle)
        self._host.replace(before, member)
        member.succeed(before)
        if table is not None and table.id != message.game:
            member.take_seat(table, side)

    def seat_absent(self, seat: Seat, game: int, side: Side) -> None:
        """No member here has that seat of a running game: keep it for the player who comes back by
        its secret."""
        absent = self.new(0, 0, "", "absent")
        absent.gone, absent.key = True, seat.key
        absent.why = "the server that it was connected to ended"
        self._seat(absent, game, side)
        keys = [seat.key] if seat.key else []
        self._host.restore(absent, profile_of(seat), keys, playing=True)
        self._keeper.member(absent.handle)

    def _seat(self, member: RemoteMember, number: int, side: Side) -> None:
        """The member plays that game, as its server reports."""
        table = self._hall.find_table(number)
        if member.table is None or member.table.over is not None:
            member.table, member.side = table, side
            member.plays = 0 if table is not None else number
            self._keeper.member(member.handle)


def _side_of(member: RemoteMember, table: AnyTable) -> Side:
    """The side of a player without a seat. Its server does not know the side, and a row that was
    stored before the game was known has none."""
    mine = (side for side in Side if table.seat(side).handle == member.handle)
    return next(mine, member.side)
