"""Restores the lobby of an earlier host from its rows."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

import msgspec
import structlog
import trio

from ulci.protocol.messages import Lobby
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import Seat, notices
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.absent_player import profile_of
from ulci_server.hall.gradual_work import released
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.storage import (
    LobbyMatch,
    LobbyMember,
    LobbySeek,
    RunningGame,
    StoredLobby,
)

from .lobby_games import LobbyGames
from .lobby_keeper import LobbyKeeper
from .lobby_rows import match_untrusted, profile_untrusted, seek_untrusted
from .post import Post
from .remote_member import RemoteMember
from .remote_table import RemoteTable

LOG = structlog.get_logger("ulci_server.cluster")

NOT_STORED = Outcome(None, Reason.ABORTED)
"""The outcome of a game that is in no database."""

NewMember = Callable[[int, int, str, str], RemoteMember]
"""Makes a member: the server of its connection, its number there, its address without and with the
port."""


class RestoredLobby:
    """Restores a lobby, in the pieces of work that `pieces` yields. Rows of another version are
    left out, with a warning in the log."""

    def __init__(
        self,
        stored: StoredLobby,
        hall: Hall,
        post: Post,
        host: LobbyHost,
        games: LobbyGames,
        keeper: LobbyKeeper,
        new_member: NewMember,
        connect: Callable[[RemoteMember, int, int], None],
        now: Callable[[], datetime],
    ) -> None:
        self.awaiting: list[str] = []
        """The handles of members who were paired, and whose games are not known to have begun."""
        self._stored = stored
        self._hall = hall
        self._post = post
        self._host = host
        self._games = games
        self._keeper = keeper
        self._new_member = new_member
        self._connect = connect
        self._now = now
        self._running: dict[int, tuple[Seat, Seat]] = {}
        self._changed: set[str] = set()  # handles whose rows differ from the members here
        self._missed_since: set[str] = set()  # keys of members whose server died

    def pieces(self) -> Iterator[Callable[[], None]]:
        """The pieces of work, to be run in this order: games before their players, and players
        before their matches and seeks."""
        stored = self._stored
        for table in released(self._hall.all_tables()):
            yield partial(self._table, table)
        for game in stored.games:
            yield partial(self._game, game)
        # Of two members with one secret, the last one has it.
        for row in stored.members:
            yield partial(self._member, row)
        # A table here may be of a game whose end this server missed while it was frozen or cut off:
        # its players may play a newer game.
        for number, seats in sorted(self._running.items(), reverse=True):
            yield partial(self._seats, number, seats)
        for key, number in stored.missed.items():
            yield partial(self._missed, key, number)
        yield self._begin_to_keep
        for match in stored.matches:
            yield partial(self._match, match)
        for seek in stored.seeks:
            yield partial(self._seek, seek)
        for member in released(self._host.present):
            if not member.gone:
                yield partial(self._host.wait_again, member)

    # Games

    def _table(self, table: AnyTable) -> None:
        """Note a game that this server knows; its begin may not be stored yet."""
        seats = table.seat(Side.WHITE), table.seat(Side.BLACK)
        self._running[table.id] = seats
        owner, epoch = self._post.run, self._post.epoch(table.id)
        if isinstance(table, RemoteTable):
            owner, epoch = table.owner, table.epoch
        self._games.known(table.id, owner, epoch, seats)

    def _game(self, game: RunningGame) -> None:
        """Note a stored game, which this server may not know."""
        if game.game not in self._running:
            self._running[game.game] = game.seats
            self._games.known(game.game, game.owner or 0, game.epoch, game.seats)

    # Members

    def _member(self, row: LobbyMember) -> None:
        try:
            profile = profile_untrusted(row.profile)
        except msgspec.DecodeError as error:
            LOG.warning(
                "a member of another version is left out", client=row.handle, why=str(error)
            )
            self._changed.add(row.handle)
            return
        is_there = row.run in self._post.living
        runs = row.game in self._running
        awaits = row.playing and row.game is None
        if not (is_there or runs or awaits):
            self._left(row)
            return
        member = self._new_member(0, 0, row.host, row.label)
        member.gone = not is_there
        member.called_at = self._called_at(row)
        member.key = row.keys[-1] if row.keys else ""
        if runs:
            assert row.game is not None
            self._seat(member, row.game, row.side)
        elif row.game is not None:  # until its server reports that it was told
            member.draining, member.missed = True, self._over(row.game)
        playing = row.playing or runs
        if not is_there or playing != row.playing:
            self._changed.add(row.handle)
        self._host.restore(member, profile, row.keys, playing=playing)
        if is_there:
            assert row.run is not None
            self._connect(member, row.run, row.link)
        if awaits:
            self.awaiting.append(member.handle)
        if member.handle != row.handle:  # its name looks like that of another member
            self._changed.update((row.handle, member.handle))
            member.introduce(replace(profile, handle=member.handle))

    def _called_at(self, row: LobbyMember) -> float:
        """When (s) its login began; `-inf` if not known, as if the clocks of the servers differ."""
        ago = -1.0 if row.called_at is None else (self._now() - row.called_at).total_seconds()
        return -math.inf if ago < 0 else trio.current_time() - ago

    def _seat(self, member: RemoteMember, number: int, side: Side) -> None:
        member.table, member.side = self._hall.find_table(number), side
        member.plays = 0 if member.table is not None else number
        member.takes_seat = True

    def _left(self, row: LobbyMember) -> None:
        """The member's connection ended with its server, and its game, if it played one, is
        over."""
        self._changed.add(row.handle)
        if row.game is not None and row.keys:
            key = row.keys[-1]
            self._missed_since.add(key)
            self._host.registry.miss(key, self._over(row.game))

    def _over(self, number: int) -> Lobby:
        """How that game ended."""
        return notices.over(number, self._stored.outcomes.get(number) or NOT_STORED)

    def _seats(self, number: int, seats: tuple[Seat, Seat]) -> None:
        """Seat the players of a game whose rows do not say that they play."""
        for side, seat in zip(Side, seats, strict=True):
            member = self._host.known(seat.handle)
            if isinstance(member, RemoteMember):
                if not member.game:
                    self._changed.add(seat.handle)
                    self._seat(member, number, side)
                    self._host.goes_on(member)
                elif member.game == number and member.side is not side:
                    # The row was stored before the game was known.
                    self._changed.add(seat.handle)
                    member.side = side
                continue
            absent = self._new_member(0, 0, "", "absent")
            absent.gone, absent.key = True, seat.key
            absent.why = "the server that it was connected to ended"
            self._seat(absent, number, side)
            keys = [seat.key] if seat.key else []
            self._host.restore(absent, profile_of(seat), keys, playing=True)
            self._changed.add(absent.handle)

    def _missed(self, key: str, number: int) -> None:
        if key not in self._missed_since:
            self._host.registry.miss(key, self._over(number))

    def _begin_to_keep(self) -> None:
        self._keeper.begin()
        for handle in sorted(self._changed):
            self._keeper.member(handle)
        for key in sorted(self._missed_since):
            self._keeper.missed(key)

    # Matches and seeks

    def _match(self, row: LobbyMatch) -> None:
        try:
            match = match_untrusted(row.terms)
        except msgspec.DecodeError as error:
            LOG.warning("a match of another version has ended", match=row.id, why=str(error))
            self._keeper.match(row.id)
            return
        players = map(self._host.known, match.handles)
        games = {one.game if isinstance(one, RemoteMember) else 0 for one in players}
        seats = self._running.get(games.pop()) if len(games) == 1 else None
        white = "" if seats is None else seats[Side.WHITE].handle
        self._host.play_again(row.id, match, white)

    def _seek(self, row: LobbySeek) -> None:
        try:
            seek = seek_untrusted(row.terms)
        except msgspec.DecodeError as error:
            LOG.warning("a seek of another version has ended", seek=row.id, why=str(error))
            self._keeper.seek(row.id)
            return
        self._host.stand_again(row.id, row.handle, row.asked, seek)
