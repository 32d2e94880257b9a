"""The tables of this server, whose players may be at other servers."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec
import trio

from ulci.protocol.messages import Lobby as Line
from ulci.rules import Rules, Side
from ulci_server.game import Left
from ulci_server.hall import Hall, LocalSeat, Table
from ulci_server.hall.gradual_work import released
from ulci_server.lobby import PoolRules

from . import messages as said
from .admission import Admission
from .edge import Edge
from .followers import Followers
from .mirrors import call, kinds
from .post import Post
from .remote_flag import hold_flag, looked
from .remote_player import RemotePlayer, owned

MOST_ENDED = 500
"""Newest results that are kept for servers that missed them: a few hundred bytes each."""


class Owner:
    """Announces the games here to other servers, and handles the messages of players there. games:
    all that can be played. pool_rules: the rules of each pool, by its name. edge: the connections
    of this server."""

    def __init__(
        self,
        hall: Hall,
        post: Post,
        games: Mapping[str, Rules],
        pool_rules: Callable[[str], PoolRules],
        edge: Edge,
    ) -> None:
        self.epochs: dict[int, int] = {}
        """The epochs of games of this server that it has claimed; games that are missing began
        here, with epoch 1."""
        self._hall = hall
        self._post = post
        self._edge = edge
        self.admission = Admission(hall, post, games, pool_rules, edge)
        self.followers = Followers(hall, post, self._say_ended)
        self._announced: dict[int, Table] = {}  # games that were announced
        self._ending: dict[int, said.Ended] = {}  # results to be announced once no server watches
        self._ended: deque[said.Ended] = deque(maxlen=MOST_ENDED)
        self._releasing: set[int] = set()  # games whose release is not stored yet
        self._released: dict[int, said.Released] = {}
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
        """Whether a player of the game is at another server, or may come back there."""
        return any(not isinstance(player, LocalSeat) or player.gone for player in table.players)

    def greet(self, run: int) -> Iterator[Callable[[], None]]:
        """Announce all games here to a server that is new or may have missed messages."""
        for ended in [*self._ended]:
            yield partial(self._post.send, run, ended)
        for table in released(self._hall.tables.values()):
            if table.id in self._hall.tables:
                yield partial(self._tell_owned, run, table)
        yield partial(self._tell_all_owned, run)

    def end_unplayable(self, game: int, over: Line, why: str) -> None:
        """Announce that a claimed game is over, as it cannot be resumed."""
        self._announced.pop(game, None)
        self._ending[game] = said.Ended(game, self.epoch(game), over, why=why)
        self._say_ended(game)

    def _tell_all_owned(self, run: int) -> None:
        for message in self._released.values():
            self._post.send(run, message)
        known = (*self._hall.tables, *self._releasing, *self._released)
        self._post.send(run, said.Owns(known))

    def _tell_owned(self, run: int, table: Table) -> None:
        self._post.send(run, owned(self._post, table))
        for player in table.players:
            if isinstance(player, RemotePlayer) and player.run == run and not player.gone:
                player.sit_again()

    def lose(self, run: int, heard_at: float) -> Iterator[Callable[[], None]]:
        """The server has died, and with it the connections of players there. heard_at: when it was
        heard last (s)."""
        self.followers.lose(run)
        tables = released(self._hall.tables.values())
        return (partial(self._lose, run, table, heard_at) for table in tables)

    def _lose(self, run: int, table: Table, heard_at: float) -> None:
        for side, player in zip(Side, [*table.seats], strict=True):
            if isinstance(player, RemotePlayer) and player.run == run and not player.gone:
                player.gone = True
                seat = table.seat(side)
                if seat.key or seat.account is not None:
                    player.turn.cut_off(heard_at, trio.current_time())
                else:
                    table.handle(Left(side, trio.current_time(), "its server died"))

    def part(self, run: int) -> Iterator[Callable[[], None]]:
        """That server is silent: its players count as away until it is heard again, or they come
        back elsewhere."""
        return (partial(self._part, run, table) for table in released(self._hall.tables.values()))

    def _part(self, run: int, table: Table) -> None:
        now = trio.current_time()
        for player in [*table.seats]:
            if isinstance(player, RemotePlayer) and player.run == run and not player.gone:
                player.turn.cut_off(now - self._post.silence_of(run), now)

    def heard_until(self, table: Table) -> float:
        """When (s) the server of the side to move was heard last: now, unless it is silent or this
        one is cut off."""
        now, player = trio.current_time(), table.seats[table.game.mover]
        return player.turn.heard_until(now) if isinstance(player, RemotePlayer) else now

    def forget(self, table: Table) -> None:
        """The game goes on at another server: do not announce its end."""
        self._announced.pop(table.id, None)
        self.epochs.pop(table.id, None)

    @property
    def releasing(self) -> Collection[int]:
        """The games whose release is not stored yet; neither may be that they have begun."""
        return self._releasing

    def begin_release(self, game: int) -> None:
        """This server releases the game: it still counts as owned until that is stored and
        announced."""
        self._releasing.add(game)

    def release(self, game: int, epoch: int) -> None:
        """Announce that this server has released the game."""
        self._releasing.discard(game)
        self._released[game] = released = said.Released(game, epoch)
        self._post.send_all(released)

    def begin_again(self) -> None:
        """A new run of this server begins: it has announced nothing yet."""
        self._ended.clear()
        self._releasing.clear()
        self._released.clear()

    def _changed(self, table: Table) -> None:
        """Announce that a game begins here, or is over."""
        if table.id in self._hall.tables:
            self._announced[table.id] = table
            self._post.send_all(owned(self._post, table))
        elif self._announced.pop(table.id, None) is not None and table.over is not None:
            epoch = self.epoch(table.id)
            self._ending[table.id] = said.Ended(table.id, epoch, table.over, table.latest())
            # Its players are dismissed first.
            trio.lowlevel.current_trio_token().run_sync_soon(self._say_ended, table.id)

    def _say_ended(self, game: int) -> None:
        """Announce the end, once the watchers at other servers have received it."""
        if self.followers.is_watched(game):
            return
        ended = self._ending.pop(game, None)
        if ended is not None:
            self.epochs.pop(game, None)
            self._ended.append(ended)
            self._post.send_all(ended)

    # From players

    def _answer(self, table: Table, player: RemotePlayer, message: said.Answer) -> None:
        answered = player.turn.answer(message, trio.current_time())
        if answered is not None:
            player.trip = player.trip if message.trip is None else message.trip
            table.answered(answered, may_repeat=message.may_repeat)

    def _happening(self, table: Table, player: RemotePlayer, message: said.Happening) -> None:
        if (event := player.turn.happens(message, trio.current_time())) is not None:
            table.handle(event)

    def _thought(self, table: Table, _: RemotePlayer, message: said.Thought) -> None:
        table.add_info(message.side, message.info)

    def _ruling(self, run: int, message: said.Ruling) -> None:
        table, changed = self._hall.tables.get(message.game), None
        if table is not None and message.epoch == self.epoch(message.game):
            table.catch_up()
            event = msgspec.structs.replace(message.event, at=trio.current_time())
            changed = table.apply(event)
        self._post.send(run, said.RulingHeard(message.game, message.number, changed))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message for a table here. Returns False if another part handles the message."""
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
            return  # it is over, or the message was for another owner
        player = table.seats[message.side]
        if isinstance(message, said.Expect):
            self.admission.expect(table, message)
        elif isinstance(player, RemotePlayer) and player.run == run:
            _FROM_PLAYERS[type(message)](self, table, player, message)


_FROM_PLAYERS: Mapping[type, Callable[[Owner, Table, RemotePlayer, Any], None]] = {
    said.Answer: Owner._answer,
    said.Happening: Owner._happening,
    said.Thought: Owner._thought,
    said.Looked: lambda _, table, player, message: looked(table, player, message),
    **dict.fromkeys(kinds(said.ToTable), lambda _, table, __, message: call(table, message)),
}

_HANDLERS: Mapping[type, Callable[[Owner, int, Any], None]] = {
    said.Open: lambda owner, run, message: owner.admission.open(run, message),
    said.Follow: lambda owner, run, message: owner.followers.hear(run, message),
    said.Talk: lambda owner, run, message: owner.followers.hear(run, message),
    said.FollowMoves: lambda owner, run, message: owner.followers.hear(run, message),
    said.Ruling: Owner._ruling,
    said.UgiAnswered: lambda owner, _, message: owner.admission.queries.hear(message),
}

HEARD = frozenset({said.Expect, *_FROM_PLAYERS, *_HANDLERS})
"""The messages that `Owner.hear` acts on."""
