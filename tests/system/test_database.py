"""The database refuses in mid-game: play waits, nobody pays, and it goes on by itself."""

import sqlite3
from contextlib import closing

import pytest
import trio

from tests.support.players import Player
from tests.support.servers import Server, serving, until
from ulci.net import Peer
from ulci.protocol.messages import Go, Message, Position

pytestmark = pytest.mark.system

HELD_AT = 4
"""Plies before the move for which the database is locked: the game is far from its end."""


class Held(Player):
    """Does not make its move at that ply before it may."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.asked: Peer | None = None
        self._may = False

    def go_on(self) -> None:
        self._may = True
        if self.asked is not None:
            self._answer(self.asked, self.last(Go))

    def _answer(self, peer: Peer, message: Message) -> None:
        if isinstance(message, Go) and not self._may and self._is_there():
            self.asked = peer
        else:
            super()._answer(peer, message)

    def _is_there(self) -> bool:
        return len(self.last(Position).moves) >= HELD_AT


async def test_play_waits_for_a_locked_database_with_the_clocks_stopped(tmp_path):
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "600") as server:
        players = Held("A"), Held("B")
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play, server.port())
            await until(lambda: any(p.asked for p in players), "the game is on its way")
            with closing(sqlite3.connect(tmp_path / "ulci.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                began = trio.current_time()
                for player in players:
                    player.go_on()
                await until(lambda: all(p.complaints() for p in players), "both are told")
                plies = [p.plies() for p in players]
                refused = await newcomer(server)
                locked = trio.current_time() - began
                other.execute("ROLLBACK")
            await until(lambda: min(p.plies() for p in players) > max(plies) + 2, "it goes on")
            # Players are told table by table, beside their games.
            await until(lambda: all(p.is_told_of_return() for p in players), "both are told again")
            left = players[0].last(Go)
            nursery.cancel_scope.cancel()
    assert "the database does not answer" in players[0].complaints()[0]
    assert "closed" in refused
    spent = 2 * 600_000 - left.wtime - left.btime
    assert spent < 1000 * locked


async def newcomer(server: Server) -> str:
    """What somebody is told who wants to play meanwhile."""
    async with await trio.open_tcp_stream("127.0.0.1", server.port()) as stream:
        await stream.send_all(b"id username Eve\nid feature lobby\nuciok\nseek\n")
        said = b""
        while b"lobby error" not in said:
            said += await stream.receive_some()
        return said.decode().rpartition("lobby error")[2]
