"""Games at other servers, as this one knows them, and the messages of their owners to connections
here."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import structlog
import trio

from ulci.protocol.messages import (
    Blame,
    FromServer,
    Lobby,
    NewGame,
    Position,
    Report,
    SetOption,
    Stop,
)
from ulci.rules import Side
from ulci_server.game import Away, Left
from ulci_server.hall import AbsentPlayer, Hall, LocalSeat, Table
from ulci_server.hall.gradual_work import released
from ulci_server.hall.table.recovery import UnplayableError
from ulci_server.lobby import lobby_lines

from . import messages as said
from .edge import Edge
from .mirrors import call, kinds
from .post import Post
from .remote_player import owned
from .remote_table import RemoteTable

LOG = structlog.get_logger("ulci_server.cluster")


class GamesElsewhere:
    """Keeps the games, and passes on the messages of their owners. edge: the connections of this
    server."""

    def __init__(self, hall: Hall, post: Post, edge: Edge) -> None:
        self.tables: dict[int, RemoteTable] = {}
        """Running games at other servers, and those without an owner, by number."""
        self._hall = hall
        self._post = post
        self._edge = edge
        self._moves_asked: set[int] = set()  # the servers that send new moves

    def add(self, owner: int, game: said.Owned) -> None:
        """A game begins or goes on at another server."""
        number = game.started.game
        table = self.tables.get(number)
        if table is not None:
            if game.epoch >= table.epoch and any(game.players):
                table.players = game.players
            if game.epoch > table.epoch or (game.epoch == table.epoch and table.owner == 0):
                table.move_to(owner, game.epoch)
                self._edge.seat_waiting(number)
            return
        try:
            agreement = self._hall.agreement_again(game.started)
        except UnplayableError as error:
            LOG.warning("unknown game at another server", game=number, why=str(error))
            return
        table = RemoteTable(
            self._post, owner, game.epoch, game.started, agreement, self._hall.open_spectators()
        )
        table.plies, table.players = game.plies, game.players
        self._begin(table)
        self._edge.seat_waiting(number)

    def _begin(self, table: RemoteTable) -> None:
        self.tables[table.id] = table
        self._hall.begin_elsewhere(table)

    def remove(self, number: int, over: Lobby, why: str = "") -> None:
        """A game at another server is over. why: what the result does not explain."""
        table = self.tables.pop(number, None)
        if table is not None:
            table.end(over)
            self._hall.end_elsewhere(table)
            for player in table.here.values():
                if player.table is table:
                    player.stop_search()
                    if why:
                        player.tell(Report(Blame.SERVER, why))
                    player.tell(over)  # its `dismiss` was lost
                    player.dismiss(over, front=False)
                elif player.gone and (session := self._edge.session_of(player)) is not None:
                    self._edge.forget(session)

    def adopt(self, table: Table, epoch: int) -> None:
        """A game of this server is to go on at another one: its players and watchers here wait for
        the new owner."""
        remote = self.tables.get(table.id)  # if connections here knew it before
        if remote is None:
            spectators = self._hall.open_spectators()
            remote = RemoteTable(
                self._post, 0, epoch, table.game.started, table.agreement, spectators
            )
            self._begin(remote)
        remote.owner, remote.epoch, spectators = 0, epoch, remote.spectators
        remote.plies, remote.players = len(table.game.moves), owned(self._post, table).players
        if (latest := table.latest()) is not None:
            remote.move(latest)
        for side, player in zip(Side, table.seats, strict=True):
            # A player who is here may not have taken its seat at the table yet.
            waits = side in remote.here and isinstance(player, AbsentPlayer)
            if isinstance(player, LocalSeat) and not waits:
                remote.seated(side, player, -math.inf)
                player.table = remote
                remote.introduced(side)
                remote.turns[side].stop()  # it may have left a question of an earlier owner open
                if table.game.searching is side and player.owes_move:
                    remote.adopt(side, table.game)
        position, state = table.spectators.position, table.state()
        for watcher in table.spectators.watchers:
            table.unwatch(watcher)
            watcher.watch(remote)
        if len(spectators):
            spectators.position = position
            remote.know(state)

    def rejoin(self, run: int) -> Iterator[Callable[[], None]]:
        """Messages between connections here and that server's games may be lost: repeat what
        counts."""
        self._moves_asked.discard(run)
        for table in released(self.tables.values()):
            if table.owner == run:
                yield partial(table.move_to, run, table.epoch)

    def orphan(self, run: int) -> None:
        """The server has died: its games wait for a new owner."""
        for table in self.tables.values():
            if table.owner == run:
                table.owner = 0

    def begin_again(self) -> None:
        """A new run of this server begins: all owners announce their games to it again, as it may
        have missed that one died."""
        for table in self.tables.values():
            table.owner = 0

    def forget_epochs(self) -> None:
        """The database was restored from an older copy: epochs go on from those in the copy, and
        the last ``go`` of a player may be undone."""
        for table in self.tables.values():
            table.epoch = 0
            for turn in table.turns:
                turn.stop()

    def _seated(self, run: int, message: said.FromTable) -> "_Seated | None":
        """The player and the game. None if the connection is not at the game, a newer one has its
        seat, or the message is not from the owner."""
        session, table = self._edge.sessions.get(message.link), self.tables.get(message.game)
        if session is None or table is None or session.table is not table:
            return None
        if message.epoch < table.epoch or run != table.owner:
            return None
        if table.here.setdefault(session.side, session.player) is not session.player:
            return None  # a newer connection has its seat
        return _Seated(session.player, table)

    # From owners of games

    def _sit(self, run: int, message: said.Sit) -> None:
        session = self._edge.sessions.get(message.link)
        self.add(run, said.Owned(message.started, message.epoch))
        table = self.tables.get(message.game)
        if session is not None and session.table is table is not None:
            return  # it is there: the message was repeated, or the lobby seated it
        if message.again and table is not None and message.side in table.here:
            return  # a newer connection has its seat
        if session is None or session.table is not None or table is None:
            why = "the connection was closed" if session is None else "it plays another game"
            returns = message.again and session is None  # its return may have been under way
            if returns and table is not None and table.say_gone_again(message.side):
                return
            event = Away(message.side, 0.0) if returns else Left(message.side, 0.0, why)
            refusal = said.Happening(message.game, message.epoch, message.side, event)
            self._post.send(run, refusal)
            return
        table.seated(message.side, session.player, trio.current_time())
        self._edge.forget_awaited(message.link)
        self._edge.waits_since.pop(message.link, None)
        session.player.sit(table, message.side)
        if message.again and not session.gone:
            table.rejoin(message.side, session.player)
        if session.gone:
            now = trio.current_time()
            back = session.player.may_return
            table.handle(Away(message.side, now) if back else Left(message.side, now, session.why))

    def _tell_seated(self, run: int, message: said.FromTable) -> None:
        if (seated := self._seated(run, message)) is not None:
            seated.hear(message)

    def _ask_ugi(self, run: int, message: said.AskUgi) -> None:
        def answer(answers: tuple[str, ...]) -> None:
            self._post.send(run, said.UgiAnswered(message.number, answers))

        if (session := self._edge.sessions.get(message.link)) is not None:
            session.player.ask(message.questions, answer)

    def _feed(self, run: int, message: said.Feed) -> None:
        table = self.tables.get(message.game)
        if table is not None and table.owner == run:
            table.feed(message)

    def _moves(self, run: int, message: said.Moves) -> None:
        for number, latest in message.moves:
            table = self.tables.get(number)
            if table is not None and table.owner == run:
                table.move(latest)

    def follow_moves(self, runs: Collection[int]) -> None:
        """Ask those servers for the newest moves of all games, or to stop sending them, if what is
        wanted has changed or a server is new."""
        wanted = self._hall.wants_moves
        self._moves_asked = {run for run in self._moves_asked if run in runs}
        for run in runs:
            if wanted != (run in self._moves_asked):
                self._post.send(run, said.FollowMoves(wanted))
        self._moves_asked = {*runs} if wanted else set()

    def _owned(self, run: int, message: said.Owned) -> None:
        """A server owns a game. If it is this one, connections here that knew the game at another
        server play on by their `RemoteTable`: they may owe an answer to the last owner."""
        number = message.started.game
        if run != self._post.run or number in self.tables:
            self.add(run, message)
        else:
            self._edge.seat_waiting(number)

    def _ended(self, run: int, message: said.Ended) -> None:
        table = self.tables.get(message.game)
        if table is None:
            if run != self._post.run:
                self._hall.miss(message.game)
        elif message.epoch > table.epoch or (message.epoch == table.epoch and table.owner == run):
            if message.latest is not None:
                table.move(message.latest)
            self.remove(message.game, message.over, message.why)

    def _released(self, run: int, message: said.Released) -> None:
        table = self.tables.get(message.game)
        if table is not None and table.owner == run:
            table.owner = 0

    def _ruling_heard(self, _: int, message: said.RulingHeard) -> None:
        table = self.tables.get(message.game)
        if table is not None:
            table.ruling_heard(message)

    def _owns(self, run: int, message: said.Owns) -> None:
        owned = {*message.games}
        for number, table in [*self.tables.items()]:
            if table.owner == run and number not in owned:
                self.remove(number, lobby_lines.error("no-game", f"game {number} is over"))

    def hear(self, run: int, message: said.AnyMessage) -> bool:
        """Act on a message of an owner of games. Returns False if another part handles the
        message."""
        handler = _HANDLERS.get(type(message))
        if handler is not None:
            handler(self, run, message)
        return handler is not None


class _Seated(NamedTuple):
    """A player here, as the target of a message from the owner of its game."""

    player: LocalSeat
    table: RemoteTable

    def hear(self, message: said.FromTable) -> None:
        if isinstance(message, said.Ask):
            self.table.player_told(message.position)
            self.table.ask(self.player.side, message)
        elif isinstance(message, said.Look):
            self.table.look(self.player.side, message.number)
        else:
            call(self, message)

    def tell(self, *messages: FromServer) -> None:
        player, table = self
        kinds = {type(one) for one in messages}
        if Stop in kinds:
            table.turns[player.side].stop()
        elif kinds & {SetOption, NewGame}:
            if player.owes_move:  # the messages before its ``go`` were lost: it is asked again
                player.stop_search()
                table.turns[player.side].stop()
            if NewGame in kinds:
                table.introduced(player.side)
        elif Position in kinds:
            player.stop_search()  # the ``stop`` may be lost
        for one in messages:
            if isinstance(one, Position):
                table.player_told(one)
        player.tell(*messages)

    def hear_chat(self, line: Lobby) -> None:
        self.player.hear_chat(line)

    def still_asked(self, move: str) -> None:
        self.table.turns[self.player.side].ask_still()
        self.player.still_asked(move)

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        self.table.here.pop(self.player.side, None)
        self.player.dismiss(over, front=front)


_HANDLERS: Mapping[type, Callable[[GamesElsewhere, int, Any], None]] = {
    said.Sit: GamesElsewhere._sit,
    **dict.fromkeys((said.Ask, said.Look, *kinds(said.FromTable)), GamesElsewhere._tell_seated),
    said.AskUgi: GamesElsewhere._ask_ugi,
    said.Feed: GamesElsewhere._feed,
    said.Moves: GamesElsewhere._moves,
    said.Owned: GamesElsewhere._owned,
    said.Ended: GamesElsewhere._ended,
    said.Released: GamesElsewhere._released,
    said.Owns: GamesElsewhere._owns,
    said.RulingHeard: GamesElsewhere._ruling_heard,
}

HEARD = frozenset(_HANDLERS)
"""The messages that `GamesElsewhere.hear` acts on."""
