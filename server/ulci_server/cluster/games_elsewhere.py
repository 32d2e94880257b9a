"""Games at other servers, as this one knows them, and what their owners say to connections here."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any, cast

import structlog
import trio

from ulci.protocol.messages import Blame, Lobby, NewGame, Position, Report, SetOption, Stop
from ulci.rules import Side
from ulci_server.game import Away, Left
from ulci_server.hall import AbsentPlayer, Hall, LocalClient, LocalSeat, Table
from ulci_server.hall.gradual_work import released
from ulci_server.hall.table.recovery import UnplayableError
from ulci_server.lobby import lobby_lines

from . import messages as said
from .edge import Edge
from .post import Post
from .remote_player import owned
from .remote_table import RemoteTable

LOG = structlog.get_logger("ulci_server.cluster")


class GamesElsewhere:
    """Keeps them by number, and passes on what their owners say. edge: the connections of this
    server."""

    def __init__(self, hall: Hall, post: Post, edge: Edge) -> None:
        self.tables: dict[int, RemoteTable] = {}
        """Running games at other servers, and those without an owner, by number."""
        self._hall = hall
        self._post = post
        self._edge = edge
        self._moves_asked: set[int] = set()  # the servers that tell of new moves

    def add(self, owner: int, game: said.Owned) -> None:
        """A game begins at another server, or goes on there."""
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
        """A game at another server is over."""
        table = self.tables.pop(number, None)
        if table is not None:
            table.end(over)
            self._hall.end_elsewhere(table)
            for player in table.here.values():
                if player.table is table:
                    player.stop_search()
                    if why:
                        player.tell(Report(Blame.SERVER, why))
                    player.tell(over)  # its dismissal was lost
                    player.dismiss(over, front=False)
                elif player.gone and (session := self._edge.session_of(player)) is not None:
                    self._edge.forget(session)

    def adopt(self, table: Table, epoch: int) -> None:
        """A game of this server goes on at another one: its players and watchers here wait for the
        new owner."""
        remote = self.tables.get(table.id)  # for those who were here before it went on here
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
        """What connections here said to that server may be lost, and what its games told them."""
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
        """A new run of this server begins: it hears anew who has which game, and may have missed
        that somebody died."""
        for table in self.tables.values():
            table.owner = 0

    def forget_epochs(self) -> None:
        """The database was restored from an older copy: epochs begin again with those of it, and
        what players were asked last may never have been."""
        for table in self.tables.values():
            table.epoch = 0
            for turn in table.turns:
                turn.stop()

    def _seated(self, run: int, message: said.FromTable) -> tuple[LocalClient, RemoteTable] | None:
        """The connection and the game; None if it is not there, or another server owns it."""
        session, table = self._edge.sessions.get(message.link), self.tables.get(message.game)
        if session is None or table is None or session.table is not table:
            return None
        if message.epoch < table.epoch or run != table.owner:
            return None
        if table.here.setdefault(session.side, session.player) is not session.player:
            return None  # a newer connection has its seat
        return session, table

    # From owners of games

    def _sit(self, run: int, message: said.Sit) -> None:
        session = self._edge.sessions.get(message.link)
        self.add(run, said.Owned(message.started, message.epoch))
        table = self.tables.get(message.game)
        if session is not None and session.table is table is not None:
            return  # it is there: told again, or seated by the lobby
        if message.again and table is not None and message.side in table.here:
            return  # a newer connection has its seat
        if session is None or session.table is not None or table is None:
            why = "the connection was closed" if session is None else "it plays another game"
            returns = message.again and session is None  # as it may have been about to
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

    def _tell(self, run: int, message: said.Tell) -> None:
        seated = self._seated(run, message)
        if seated is not None:
            player, table = seated[0].player, seated[1]
            kinds = {type(one) for one in message.messages}
            if Stop in kinds:
                table.turns[player.side].stop()
            elif kinds & {SetOption, NewGame}:
                if player.owes_move:  # what came before that ``go`` was lost: it is asked anew
                    player.stop_search()
                    table.turns[player.side].stop()
                if NewGame in kinds:
                    table.introduced(player.side)
            elif Position in kinds:
                player.stop_search()  # that it was told to stop may be lost
            elif kinds == {Lobby}:
                for line in message.messages:
                    player.hear_chat(cast("Lobby", line))
                return
            for one in message.messages:
                if isinstance(one, Position):
                    table.player_told(one)
            player.tell(*message.messages)

    def _ask(self, run: int, message: said.Ask) -> None:
        seated = self._seated(run, message)
        if seated is not None:
            session, table = seated
            table.player_told(message.position)
            table.ask(session.side, message)

    def _still_asked(self, run: int, message: said.StillAsked) -> None:
        seated = self._seated(run, message)
        if seated is not None:
            session, table = seated
            table.turns[session.side].ask_still()
            session.player.still_asked(message.move)

    def _look(self, run: int, message: said.Look) -> None:
        seated = self._seated(run, message)
        if seated is not None:
            session, table = seated
            table.look(session.side, message.number)

    def _dismiss(self, run: int, message: said.Dismiss) -> None:
        seated = self._seated(run, message)
        if seated is not None:
            session, table = seated
            table.here.pop(session.side, None)
            session.player.dismiss(message.over, front=message.front)

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
        """Ask those servers for the newest moves of all games, or for none any more, if they do
        not know yet what is wanted."""
        wanted = self._hall.wants_moves
        self._moves_asked = {run for run in self._moves_asked if run in runs}
        for run in runs:
            if wanted != (run in self._moves_asked):
                self._post.send(run, said.FollowMoves(wanted))
        self._moves_asked = {*runs} if wanted else set()

    def _owned(self, run: int, message: said.Owned) -> None:
        """At this server, a game that connections here know from elsewhere goes on as theirs did:
        they may owe an answer to the last owner."""
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
        """Act on a message of an owner of games; False if it is for somebody else."""
        handler = _HANDLERS.get(type(message))
        if handler is not None:
            handler(self, run, message)
        return handler is not None


_HANDLERS: Mapping[type, Callable[[GamesElsewhere, int, Any], None]] = {
    said.Sit: GamesElsewhere._sit,
    said.Tell: GamesElsewhere._tell,
    said.Ask: GamesElsewhere._ask,
    said.StillAsked: GamesElsewhere._still_asked,
    said.Look: GamesElsewhere._look,
    said.Dismiss: GamesElsewhere._dismiss,
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
