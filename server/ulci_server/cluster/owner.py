"""The tables of this server, whose players may be at other servers."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import structlog
import trio

from ulci.net import Steps
from ulci.protocol.messages import Lobby as Line
from ulci.rules import Rules, Side
from ulci_server.game import (
    Conduct,
    ConductError,
    ControlError,
    Controls,
    Left,
)
from ulci_server.hall import Hall, LocalSeat, Table
from ulci_server.hall.gradual_work import released
from ulci_server.hall.table.interfaces import Entrant, SeatedPlayer
from ulci_server.hall.table.state import LatestMove
from ulci_server.lobby import Agreement, PoolRules, lobby_lines

from . import messages as said
from .clock_fairness import unreachable
from .edge import Edge
from .post import Post, began_later
from .remote_flag import hold_flag, looked
from .remote_player import RemotePlayer, RemoteQueries, owned
from .remote_spectators import RemoteSpectators

LOG = structlog.get_logger("ulci_server.cluster")

LOOK = 0.25
"""Seconds between two looks for new moves, while another server wants to know them."""

AT_A_TIME = 500
"""Tables looked at, or moves sent, between two turns of other tasks: half a millisecond."""

MOST_ASKED = 500
"""Games that a lobby asked to begin, which are kept in mind lest they begin twice."""

MOST_ENDED = 500
"""Results that are kept for servers to which they were lost: some hundred bytes each."""


class Owner:
    """games: all that can be played. edge: the connections of this server."""

    def __init__(
        self,
        hall: Hall,
        post: Post,
        games: Mapping[str, Rules],
        pool_rules: Callable[[str], PoolRules],
        edge: Edge,
    ) -> None:
        self.epochs: dict[int, int] = {}
        """Of the games of this server; 1 if it is not in here: they began here."""
        self._hall = hall
        self._post = post
        self._games = games
        self._pool_rules = pool_rules
        self._edge = edge
        self._queries = RemoteQueries(post)
        self._feeds: dict[tuple[int, int], RemoteSpectators] = {}  # by game and run
        self._announced: dict[int, Table] = {}
        self._ending: dict[int, said.Ended] = {}
        self._ended: deque[tuple[float, said.Ended]] = deque(maxlen=MOST_ENDED)  # and when (s)
        self._releasing: set[int] = set()  # that is not stored yet
        self._released: dict[int, said.Released] = {}
        self._asked: deque[int] = deque(maxlen=MOST_ASKED)  # games that a lobby asked to begin
        self._move_followers: set[int] = set()  # the servers that want to know new moves
        self._moves_wanted = trio.Event()
        self._plies: dict[int, int] = {}  # that they were told of, by game
        hall.follow_games(self._changed)
        hall.hold_flags(hold_flag)

    def epoch(self, game: int) -> int:
        """The epoch of a game of this server."""
        return self.epochs.get(game, 1)

    def own(self, game: int, epoch: int) -> None:
        """This server has claimed the game."""
        self.epochs[game] = epoch
        self._releasing.discard(game)
        self._released.pop(game, None)

    def crosses(self, table: Table) -> bool:
        """Whether a player of it is elsewhere, or may come back elsewhere."""
        return any(not isinstance(player, LocalSeat) or player.gone for player in table.players)

    def greet(self, run: int) -> Iterator[Callable[[], None]]:
        """Tell a server that is new, or that may have missed something, of all games here."""
        for at, ended in [*self._ended]:
            yield partial(self._tell_ended, run, at, ended)
        for table in released(self._hall.tables.values()):
            if table.id in self._hall.tables:
                yield partial(self._tell_owned, run, table)
        yield partial(self._tell_all_owned, run)

    def end_unplayable(self, game: int, over: Line, keys: tuple[str, str], why: str) -> None:
        """The game was claimed, and cannot be resumed: tell all that it is over."""
        self._announced.pop(game, None)
        self._ending[game] = said.Ended(game, self.epoch(game), over, keys=keys, why=why)
        self._say_ended(game)

    def _tell_ended(self, run: int, at: float, ended: said.Ended) -> None:
        age = trio.current_time() - at
        self._post.send(run, msgspec.structs.replace(ended, age=age))

    def _tell_all_owned(self, run: int) -> None:
        for message in self._released.values():
            self._post.send(run, message)
        known = (*self._hall.tables, *self._releasing, *self._released)
        self._post.send(run, said.Owns(known))

    def register(self) -> Iterator[Callable[[], None]]:
        """Tell a new lobby of the games here, and of their players whom no server may tell it of:
        theirs has died, or has forgotten a connection that is over and was replaced."""
        for table in released(self._hall.tables.values()):
            if table.id in self._hall.tables:
                yield partial(self._register, table)

    def _register(self, table: Table) -> None:
        if self._post.lobby:
            self._post.send(self._post.lobby, owned(self._post, table))
        for side, player in zip(Side, [*table.seats], strict=True):
            if isinstance(player, RemotePlayer):
                absent = player.gone or side in table.game.absent
            else:
                absent = isinstance(player, LocalSeat) and player.gone and player not in self._edge
            if absent:
                self._register_absent(table, side)

    def _register_absent(self, table: Table, side: Side) -> None:
        player, no_link = table.seats[side], -(len(Side) * table.id + side)
        if self._post.lobby and isinstance(player, RemotePlayer | LocalSeat) and player.profile:
            profile, key = player.profile, player.seat.key
            member = said.Member(no_link, profile, "", "", key, gone=True, game=table.id, side=side)
            self._post.send(self._post.lobby, member)

    def _tell_owned(self, run: int, table: Table) -> None:
        self._post.send(run, owned(self._post, table))
        for player in table.players:
            if isinstance(player, RemotePlayer) and player.run == run and not player.gone:
                player.sit_again()

    def lose(self, run: int, heard_at: float) -> Iterator[Callable[[], None]]:
        """The server has died, and with it the connections of players there. It was heard of last
        at `heard_at` (s)."""
        self._move_followers.discard(run)
        for key in [key for key in self._feeds if key[1] == run]:
            self._feeds.pop(key).stop_watching()
        tables = released(self._hall.tables.values())
        return (partial(self._lose, run, table, heard_at) for table in tables)

    def _lose(self, run: int, table: Table, heard_at: float) -> None:
        for side, player in zip(Side, [*table.seats], strict=True):
            if isinstance(player, RemotePlayer) and player.run == run and not player.gone:
                player.gone = True
                self._register_absent(table, side)
                seat = table.seat(side)
                if seat.key or seat.account is not None:
                    player.turn.cut_off(heard_at, trio.current_time())
                else:
                    table.handle(Left(side, trio.current_time(), "its server died"))

    def part(self, run: int) -> Iterator[Callable[[], None]]:
        """Nothing comes from that server: its players may come back with it, or elsewhere."""
        return (partial(self._part, run, table) for table in released(self._hall.tables.values()))

    def _part(self, run: int, table: Table) -> None:
        now = trio.current_time()
        for player in [*table.seats]:
            if isinstance(player, RemotePlayer) and player.run == run and not player.gone:
                player.turn.cut_off(now - self._post.silence_of(run), now)

    def heard_until(self, table: Table) -> float:
        """When (s) the server of the side to move was heard last: now, unless it is silent, or this
        one is cut off."""
        now, player = trio.current_time(), table.seats[table.game.mover]
        return player.turn.heard_until(now) if isinstance(player, RemotePlayer) else now

    def forget(self, table: Table) -> None:
        """The game goes on at another server: it does not end here."""
        self._announced.pop(table.id, None)
        self.epochs.pop(table.id, None)

    def begin_release(self, game: int) -> None:
        """This server gives the game away: it is not over, until that is stored and told."""
        self._releasing.add(game)

    def release(self, game: int, epoch: int) -> None:
        """Tell all that this server gave the game away."""
        self._releasing.discard(game)
        self._released[game] = released = said.Released(game, epoch)
        self._post.send_all(released)

    def begin_again(self) -> None:
        """A new run of this server begins: nobody heard anything of it yet."""
        self._ended.clear()
        self._releasing.clear()
        self._released.clear()

    def _changed(self, table: Table) -> None:
        """A game begins here, or is over."""
        if table.id in self._hall.tables:
            self._announced[table.id] = table
            self._post.send_all(owned(self._post, table))
        elif self._announced.pop(table.id, None) is not None and table.over is not None:
            epoch = self.epoch(table.id)
            self._ending[table.id] = said.Ended(
                table.id, epoch, table.over, table.latest(), table.game.keys
            )
            # Its players are dismissed before that.
            trio.lowlevel.current_trio_token().run_sync_soon(self._say_ended, table.id)

    def _say_ended(self, game: int) -> None:
        """Watchers at other servers are told of the end before they are released."""
        if any(key[0] == game for key in self._feeds):
            return
        ended = self._ending.pop(game, None)
        if ended is not None:
            self.epochs.pop(game, None)
            self._ended.append((trio.current_time(), ended))
            self._post.send_all(ended)

    # From the lobby

    def _open(self, run: int, message: said.Open) -> None:
        if message.game in self._asked:
            return  # asked again, as the answer may be lost: it has been told again, too
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
        )
        white, black = self._entrant(message.white), self._entrant(message.black)
        if white is None or black is None:
            failed("the opponent has left")
            return
        self._hall.begin_game(message.game, agreement, (white, black), failed)

    def _entrant(self, link: said.Link) -> Entrant | None:
        if link.run != self._post.run:
            return RemotePlayer(self._post, link, self._queries)
        session = self._edge.sessions.get(link.link)
        if session is None or session.gone or session.table is not None:
            return None
        return session.player if session.profile is not None else None  # its login was lost

    # From players

    def _answer(self, table: Table, player: RemotePlayer, message: said.Answer) -> None:
        answered = player.turn.answer(message, trio.current_time())
        if answered is not None:
            player.trip = player.trip if message.trip is None else message.trip
            table.answered(answered, may_repeat=message.may_repeat)

    def _late_answer(self, table: Table, _: RemotePlayer, message: said.LateAnswer) -> None:
        table.answered_late(message.side, message.move)

    def _happening(self, table: Table, player: RemotePlayer, message: said.Happening) -> None:
        if (event := player.turn.happens(message, trio.current_time())) is not None:
            table.handle(event)

    def _complaint(self, table: Table, _: RemotePlayer, message: said.Complaint) -> None:
        table.report(message.side, message.source, message.text)

    def _thought(self, table: Table, _: RemotePlayer, message: said.Thought) -> None:
        table.add_info(message.side, message.info)

    def _state(self, table: Table, _: RemotePlayer, message: said.State) -> None:
        table.tell_state(message.side, message.state)

    def _chat(self, table: Table, player: RemotePlayer, message: said.Chat) -> None:
        if not table.say(message.side, message.line):
            player.tell(lobby_lines.error("not-heard", "no opponent can read that"))

    def _show_thoughts(self, table: Table, _: RemotePlayer, message: said.ShowThoughts) -> None:
        table.show_thoughts(message.side, wanted=message.wanted)
        self._hall.release_thoughts(table)

    def _expect(self, table: Table, message: said.Expect) -> None:
        player = RemotePlayer(self._post, message.player, self._queries)
        before = table.seats[message.side]
        player.arrived = not message.again
        if self._keeps_seat(message, before, player):
            return  # its server has not heard that a newer connection has its seat
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

        Said for the first time, the message comes of the lobby, which gave that connection the
        seat: an open `before` keeps it only if its login began later. Said again, the message may
        be old: `before` keeps it unless it is the older login, or has left while the other is open.
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
        return before.turn.is_there and (before.arrived or message.gone) and not before.gone

    def _is_newer(self, before: SeatedPlayer | None, player: RemotePlayer) -> bool:
        """Whether `before` is open, and its login began later, as far as it is known here."""
        if isinstance(before, LocalSeat):
            called_at = self._edge.called_at_of(before)
        elif isinstance(before, RemotePlayer) and before.run != player.run:
            called_at = before.called_at
        else:
            return False
        return not before.gone and began_later(called_at, player.called_at)

    def _ugi_answered(self, _: int, message: said.UgiAnswered) -> None:
        self._queries.hear(message)

    # From watchers

    def _follow(self, run: int, message: said.Follow) -> None:
        table = self._hall.tables.get(message.game)
        if table is None:
            return
        key = message.game, run
        if not message.wanted:
            if key in self._feeds:
                self._feeds[key].stop_watching()
            return
        if key not in self._feeds:
            feed = self._feeds[key] = RemoteSpectators(
                self._post, run, table, partial(self._unfeed, key)
            )
            self._hall.spectate(feed, table)
        self._feeds[key].begin()

    def _unfeed(self, key: tuple[int, int]) -> None:
        self._feeds.pop(key, None)
        self._say_ended(key[0])

    def _ruling(self, run: int, message: said.Ruling) -> None:
        table, changed = self._hall.tables.get(message.game), None
        if table is not None and message.epoch == self.epoch(message.game):
            table.catch_up()
            event = msgspec.structs.replace(message.event, at=trio.current_time())
            changed = table.apply(event)
        self._post.send(run, said.RulingHeard(message.game, message.number, changed))

    def _follow_moves(self, run: int, message: said.FollowMoves) -> None:
        if message.wanted:
            self._move_followers.add(run)
            self._plies = {}  # the newcomer knows none
            self._moves_wanted.set()
        else:
            self._move_followers.discard(run)

    async def tell_moves(self) -> None:
        """Tell other servers of new moves, for ever; does nothing while none wants to know."""
        while True:
            await self._moves_wanted.wait()
            while self._move_followers:
                await self._tell_new_moves()
                await trio.sleep(LOOK)
            self._moves_wanted = trio.Event()

    async def _tell_new_moves(self) -> None:
        before, self._plies = self._plies, {}
        steps, moves = Steps(AT_A_TIME), list[tuple[int, LatestMove]]()
        for table in [*self._hall.tables.values()]:
            if (latest := table.latest()) is not None:
                self._plies[table.id] = latest.ply
                if before.get(table.id) != latest.ply:
                    moves.append((table.id, latest))
            if len(moves) == AT_A_TIME:
                self._send_moves(moves)
                moves = []
            await steps.done()
        self._send_moves(moves)

    def _send_moves(self, moves: Sequence[tuple[int, LatestMove]]) -> None:
        if moves:
            for run in self._move_followers:
                self._post.send(run, said.Moves(tuple(moves)))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message for a table here; False if it is for somebody else."""
        if isinstance(message, said.ToTable):
            self._hear_player(run, message)
            return True
        handler = _HANDLERS.get(type(message))
        if handler is not None:
            handler(self, run, message)
        return handler is not None

    def _hear_player(self, run: int, message: said.ToTable) -> None:
        table = self._hall.tables.get(message.game)
        if table is None or message.epoch != self.epoch(message.game):
            return  # it is over, or was said to another owner
        player = table.seats[message.side]
        if isinstance(message, said.Expect):
            self._expect(table, message)
        elif isinstance(player, RemotePlayer) and player.run == run:
            _FROM_PLAYERS[type(message)](self, table, player, message)


def _refusal(post: Post) -> str:
    """Why this server takes no new game; empty if it does."""
    if post.draining:
        return "its server is shutting down"
    return "" if post.owns else "its server plays no games"


_FROM_PLAYERS: Mapping[type, Callable[[Owner, Table, RemotePlayer, Any], None]] = {
    said.Answer: Owner._answer,
    said.LateAnswer: Owner._late_answer,
    said.Happening: Owner._happening,
    said.Complaint: Owner._complaint,
    said.Thought: Owner._thought,
    said.State: Owner._state,
    said.Chat: Owner._chat,
    said.ShowThoughts: Owner._show_thoughts,
    said.Looked: lambda _, table, player, message: looked(table, player, message),
}

_HANDLERS: Mapping[type, Callable[[Owner, int, Any], None]] = {
    said.Open: Owner._open,
    said.Follow: Owner._follow,
    said.FollowMoves: Owner._follow_moves,
    said.Ruling: Owner._ruling,
    said.UgiAnswered: Owner._ugi_answered,
}

HEARD = frozenset({said.Expect, *_FROM_PLAYERS, *_HANDLERS})
"""The messages that `Owner.hear` acts on."""
