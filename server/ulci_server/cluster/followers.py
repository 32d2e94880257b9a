"""What other servers receive of the games here: for their watchers, and the newest moves of all
games."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import trio

from ulci.net import Steps
from ulci.protocol.lobby.lines import Chat
from ulci_server.hall import Hall
from ulci_server.hall.table.state import LatestMove

from . import messages as said
from .post import Post
from .remote_spectators import RemoteSpectators

LOOK = 0.25
"""Seconds between two rounds of new moves, while another server wants them."""

AT_A_TIME = 500
"""Tables checked, or moves sent, between two checkpoints: half a millisecond."""


class Followers:
    """unwatched: called with the number of a game that another server stops watching."""

    def __init__(self, hall: Hall, post: Post, unwatched: Callable[[int], None]) -> None:
        self._hall = hall
        self._post = post
        self._unwatched = unwatched
        self._feeds: dict[tuple[int, int], RemoteSpectators] = {}  # by game and run
        self._move_followers: set[int] = set()  # the servers that want new moves
        self._moves_wanted = trio.Event()
        self._plies: dict[int, int] = {}  # at the last round, by game

    def is_watched(self, game: int) -> bool:
        """Whether any server watches that game."""
        return any(key[0] == game for key in self._feeds)

    def lose(self, run: int) -> None:
        """The server has died."""
        self._move_followers.discard(run)
        for key in [key for key in self._feeds if key[1] == run]:
            self._feeds.pop(key).stop_watching()

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
            table.watch(feed)
        self._feeds[key].begin()

    def _unfeed(self, key: tuple[int, int]) -> None:
        self._feeds.pop(key, None)
        self._unwatched(key[0])

    def _follow_moves(self, run: int, message: said.FollowMoves) -> None:
        if message.wanted:
            self._move_followers.add(run)
            self._plies = {}  # the new server knows none
            self._moves_wanted.set()
        else:
            self._move_followers.discard(run)

    async def tell_moves(self) -> None:
        """Send new moves to the servers that want them, until cancelled."""
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

    def _talk(self, run: int, message: said.Talk) -> None:
        table = self._hall.tables.get(message.game)
        is_talk = isinstance(message.line.line, Chat)  # a result, say, is not a spectator's to tell
        if table is not None and is_talk and (message.game, run) in self._feeds:
            table.chat(message.line)

    def hear(self, run: int, message: said.Follow | said.FollowMoves | said.Talk) -> None:
        """Act on a server's request to send it moves, or to stop; or pass its spectator's message
        on."""
        _HANDLERS[type(message)](self, run, message)


_HANDLERS: Mapping[type, Callable[[Followers, int, Any], None]] = {
    said.Follow: Followers._follow,
    said.FollowMoves: Followers._follow_moves,
    said.Talk: Followers._talk,
}
