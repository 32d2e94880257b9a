"""Seats players at the tables of this server: those who begin a game, and those at another server
who come back to one."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

import trio

from ulci.rules import Rules
from ulci_server.game import Conduct, ConductError, ControlError, Controls
from ulci_server.hall import Hall, LocalSeat, Table
from ulci_server.hall.table.interfaces import Entrant, SeatedPlayer
from ulci_server.lobby import Agreement, PoolRules

from . import messages as said
from .clock_fairness import unreachable
from .edge import Edge
from .post import Post, began_later
from .remote_player import RemotePlayer, RemoteQueries, owned

MOST_ASKED = 500
"""How many games the lobby asked for last are remembered, lest one begins twice."""


class Admission:
    """games: all that can be played. edge: the connections of this server."""

    def __init__(
        self,
        hall: Hall,
        post: Post,
        games: Mapping[str, Rules],
        pool_rules: Callable[[str], PoolRules],
        edge: Edge,
    ) -> None:
        self.queries = RemoteQueries(post)
        self._hall = hall
        self._post = post
        self._games = games
        self._pool_rules = pool_rules
        self._edge = edge
        self._asked: deque[int] = deque(maxlen=MOST_ASKED)  # games that a lobby asked to begin

    def open(self, run: int, message: said.Open) -> None:
        """Begin the game that the lobby asks for, or answer `NotOpened`."""
        if message.game in self._asked:
            return  # the lobby was sent the game again, too
        self._asked.append(message.game)

        def failed(why: str) -> None:
            if message.game in self._asked:
                self._asked.remove(message.game)
            self._post.send(run, said.NotOpened(message.game, why))

        rules, why = self._games.get(message.rules), _refusal(self._post)
        if rules is None or why:
            failed(why or f"the server of the game does not know {message.rules}")
            return
        try:
            control, conduct = Controls.parse(message.control), Conduct.parse(message.conduct)
        except (ControlError, ConductError) as error:  # of a later version
            failed(f"the server of the game cannot read its terms: {error}")
            return
        pool_rules = replace(self._pool_rules(message.pool), conduct=conduct)
        agreement = Agreement(
            rules,
            control,
            message.start,
            message.rated,
            message.pool,
            pool_rules,
            message.opening,
            message.level,
            message.encounter,
        )
        white, black = self._entrant(message.white), self._entrant(message.black)
        if white is None or black is None:
            failed("the opponent has left")
            return
        self._hall.begin_game(message.game, agreement, (white, black), failed)

    def _entrant(self, link: said.Link) -> Entrant | None:
        if link.run != self._post.run:
            return RemotePlayer(self._post, link, self.queries)
        session = self._edge.sessions.get(link.link)
        if session is None or session.gone or session.table is not None:
            return None
        return session.player if session.profile is not None else None  # its login was lost

    def expect(self, table: Table, message: said.Expect) -> None:
        """Seat a player who comes back to its table at another server, unless a newer connection
        has the seat."""
        player = RemotePlayer(self._post, message.player, self.queries)
        before = table.seats[message.side]
        player.arrived = not message.again
        if self._keeps_seat(message, before, player):
            return  # its server does not know yet that a newer connection has the seat
        now, turn = trio.current_time(), player.turn
        if isinstance(before, RemotePlayer):
            turn.unheard = before.turn.goes_to(player.run, now)
        elif isinstance(before, LocalSeat):  # it may not have been `Back`
            turn.unheard = self._edge.unheard.get(before, turn.unheard)
            heard_at, side = before.heard_at, message.side
            missed = unreachable(self._post, table.game, side, heard_at, player.run, now)
            turn.unheard.was_silent(missed)
        player.replace(before)
        player.join(table, message.side)
        table.expect(message.side, player)
        self._edge.replaced(before)
        if not isinstance(before, RemotePlayer) or before.run != player.run:
            self._post.send_all(owned(self._post, table))

    def _keeps_seat(
        self, message: said.Expect, before: SeatedPlayer | None, player: RemotePlayer
    ) -> bool:
        """Whether `before` keeps the seat from the connection in the message.

        A first `Expect` comes after the lobby gave that connection the seat: `before` keeps it only
        if it is open and its login began later.

        A repeated one (`again`) may be old: `before` keeps the seat if it is still there and its
        login is not the older one. If `before` merely had the seat when its server was heard again
        (`RemotePlayer.arrived`), its login must be the newer one, or the other connection closed.
        """
        if not message.again:
            return self._is_newer(before, player)
        if isinstance(before, LocalSeat):
            called_at = self._edge.called_at_of(before)
            return not before.gone and not began_later(player.called_at, called_at)
        if not isinstance(before, RemotePlayer) or before.run == player.run:
            return False
        if began_later(player.called_at, before.called_at):
            return False
        keeps = before.arrived or message.gone or began_later(before.called_at, player.called_at)
        return keeps and before.turn.is_there and not before.gone

    def _is_newer(self, before: SeatedPlayer | None, player: RemotePlayer) -> bool:
        """Whether `before` is open and its login is known here to have begun later."""
        if isinstance(before, LocalSeat):
            called_at = self._edge.called_at_of(before)
        elif isinstance(before, RemotePlayer) and before.run != player.run:
            called_at = before.called_at
        else:
            return False
        return not before.gone and began_later(called_at, player.called_at)


def _refusal(post: Post) -> str:
    """Why this server takes no new game; empty if it does."""
    if post.draining:
        return "its server is shutting down"
    return "" if post.owns else "its server plays no games"
