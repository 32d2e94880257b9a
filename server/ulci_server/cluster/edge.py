"""The connections of this server, whose lobby and tables may be at other servers."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import trio

from ulci.protocol.lobby.lines import Gone, OpenSeek
from ulci.protocol.messages import Lobby
from ulci.rules import Side
from ulci_server.hall import Hall, LocalClient, LocalSeat, Table
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer
from ulci_server.lobby import Profile, lobby_lines

from . import messages as said
from .clock_fairness import Unheard
from .mirrors import call, kinds
from .post import Post
from .remote_player import RemotePlayer, owned
from .remote_table import RemoteTable

UNKNOWN = 5.0
"""How long a player waits (s) for a game that this server does not know: finding an owner may take
that long."""


class Edge:
    """Keeps the sessions by `link`, and passes on the messages of the lobby to them."""

    def __init__(self, hall: Hall, post: Post) -> None:
        self.sessions: dict[int, LocalClient] = {}
        self.lists: dict[tuple[int, str], list[Lobby]] = {}
        """The lines so far of lists that are not complete, by the connection and what is listed."""
        self.logged_in: dict[int, trio.Event] = {}
        """Each is set when the login of that connection is over."""
        self.called_at: dict[int, float] = {}
        """When (s) the login of a connection began."""
        self.waits_since: dict[int, float] = {}
        """When (s) the login of a connection without a table began. When it takes a seat, it has
        been waiting for servers since then."""
        self.unheard: WeakKeyDictionary[LocalSeat, Unheard] = WeakKeyDictionary()
        """When servers were silent, by players who took their seat at a table of this server
        again."""
        self.introduced: dict[int, Profile] = {}
        """The profiles as the clients sent them, with all options."""
        self._plays: dict[int, int] = {}  # the game of a connection that only the lobby reports
        self._seeks: set[int] = set()  # the open ones that were announced here
        self._hall = hall
        self._post = post
        self._links: dict[LocalSeat, int] = {}
        # Sessions that wait for a game that is not known here yet, and when (s) each would have had
        # its seat without waiting for servers.
        self._waiting: dict[tuple[int, Side], tuple[LocalClient | None, float]] = {}
        self._numbers = count(1)

    def link(self, player: LocalSeat) -> said.Link:
        """The player, as other servers know it. Its number is 0 if its connection is forgotten."""
        assert player.profile is not None
        link = self._links.get(player, 0)
        return said.Link(self._post.run, link, player.profile, player.key, self.age(link))

    def session_of(self, player: LocalSeat) -> LocalClient | None:
        """The session of a player; None if it is forgotten."""
        return self.sessions.get(self._links.get(player, 0))

    def number(self, session: LocalClient) -> int:
        """The link of the session, drawn if it has none."""
        if session.player not in self._links:
            self._links[session.player] = link = next(self._numbers)
            self.sessions[link] = session
        return self._links[session.player]

    def __contains__(self, player: LocalSeat) -> bool:
        """Whether other servers know the player."""
        return player in self._links

    def forget(self, session: LocalClient) -> None:
        """Drop all that is kept of a session that is gone for good."""
        link = self._links.pop(session.player, None)
        if link is not None:
            del self.sessions[link]
            self.logged_in.pop(link, None)
            self.introduced.pop(link, None)
            self._plays.pop(link, None)
            self.called_at.pop(link, None)
            self.waits_since.pop(link, None)
            for key in [key for key in self.lists if key[0] == link]:
                del self.lists[key]

    def called_at_of(self, player: LocalSeat) -> float:
        """When (s) the login of the player began; `-inf` if other servers do not know it."""
        link = self._links.get(player)
        return -math.inf if link is None else self.called_at.get(link, -math.inf)

    def age(self, link: int) -> float:
        """Seconds since the login of the connection began; infinite if it had none."""
        return trio.current_time() - self.called_at.get(link, -math.inf)

    def awaited(self, link: int) -> int:
        """The number of the game that the connection waits for as only the lobby reports; 0 if
        there is none."""
        return self._plays.get(link, 0)

    def end_login(self, session: LocalClient) -> None:
        """End the login of the session, if one is under way."""
        if (over := self.logged_in.get(self._links.get(session.player, 0))) is not None:
            over.set()

    def forget_awaited(self, link: int) -> None:
        """The connection no longer waits for a game."""
        self._plays.pop(link, None)

    def replaced(self, before: SeatedPlayer | None) -> None:
        """A newer connection has the seat: `before` leaves the table. A closed connection is
        forgotten, or a lobby would take it for a player. An open one is reported to the lobby,
        which gives it the seat back if its login is the newer one after all."""
        if isinstance(before, LocalSeat):
            table, session = before.table, self.session_of(before)
            before.lose_seat()
            if session is None:
                return
            if before.gone:
                self.forget(session)
            elif table is not None and self._post.lobby:
                self._post.send(self._post.lobby, said.Seatless(self.number(session), table.id))

    # From the lobby

    def forget_lists(self) -> None:
        """The lobby has moved: the rest of each list will not come."""
        self.lists.clear()

    def _logged_in(self, session: LocalClient, message: said.LoggedIn) -> None:
        if session.profile is None:
            return  # the messages before this one were lost: the lobby is asked again
        if message.plays:
            self._plays[message.link] = message.plays
        if message.link in self.logged_in:
            self.logged_in[message.link].set()

    def _introduce(self, session: LocalClient, message: said.Introduce) -> None:
        before, profile = session.is_member, message.profile
        own = self.introduced.get(message.link)  # with all its options
        session.introduce(profile if own is None else replace(profile, options=own.options))
        if session.is_member and session.player.hears_lobby and not before:
            session.follow_announcements()

    def _tell_list(self, session: LocalClient, message: said.TellList) -> None:
        key = message.link, message.what
        lines = self.lists.setdefault(key, [])
        lines.extend(message.lines)
        if message.ends:
            del self.lists[key]
            session.tell_list(message.what, lambda: (len(lines), iter(lines)))

    def _call(self, session: LocalClient, message: said.ToMember) -> None:
        call(session, message)
        if session.gone:
            self.end_login(session)

    def _tell_missed(self, session: LocalClient, message: said.TellMissed) -> None:
        self.forget_awaited(message.link)
        session.tell_missed(message.missed)

    def _prove_alive(self, session: LocalClient, message: said.ProveAlive) -> None:
        run = self._post.lobby

        async def ask() -> None:
            alive = await session.prove_alive(message.seconds)
            self._post.send(run, said.Alive(message.question, alive))

        self._hall.start(ask)

    def _take_seat(self, session: LocalClient, message: said.TakeSeat) -> None:
        began = self.waits_since.get(message.link, math.inf)
        self._waiting[message.game, message.side] = session, began + message.took
        if self._hall.find_table(message.game) is not None:
            self.forget_awaited(message.link)
            self.seat_waiting(message.game)
        else:  # for another lobby, which may not know it
            self._plays[message.link] = message.game
            self._hall.start(partial(self._stop_waiting, session, message))

    async def _stop_waiting(self, session: LocalClient, message: said.TakeSeat) -> None:
        """After `UNKNOWN` s ask the lobby, which knows whether the game is over."""
        await trio.sleep(UNKNOWN)
        seat = message.game, message.side
        if self._waiting.get(seat, (None, 0.0))[0] is session:
            del self._waiting[seat]
            self._post.send(self._post.lobby, said.Seatless(message.link, message.game))

    def seat_waiting(self, game: int) -> None:
        """Seat the players who took their seat back before this server knew of the game."""
        table = self._hall.find_table(game)
        for side in Side:
            session, due = self._waiting.pop((game, side), (None, 0.0))
            if session is None or table is None or session.gone:
                continue
            older = session.table
            if older is not None and older.over is None:
                if older is table or not isinstance(older, RemoteTable) or older.owner:
                    continue  # it has its seat, or another game that the lobby did not know yet
                older.here.pop(session.side, None)  # nobody owns that game: this one is newer
            self._seat_here(table, side, session, max(0.0, trio.current_time() - due))

    def _seat_here(self, table: AnyTable, side: Side, session: LocalClient, waited: float) -> None:
        """Seat the session, which servers have kept waiting for `waited` s. The server where the
        player was last may have been silent, too."""
        before, now = table.seats[side] if isinstance(table, Table) else None, trio.current_time()
        unheard = Unheard(self._post)
        if isinstance(before, RemotePlayer):
            unheard = before.turn.goes_to(self._post.run, now)
        elif isinstance(before, LocalSeat):  # it may not have been `Back`
            unheard = self.unheard.get(before, unheard)
        unheard.was_silent([(now - waited, now)])
        self.unheard[session.player] = unheard
        session.take_seat(table, side, unheard.spans)
        if isinstance(table, Table) and isinstance(before, RemotePlayer):
            self._post.send_all(owned(self._post, table))
        self.replaced(before)
        link = self.number(session)
        self.forget_awaited(link)
        self.waits_since.pop(link, None)

    def _lose_seat(self, session: LocalClient, _: said.LoseSeat) -> None:
        table = session.table
        if isinstance(table, RemoteTable) and table.here.get(session.side) is session.player:
            del table.here[session.side]
        session.leave_announcements()
        session.lose_seat()
        self.replaced(session.player)

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message for a connection here. Returns False if another part handles the
        message."""
        if isinstance(message, said.ToMember):
            if run == self._post.lobby and (session := self.sessions.get(message.link)) is not None:
                _TO_MEMBER[type(message)](self, session, message)
            return True
        if isinstance(message, said.Announce):
            if run == self._post.lobby:
                self._announce(message.line)
            return True
        return False

    def _announce(self, message: Lobby) -> None:
        if isinstance(message.line, OpenSeek):
            self._seeks.add(message.line.id)
        elif isinstance(message.line, Gone):
            self._seeks.discard(message.line.id)
        self._hall.announcer.announce(message)

    def gone_seeks(self, seeks: Collection[int], last: int) -> list[int]:
        """The seeks up to number `last` that were announced here and are gone, if only `seeks` are
        open."""
        return sorted(number for number in self._seeks.difference(seeks) if number <= last)

    def forget_seek(self, number: int) -> None:
        """Announce here that the seek is gone, unless that was announced."""
        if number in self._seeks:
            self._announce(lobby_lines.gone(number))


_TO_MEMBER: Mapping[type, Callable[[Edge, LocalClient, Any], None]] = {
    said.LoggedIn: Edge._logged_in,
    said.Introduce: Edge._introduce,
    said.TellList: Edge._tell_list,
    said.TellMissed: Edge._tell_missed,
    said.ProveAlive: Edge._prove_alive,
    said.TakeSeat: Edge._take_seat,
    said.LoseSeat: Edge._lose_seat,
    **dict.fromkeys(kinds(said.ToMember), Edge._call),
}

HEARD = frozenset({*_TO_MEMBER, said.Announce})
"""The messages that `Edge.hear` acts on."""
