"""The database refuses in mid-game: play waits, nobody pays, and it goes on by itself."""

import sqlite3
from contextlib import closing

import chess
import pytest
import trio

from tests.support.servers import Server, serving, until
from ulci.net import Address, Peer, dial
from ulci.protocol import ULCI, Connection, Role, TextCodec
from ulci.protocol.messages import (
    BestMove,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Message,
    Position,
    ReadyOk,
    Report,
)

pytestmark = pytest.mark.system


class Player:
    """Answers at once with the first legal move, and remembers all that it hears."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[Message] = []

    async def play(self, port: int) -> None:
        connection = Connection(Role.CLIENT, TextCodec(max_line=1 << 20), ULCI)
        address = Address.parse(f"tcp://127.0.0.1:{port}")
        async with dial(address, lambda _: connection) as peer:
            while (heard := await peer.receive()) is not None:
                self.heard.append(heard.message)
                self._answer(peer, heard.message)

    def _answer(self, peer: Peer, message: Message) -> None:
        match message:
            case Hello():
                peer.put(Id("version", "1"), Id("name", self.name), HelloOk())
            case IsReady():
                peer.put(ReadyOk())
            case Go():
                board = chess.Board()
                for move in self.last(Position).moves:
                    board.push_uci(move)
                peer.put(BestMove(min(move.uci() for move in board.legal_moves)))

    def last(self, kind: type) -> Message:
        return next(message for message in reversed(self.heard) if isinstance(message, kind))

    def plies(self) -> int:
        return sum(isinstance(message, Position) for message in self.heard)

    def complaints(self) -> list[str]:
        return [m.text for m in self.heard if isinstance(m, Report) and m.blame == "servererror"]


async def test_play_waits_for_a_locked_database_with_the_clocks_stopped(tmp_path):
    with serving(tmp_path, "--listen", "tcp://127.0.0.1:0", "--time", "600") as server:
        players = Player("A"), Player("B")
        async with trio.open_nursery() as nursery:
            for player in players:
                nursery.start_soon(player.play, server.port())
            await until(lambda: min(p.plies() for p in players) > 10, "the game is on its way")
            with closing(sqlite3.connect(tmp_path / "ulci.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                began = trio.current_time()
                await until(lambda: all(p.complaints() for p in players), "both are told")
                plies = [p.plies() for p in players]
                refused = await newcomer(server)
                locked = trio.current_time() - began
                other.execute("ROLLBACK")
            await until(lambda: min(p.plies() for p in players) > max(plies) + 2, "it goes on")
            left = players[0].last(Go)
            nursery.cancel_scope.cancel()
    assert "the database of this server does not answer" in players[0].complaints()[0]
    assert "closed" in refused
    spent = 2 * 600_000 - left.wtime - left.btime
    assert spent < 1000 * locked
    text = [m.string for m in players[0].heard if isinstance(m, Info) and m.string]
    assert any("database is back" in string for string in text)


async def newcomer(server: Server) -> str:
    """What somebody is told who wants to play meanwhile."""
    async with await trio.open_tcp_stream("127.0.0.1", server.port()) as stream:
        await stream.send_all(b"id username Eve\nid feature lobby\nuciok\nseek\n")
        said = b""
        while b"lobby error" not in said:
            said += await stream.receive_some()
        return said.decode().rpartition("lobby error")[2]
